package dev.quire.spring;

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
 * What is known of one request while it is answered. Several threads may work on it one after the
 * other, handed over by the container; only the facts a view may report from a thread of its own
 * are safe for all threads.
 */
final class Exchange {

    /** The request attribute that holds the exchange. */
    static final String ATTRIBUTE = Exchange.class.getName();

    /** The name for what no annotated handler answers. */
    static final String NO_HANDLER = "a response without handler method";

    /** Thread ids begin at 1. */
    private static final long NO_THREAD = 0;

    private final boolean surrogate;
    private final boolean errorDispatch;
    private final boolean sessionOfPage;
    private final Map<String, @Nullable Object> arguments = new HashMap<>();
    private final Set<String> fieldsOfHandler = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /** A view may report from a thread of its own. */
    private final Set<Demotion> noticed =
            Collections.synchronizedSet(EnumSet.noneOf(Demotion.class));

    private final List<Consumer<HttpServletResponse>> beforeCommit = new ArrayList<>(0);

    private String handler = NO_HANDLER;
    private @Nullable GuardedResponse response;
    private @Nullable FragmentPolicy ofRule;
    private @Nullable FragmentPolicy annotated;
    private @Nullable ResponseTerms terms;
    private @Nullable FragmentPolicy policy;
    private @Nullable VariantChoice variant;
    private @Nullable Demotion demotion;
    private FragmentObserver.@Nullable Rendering rendering;
    private boolean plainUrls;
    private boolean privatePart;
    private boolean handling;
    private volatile boolean tags;
    private volatile @Nullable String obstacleToTags;
    private volatile long doneOnThread = NO_THREAD;

    /**
     * Begins an exchange.
     *
     * @param surrogate whether somebody in front assembles what we write
     * @param errorDispatch whether the container asks for an error page
     * @param sessionOfPage whether this is a fragment of a page that has a session already
     */
    Exchange(boolean surrogate, boolean errorDispatch, boolean sessionOfPage) {
        this.surrogate = surrogate;
        this.errorDispatch = errorDispatch;
        this.sessionOfPage = sessionOfPage;
    }

    /** The exchange {@code request} belongs to, or null when our filter has not seen it. */
    static @Nullable Exchange of(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Exchange exchange ? exchange : null;
    }

    /** The same, unless {@code request} is for a part that another handler includes. */
    static @Nullable Exchange ofWhole(ServletRequest request) {
        return request.getDispatcherType() == DispatcherType.INCLUDE ? null : of(request);
    }

    /** The exchange this thread works on, or null when Spring knows of none. */
    static @Nullable Exchange current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known
                ? of(known.getRequest())
                : null;
    }

    void answerWith(GuardedResponse guarded) {
        response = guarded;
    }

    /** The response of this exchange, across the dispatches of an asynchronous request. */
    GuardedResponse response() {
        if (response == null) {
            throw new IllegalStateException("resumed an exchange that was not started");
        }
        return response;
    }

    boolean hasSurrogate() {
        return surrogate;
    }

    boolean isErrorDispatch() {
        return errorDispatch;
    }

    /**
     * Whether the session was there before this response began, because a page that is assembled
     * here has it, perhaps new: that is not the fragment's doing.
     */
    boolean hasSessionOfPage() {
        return sessionOfPage;
    }

    /** Has {@code work} done before the head of the response goes out. */
    void beforeCommit(Consumer<HttpServletResponse> work) {
        beforeCommit.add(work);
    }

    /** The head of {@code response} is about to be decided. */
    void commits(HttpServletResponse response) {
        beforeCommit.forEach(work -> work.accept(response));
        beforeCommit.clear();
    }

    /** The handler itself has set the field {@code name}, or removed it. */
    void fieldSet(String name, boolean present) {
        if (present) {
            fieldsOfHandler.add(name);
        } else {
            fieldsOfHandler.remove(name);
        }
    }

    /**
     * Whether the field {@code name} is the handler's own. One that is not may come from Spring
     * Security, which writes its fields as soon as an asynchronous handler has let go of its
     * thread.
     */
    boolean hasFieldOfHandler(String name) {
        return fieldsOfHandler.contains(name);
    }

    /** The handler has taken back all it said. */
    void reset() {
        fieldsOfHandler.clear();
    }

    /**
     * Names the handler that answers. After a forward there is a second one: its policy counts if
     * it has one, but what was private stays so.
     */
    void handledBy(HandlerMethod method, Optional<FragmentPolicy> found) {
        handler = method.getBeanType().getName() + "#" + method.getMethod().getName();
        boolean wasPrivate = handling && policy != null && policy.isPrivate();
        if (found.isPresent() && !wasPrivate) {
            annotated = found.get();
            decidePolicy();
        }
    }

    /**
     * Another handler writes a part of the response. What it says is not about the whole, but what
     * is private in a part is so in the whole.
     */
    void includes(Optional<FragmentPolicy> part) {
        privatePart |= part.isPresent() && part.get().isPrivate();
    }

    /** A rule names the path; {@code variables} are what its pattern has found there. */
    void ruledBy(FragmentPolicy rule, Map<String, String> variables) {
        ofRule = rule;
        if (rule.needsArguments()) {
            arguments.putAll(variables);
        }
        decidePolicy();
    }

    /**
     * What code says about the response.
     *
     * @param request makes the request Spring handles, if there is none yet
     */
    ResponseTerms terms(Supplier<ServletWebRequest> request) {
        if (terms == null) {
            terms = new ResponseTerms(request.get(), this);
        }
        return terms;
    }

    /** Code has said something about the response. */
    void termsSaid() {
        decidePolicy();
    }

    /** Whether code has said that the response is for the one who asked, or has included such. */
    boolean isPrivateOnly() {
        return privatePart || (terms != null && terms.isPrivateOnly());
    }

    /** Whether code has said a tag that can be none. */
    boolean hasUnusableTag() {
        return terms != null && terms.hasUnusableTag();
    }

    /** Whether code has said how long this error may be kept. */
    boolean keepsFailure() {
        return terms != null && terms.keepsFailure(errorDispatch);
    }

    private void decidePolicy() {
        policy = Precedence.inForce(terms, annotated, ofRule);
        if (policy != null && policy.isPage()) {
            tags = true;
        }
    }

    /**
     * The response differs between groups of readers, and is made for one of them; a forward adds
     * to it.
     */
    void variesBy(VariantChoice choice) {
        variant = variant == null ? choice : variant.and(choice);
    }

    /** Which variant is made, if the handler declares some. */
    Optional<VariantChoice> variant() {
        return Optional.ofNullable(variant);
    }

    /** What {@code reading} finds; what it reads says nothing about the response. */
    <T> T unnoticed(Supplier<T> reading) {
        boolean was = handling;
        handling = false;
        try {
            return reading.get();
        } finally {
            handling = was;
        }
    }

    /** Its policy is known, and {@code observer} may watch what is made under it. */
    void observedBy(FragmentObserver observer) {
        if (policy != null && rendering == null) {
            rendering = observer.begins(policy);
        }
    }

    /** The response is written, or failed: nobody works on it any more. */
    void ended(boolean failed) {
        if (rendering != null) {
            rendering.ends(this, failed);
            rendering = null;
        }
    }

    /** The guard has made the response private. */
    void demoted(Demotion reason) {
        demotion = reason;
    }

    /** Why the guard has made the response private; empty when it has not. */
    Optional<Demotion> demotion() {
        return Optional.ofNullable(demotion);
    }

    /** Handler and view are at work from now on: what they read makes the response. */
    void handlingBegins() {
        handling = true;
        doneOnThread = NO_THREAD;
    }

    /**
     * Handler and view are done, as far as this thread is concerned: what Spring itself reads for
     * its events does not count.
     */
    void handlingEnds() {
        doneOnThread = Thread.currentThread().threadId();
    }

    /** Whether what is read on this thread now makes the response. */
    boolean isHandling() {
        return handling && Thread.currentThread().threadId() != doneOnThread;
    }

    String handler() {
        return handler;
    }

    Optional<FragmentPolicy> policy() {
        return Optional.ofNullable(policy);
    }

    void argument(String name, @Nullable Object value) {
        if (policy != null && policy.needsArguments()) {
            arguments.put(name, value);
        }
    }

    Map<String, @Nullable Object> arguments() {
        return arguments;
    }

    /**
     * The head is out, and says that tags can no more be written.
     *
     * @param obstacle why, and what to do
     */
    void cannotBear(String obstacle) {
        obstacleToTags = obstacle;
    }

    static IllegalStateException cannotBearTags(String handler, String obstacle) {
        return new IllegalStateException(
                "the response of %s has ESI tags, but %s".formatted(handler, obstacle));
    }

    /**
     * An ESI tag has been written by us.
     *
     * @throws IllegalStateException if the response that is on its way cannot bear any
     */
    void tagWritten() {
        if (obstacleToTags != null) {
            throw cannotBearTags(handler, obstacleToTags);
        }
        tags = true;
    }

    boolean hasTags() {
        return tags && !isNeverEsi();
    }

    /** Whether tags have been written that bear stamps, document or not. */
    boolean hasStamps() {
        return tags;
    }

    /** Whether the body is no ESI document, whatever is in it. */
    boolean isNeverEsi() {
        return policy != null && policy.isNeverEsi();
    }

    /** Something was seen that makes the response private unless the guard is told otherwise. */
    void noticed(Demotion reason) {
        noticed.add(reason);
    }

    /** What was seen so far; a copy. */
    EnumSet<Demotion> noticed() {
        var copy = EnumSet.noneOf(Demotion.class);
        synchronized (noticed) {
            copy.addAll(noticed);
        }
        return copy;
    }

    /** The user is asked for; counted while handler and view are at work. */
    void principalRead() {
        if (isHandling()) {
            noticed(Demotion.PRINCIPAL_READ);
        }
    }

    /** Whether URLs are to be left as they are, without the container's session id. */
    boolean wantsPlainUrls() {
        return plainUrls;
    }

    void wantPlainUrls(boolean plain) {
        plainUrls = plain;
    }
}
