package dev.quire.spring.internal.exchange;

import dev.quire.spring.FragmentPolicy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;

/**
 * The state of one request and its response. Several threads may use it one after the other, handed
 * over by the container; only the reasons reported by views are thread-safe.
 */
public final class GuardedExchange {

    /** The request attribute that holds the exchange. */
    public static final String ATTRIBUTE = GuardedExchange.class.getName();

    /** The handler name of responses without an annotated handler. */
    public static final String NO_HANDLER = "a response without handler method";

    /** The reasons that depend on who reads. */
    private static final Set<Demotion> READS =
            EnumSet.range(Demotion.PRINCIPAL_READ, Demotion.LANGUAGE_READ);

    /** Thread ids begin at 1. */
    private static final long NO_THREAD = 0;

    private final boolean surrogate;
    private final boolean errorDispatch;
    private final boolean sessionOfPage;
    private final Map<String, @Nullable Object> arguments = new HashMap<>();
    private final Set<String> fieldsOfHandler = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /** Thread-safe, because a view may report from another thread. */
    private final Set<Demotion> noticed =
            Collections.synchronizedSet(EnumSet.noneOf(Demotion.class));

    private final LanguageReads languages = new LanguageReads();
    private final List<Consumer<HttpServletResponse>> beforeCommit = new ArrayList<>(0);

    private String handler = NO_HANDLER;
    private @Nullable HttpServletResponse response;
    private @Nullable FragmentPolicy ofRule;
    private @Nullable FragmentPolicy annotated;
    private @Nullable ResponseTerms terms;
    private @Nullable FragmentPolicy policy;
    private @Nullable VariantChoice variant;
    private @Nullable Demotion demotion;
    private FragmentObserver.@Nullable Rendering rendering;
    private boolean plainUrls;
    private boolean privatePart;
    private boolean handled;
    private boolean choosingVariant;
    private volatile @Nullable Consumer<Demotion> afterPublicHead;
    private volatile boolean brokenOff;
    private volatile boolean tags;
    private volatile @Nullable String obstacleToTags;
    private volatile long doneOnThread = NO_THREAD;

    /**
     * Starts an exchange.
     *
     * @param surrogate whether a trusted surrogate in front, or the page in this application that
     *     includes this fragment, assembles the response
     * @param errorDispatch whether this is the container's error dispatch
     * @param sessionOfPage whether this is a fragment of a page that already has a session
     */
    public GuardedExchange(boolean surrogate, boolean errorDispatch, boolean sessionOfPage) {
        this.surrogate = surrogate;
        this.errorDispatch = errorDispatch;
        this.sessionOfPage = sessionOfPage;
    }

    /** Returns the exchange of {@code request}, or null if our filter did not see it. */
    public static @Nullable GuardedExchange of(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof GuardedExchange exchange
                ? exchange
                : null;
    }

    /** Returns the exchange of {@code request}, or null for an included part of a response. */
    public static @Nullable GuardedExchange ofWhole(ServletRequest request) {
        return request.getDispatcherType() == DispatcherType.INCLUDE ? null : of(request);
    }

    /** Returns the exchange of the current thread, or null if Spring knows no request. */
    public static @Nullable GuardedExchange current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known
                ? of(known.getRequest())
                : null;
    }

    public void answerWith(HttpServletResponse guarded) {
        response = guarded;
    }

    /** Returns the response of this exchange, across the dispatches of an asynchronous request. */
    public HttpServletResponse response() {
        if (response == null) {
            throw new IllegalStateException("resumed an exchange that was not started");
        }
        return response;
    }

    public boolean hasSurrogate() {
        return surrogate;
    }

    public boolean isErrorDispatch() {
        return errorDispatch;
    }

    /**
     * Whether the session existed before this response started, because the page assembled here has
     * it. A new one was then not created by the fragment.
     */
    public boolean hasSessionOfPage() {
        return sessionOfPage;
    }

    /** Runs {@code work} before the head of the response is sent. */
    void beforeCommit(Consumer<HttpServletResponse> work) {
        beforeCommit.add(work);
    }

    /** Called before the head of {@code response} is decided. */
    public void commits(HttpServletResponse response) {
        beforeCommit.forEach(work -> work.accept(response));
        beforeCommit.clear();
    }

    /** Called when the handler sets or removes the field {@code name}. */
    public void fieldSet(String name, boolean present) {
        if (present) {
            fieldsOfHandler.add(name);
        } else {
            fieldsOfHandler.remove(name);
        }
    }

    /**
     * Whether the handler set the field {@code name}. Otherwise it may come from Spring Security,
     * which writes its fields as soon as an asynchronous handler releases its thread.
     */
    public boolean hasFieldOfHandler(String name) {
        return fieldsOfHandler.contains(name);
    }

    /** Called when the handler resets the response. */
    public void reset() {
        fieldsOfHandler.clear();
    }

    /**
     * Sets the handler. A forward sets a second one: its policy applies if it has one, but a
     * private response stays private.
     */
    public void handledBy(HandlerMethod method, Optional<FragmentPolicy> found) {
        handler = method.getBeanType().getName() + "#" + method.getMethod().getName();
        boolean wasPrivate = handled && policy != null && policy.isPrivate();
        if (found.isPresent() && !wasPrivate) {
            annotated = found.get();
            decidePolicy();
        }
    }

    /**
     * Called when an included handler writes a part of the response. Its policy does not apply to
     * the whole, except that a private part makes the whole private.
     */
    public void includes(Optional<FragmentPolicy> part) {
        privatePart |= part.isPresent() && part.get().isPrivate();
    }

    /** Applies a rule for the path; {@code variables} are the values of its pattern. */
    public void ruledBy(FragmentPolicy rule, Map<String, String> variables) {
        ofRule = rule;
        if (rule.needsArguments()) {
            arguments.putAll(variables);
        }
        decidePolicy();
    }

    /**
     * Returns the policy set by code.
     *
     * @param request supplies the request for the terms, if there are none yet
     */
    public ResponseTerms terms(Supplier<ServletWebRequest> request) {
        if (terms == null) {
            terms = new ResponseTerms(request.get(), this);
        }
        return terms;
    }

    /** Called when code changes the policy. */
    public void termsSaid() {
        decidePolicy();
    }

    /** Whether the handler is annotated as a private fragment. */
    public boolean isPrivateFragment() {
        return annotated != null
                && annotated.isPrivate()
                && !annotated.isNeverEsi()
                && annotated.kind() == FragmentPolicy.Kind.FRAGMENT;
    }

    /** Whether code made the response private, or a private part was included. */
    public boolean isPrivateOnly() {
        return privatePart || (terms != null && terms.isPrivateOnly());
    }

    /** Whether code set an invalid tag. */
    public boolean hasUnusableTag() {
        return terms != null && terms.hasUnusableTag();
    }

    /** Whether code set a lifetime for this error response. */
    public boolean keepsFailure() {
        return terms != null && terms.keepsFailure(errorDispatch);
    }

    private void decidePolicy() {
        var declared = annotated != null ? annotated : ofRule;
        policy = terms == null ? declared : terms.over(declared);
        if (policy != null && policy.isPage()) {
            tags = true;
        }
    }

    /**
     * Called when the response is made for one of several variants; a forward adds its variants.
     */
    public void variesBy(VariantChoice choice) {
        variant = variant == null ? choice : variant.and(choice);
    }

    /** Returns the variant of the response, if the handler declares variants. */
    public Optional<VariantChoice> variant() {
        return Optional.ofNullable(variant);
    }

    /**
     * Returns the result of {@code reading}, which chooses a variant or is Spring's own; its reads
     * do not count as reads by the handler.
     */
    public <T extends @Nullable Object> T unnoticed(Supplier<T> reading) {
        choosingVariant = true;
        try {
            return reading.get();
        } finally {
            choosingVariant = false;
        }
    }

    /** Starts {@code observer} for the response, once its policy is known. */
    public void observedBy(FragmentObserver observer) {
        if (policy != null && rendering == null) {
            rendering = observer.begins(policy);
        }
    }

    /** Called when the response is complete or has failed. */
    public void ended(boolean failed) {
        // a child thread may keep what this request has watched
        afterPublicHead = null;
        if (rendering != null) {
            rendering.ends(this, failed);
            rendering = null;
        }
    }

    /** Called when the guard makes the response private. */
    public void demoted(Demotion reason) {
        demotion = reason;
    }

    /** Returns why the guard made the response private, if it did. */
    public Optional<Demotion> demotion() {
        return Optional.ofNullable(demotion);
    }

    /**
     * Called before handler and view of Spring run. Filters and the servlet have read until here,
     * which does not count, unless other code has had the request before.
     *
     * @param isFirst whether the container sent the request here, not other code of the application
     */
    public void handlingBegins(boolean isFirst) {
        if (isFirst && !handled) {
            noticed.removeAll(READS);
            languages.forget();
        }
        handled = true;
        doneOnThread = NO_THREAD;
    }

    /** Called when application code goes on asynchronously, perhaps on this thread of a pool. */
    public void handlingResumes() {
        doneOnThread = NO_THREAD;
    }

    /**
     * Called when servlet, handler and view are done on this thread: reads by Spring itself for its
     * events do not count, nor do those of outer filters.
     */
    public void handlingEnds() {
        doneOnThread = Thread.currentThread().threadId();
    }

    /**
     * Whether reads on this thread count as reads by handler or view: all inside our filter, since
     * any servlet may respond.
     */
    public boolean isHandling() {
        return !choosingVariant && Thread.currentThread().threadId() != doneOnThread;
    }

    public String handler() {
        return handler;
    }

    public Optional<FragmentPolicy> policy() {
        return Optional.ofNullable(policy);
    }

    public void argument(String name, @Nullable Object value) {
        if (policy != null && policy.needsArguments()) {
            arguments.put(name, value);
        }
    }

    public Map<String, @Nullable Object> arguments() {
        return arguments;
    }

    /**
     * Marks the response as unable to carry further tags, after its head was decided.
     *
     * @param obstacle the reason and the remedy
     */
    public void refuseTags(String obstacle) {
        obstacleToTags = obstacle;
    }

    public static IllegalStateException refused(String handler, String obstacle) {
        return new IllegalStateException(
                "the response of %s has ESI tags, but %s".formatted(handler, obstacle));
    }

    /**
     * Called when the starter writes an ESI tag.
     *
     * @throws IllegalStateException if the response cannot carry tags
     */
    public void tagWritten() {
        if (obstacleToTags != null) {
            throw refused(handler, obstacleToTags);
        }
        tags = true;
    }

    public boolean hasTags() {
        return tags && !isNeverEsi();
    }

    /** Whether stamped tags were written, even if the response is not an ESI document. */
    public boolean hasStamps() {
        return tags;
    }

    /** Whether stamped tags were written in the response to {@code request}. */
    public static boolean hasStamps(ServletRequest request) {
        var exchange = of(request);
        return exchange != null && exchange.hasStamps();
    }

    /** Whether the response must not be an ESI document, whatever its content. */
    public boolean isNeverEsi() {
        return policy != null && policy.isNeverEsi();
    }

    /** Records a reason to make the response private, subject to the guard's settings. */
    public void noticed(Demotion reason) {
        noticed.add(reason);
        var late = afterPublicHead;
        if (late != null) {
            late.accept(reason);
        }
    }

    /** Called when the response breaks off: nothing may be written any more. */
    public void breakOff() {
        brokenOff = true;
    }

    public boolean isBrokenOff() {
        return brokenOff;
    }

    /**
     * Called when the head was decided as public before the body is complete: {@code late} receives
     * each reason found afterwards, on the thread that causes it. It also receives those that are
     * known already: another thread may have added one since the decision.
     */
    public void publicHeadSent(Consumer<Demotion> late) {
        afterPublicHead = late;
        noticed().forEach(late);
    }

    /** Returns the recorded reasons; a copy. */
    public EnumSet<Demotion> noticed() {
        var copy = EnumSet.noneOf(Demotion.class);
        synchronized (noticed) {
            copy.addAll(noticed);
        }
        return copy;
    }

    /** Called when the user is read; counts while handler and view run. */
    public void principalRead() {
        if (isHandling()) {
            noticed(Demotion.PRINCIPAL_READ);
        }
    }

    /** Whether reads of the language on this thread are recorded. */
    public boolean countsLanguage() {
        return languages.isWatched() && (choosingVariant || isHandling());
    }

    /** Called when the language resolved for the reader is read, described by {@code what}. */
    public void languageAsked(String what) {
        if (choosingVariant) {
            languages.readForVariant();
        } else if (isHandling() && languages.add(what)) {
            noticed(Demotion.LANGUAGE_READ);
        }
    }

    /** The same for a language that is read from {@code field} of the request. */
    public void languageAsked(String what, String field) {
        if (choosingVariant) {
            languages.readForVariant();
        } else if (isHandling() && languages.add(what, field)) {
            noticed(Demotion.LANGUAGE_READ);
        }
    }

    public LanguageReads languageReads() {
        return languages;
    }

    /** Whether URLs are left without the container's session id. */
    public boolean wantsPlainUrls() {
        return plainUrls;
    }

    public void wantPlainUrls(boolean plain) {
        plainUrls = plain;
    }
}
