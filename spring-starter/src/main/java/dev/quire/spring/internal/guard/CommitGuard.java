package dev.quire.spring.internal.guard;

import dev.quire.core.policy.ResponseFields;
import dev.quire.core.policy.SignedVariant;
import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.FragmentMarkers;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.VariantChoice;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.fields.SurrogateFields;
import dev.quire.spring.internal.settings.QuireProperties;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Writes the caching fields of a response when it commits. Only then is it known whether the
 * handler failed, a session was created or read, or a token was rendered. It makes a response more
 * private than its policy, never less. Shared by all requests; its only state is the set of logged
 * warnings.
 */
public final class CommitGuard {

    static final String CONTENT = "content=\"ESI/1.0\"";
    static final String REASON = "X-Quire-Guard";

    /** A stamp that no tag has, so that no tag runs even where every document is parsed. */
    private static final String INERT = "no-store, stamp=\"none\"";

    private static final Pattern NO_TIME = Pattern.compile("[\\s\"]*0+[\\s\"]*(;.*)?");

    private static final String CACHE_GROUPS = "Cache-Groups";

    private static final List<String> FORGOTTEN =
            List.of(
                    SurrogateFields.CONTROL,
                    "CDN-Cache-Control",
                    "Expires",
                    "Pragma",
                    CACHE_GROUPS);

    /** The reasons that apply to a response without a policy that declares itself public. */
    private static final Set<Demotion> LEAKS =
            EnumSet.of(Demotion.SESSION_ID_IN_URL, Demotion.CSRF_TOKEN, Demotion.PRINCIPAL_READ);

    private static final Logger log = LoggerFactory.getLogger(CommitGuard.class);

    private final QuireProperties properties;
    private final Documents documents;
    private final GuardHits hits;
    private final @Nullable FragmentMarkers markers;
    private final ReadRules reads;
    private final LateReads lateReads;
    private final LostSessions lostSessions;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /**
     * A guard.
     *
     * @param hits counts the responses made private
     * @param markers writes comments around fragments; null if disabled
     * @param invalidation drops the responses that surrogates have stored for a URL
     */
    public CommitGuard(
            QuireProperties properties,
            Documents documents,
            GuardHits hits,
            @Nullable FragmentMarkers markers,
            Consumer<URI> invalidation) {
        this.reads = new ReadRules(properties.guard());
        this.lateReads = new LateReads(properties.guard().hold(), hits, invalidation);
        this.lostSessions =
                new LostSessions(properties.guard().mode() == QuireProperties.Guard.Mode.STRICT);
        this.properties = properties;
        this.markers = markers;
        this.hits = hits;
        this.documents = documents;
    }

    /**
     * Writes the fields.
     *
     * @return whether caches may store the response for several users
     * @throws IllegalStateException in strict mode, for a demotion that is a programming error
     */
    boolean decide(
            GuardedExchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            int status) {
        exchange.commits(response);
        lostSessions.refuse(exchange, request, response);
        boolean esi =
                (exchange.hasTags() || Documents.asksForEsi(response))
                        && !exchange.isNeverEsi()
                        && documents.mayHoldTags(response.getContentType());
        var policy = exchange.policy().orElse(null);
        boolean isPublic = false;
        if (exchange.isPrivateOnly() || (policy != null && policy.isPrivate())) {
            keepPrivate(response, esi);
        } else if (policy == null) {
            var leak = leakOfHandler(exchange, request, response).orElse(null);
            if (leak != null) {
                note(exchange.handler(), leak, exchange);
                keepPrivate(response, esi);
                if (properties.guard().debug()) {
                    response.setHeader(REASON, leak.token());
                }
            } else {
                isPublic = callsItselfPublic(exchange, response);
                if (esi) {
                    announce(response, cacheControlOfHandler(exchange, response));
                }
            }
        } else {
            isPublic = guard(policy, exchange, request, response, status, esi);
        }
        if (esi) {
            varyOnCapability(response);
        } else if (exchange.isNeverEsi() && exchange.hasSurrogate()) {
            response.setHeader(SurrogateFields.CONTROL, INERT);
        }
        return isPublic;
    }

    /** Whether the response will be public if nothing else happens. */
    static boolean isMeantPublic(GuardedExchange exchange, HttpServletResponse response) {
        if (exchange.isPrivateOnly()) {
            return false;
        }
        return exchange.policy()
                .map(policy -> !policy.isPrivate())
                .orElseGet(() -> callsItselfPublic(exchange, response));
    }

    /** Whether {@code reason} breaks off a response whose head was sent as public. */
    boolean forbids(Demotion reason, GuardedExchange exchange, HttpServletResponse response) {
        boolean counts =
                reason == Demotion.LANGUAGE_READ
                        ? reads.countsLanguage(exchange, response, false)
                        : reads.counts(reason, exchange.handler());
        return counts && (exchange.policy().isPresent() || LEAKS.contains(reason));
    }

    LostSessions lostSessions() {
        return lostSessions;
    }

    LateReads lateReads() {
        return lateReads;
    }

    /**
     * Writes comments around a fragment that is {@code held} whole, if markers are enabled.
     *
     * @return whether comments were written
     */
    boolean mark(
            GuardedExchange exchange, HttpServletResponse response, ByteArrayOutputStream held) {
        var policy = exchange.policy().orElse(null);
        if (markers == null || policy == null) {
            return false;
        }
        var tags = tags(policy, exchange);
        return markers.mark(policy, tags == null ? List.of() : tags, response, held);
    }

    /** Removes the handler's caching fields: an error page replaces its response. */
    void failed(GuardedExchange exchange, HttpServletResponse response) {
        if (exchange.policy().isPresent()
                || cacheControlOfHandler(exchange, response) != null
                || response.containsHeader(SurrogateFields.CONTROL)) {
            forget(response);
            response.setHeader("Cache-Control", "no-store");
        }
    }

    /** Marks a page that was assembled in the application as private to its client. */
    void assembled(HttpServletResponse response) {
        forget(response);
        // Validators and digests describe the page with its tags, not the assembled one.
        for (var name : List.copyOf(response.getHeaderNames())) {
            if (!ResponseFields.survivesAssembly(name)) {
                response.setHeader(name, null);
            }
        }
        response.setHeader("Cache-Control", SurrogateFields.PRIVATE);
        varyOnCapability(response);
    }

    private boolean guard(
            FragmentPolicy policy,
            GuardedExchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            int status,
            boolean esi) {
        var own = cacheControlOfHandler(exchange, response);
        var tags = tags(policy, exchange);
        var reasons = reasons(exchange.noticed(), exchange, request, response, policy.handler());
        boolean keepsFailure = exchange.keepsFailure();
        add(reasons, Demotion.HANDLER_FAILED, !keepsFailure && failed(exchange, request));
        add(reasons, Demotion.ERROR_STATUS, !keepsFailure && status >= 400);
        add(reasons, Demotion.HANDLER_SAID_PRIVATE, isPrivate(own));
        add(reasons, Demotion.TAG_UNUSABLE, tags == null || exchange.hasUnusableTag());
        exchange.variant().flatMap(VariantChoice::demotion).ifPresent(reasons::add);
        add(reasons, Demotion.TAGS_TOO_LONG, tags != null && isTooLong(tags));
        if (reasons.isEmpty() && reads.countsLanguage(exchange, response, true)) {
            reasons.add(Demotion.LANGUAGE_READ);
        }
        var demotion = first(reasons).orElse(null);
        if (demotion != null) {
            noteDeclared(policy, demotion, exchange);
            if (demotion == Demotion.TAGS_TOO_LONG
                    && properties.headers().mode() == QuireProperties.Headers.Mode.STANDARD) {
                keepFromSurrogates(policy, own == null, exchange, response, esi);
            } else {
                keepPrivate(response, esi);
            }
            if (properties.guard().debug()) {
                response.setHeader(REASON, demotion.token());
            }
        } else if (tags != null) {
            if (own == null) {
                response.setHeader("Cache-Control", cacheControl(policy));
                removeStrangers(exchange, response);
            }
            publish(policy, tags, response, status, esi);
            if (exchange.variant().isPresent()) {
                Varying.by(SignedVariant.FIELD, response);
            }
            warnOfUselessVary(policy, response);
        }
        return demotion == null || demotion == Demotion.TAGS_TOO_LONG;
    }

    /**
     * Returns why a response that its handler declares public, without a policy, must be private;
     * empty if it may be public or is not declared so.
     */
    private Optional<Demotion> leakOfHandler(
            GuardedExchange exchange, HttpServletRequest request, HttpServletResponse response) {
        if (!callsItselfPublic(exchange, response)) {
            return Optional.empty();
        }
        var noticed = exchange.noticed();
        noticed.retainAll(LEAKS);
        var reasons = reasons(noticed, exchange, request, response, exchange.handler());
        // the fields of an error page are its own, not those of the handler that threw
        boolean handlerFailed = !exchange.isErrorDispatch() && failed(exchange, request);
        add(reasons, Demotion.HANDLER_FAILED, handlerFailed);
        return first(reasons);
    }

    /** Returns the reasons in {@code noticed} that apply, and those visible in any response. */
    private EnumSet<Demotion> reasons(
            EnumSet<Demotion> noticed,
            GuardedExchange exchange,
            HttpServletRequest request,
            HttpServletResponse response,
            String handler) {
        noticed.removeIf(reason -> !reads.counts(reason, handler));
        add(noticed, Demotion.SET_COOKIE, response.containsHeader("Set-Cookie"));
        add(noticed, Demotion.SESSION_CREATED, createdSession(exchange, request));
        return noticed;
    }

    private static void add(EnumSet<Demotion> reasons, Demotion reason, boolean holds) {
        if (holds) {
            reasons.add(reason);
        }
    }

    private static Optional<Demotion> first(EnumSet<Demotion> reasons) {
        return reasons.stream().findFirst();
    }

    private static boolean callsItselfPublic(
            GuardedExchange exchange, HttpServletResponse response) {
        for (var field : List.of("Cache-Control", SurrogateFields.CONTROL, "CDN-Cache-Control")) {
            if (response.containsHeader(field)
                    && isPublic(String.join(", ", response.getHeaders(field)))) {
                return true;
            }
        }
        return !response.containsHeader("Cache-Control") && exchange.hasFieldOfHandler("Expires");
    }

    private static boolean isPublic(String cacheControl) {
        if (isPrivate(cacheControl)) {
            return false;
        }
        for (var directive : StringUtils.tokenizeToStringArray(cacheControl, ",")) {
            int equals = directive.indexOf('=');
            var name = equals < 0 ? directive : directive.substring(0, equals);
            boolean isLifetime =
                    name.strip().equalsIgnoreCase("max-age")
                            || name.strip().equalsIgnoreCase("s-maxage");
            if (directive.equalsIgnoreCase("public")
                    || (isLifetime
                            && !NO_TIME.matcher(directive.substring(equals + 1)).matches())) {
                return true;
            }
        }
        return false;
    }

    private void publish(
            FragmentPolicy policy,
            List<String> tags,
            HttpServletResponse response,
            int status,
            boolean esi) {
        // a 304 has no body to check for tags; the stored field stays valid
        if (status != HttpServletResponse.SC_NOT_MODIFIED) {
            var said = response.getHeader(SurrogateFields.CONTROL);
            var directives = said == null ? policy.surrogateControl() : said;
            response.setHeader(SurrogateFields.CONTROL, esi ? withContent(directives) : directives);
        }
        if (tags.isEmpty()) {
            return;
        }
        for (var field : properties.headers().tagHeader()) {
            response.addHeader(field, String.join(separator(field), tags));
        }
        if (properties.headers().cacheGroups()) {
            response.addHeader(CACHE_GROUPS, groups(tags));
        }
    }

    private static String separator(String tagField) {
        return tagField.equalsIgnoreCase("Cache-Tag") ? "," : " ";
    }

    /** Returns a List of Strings (RFC 9875 §2, RFC 9651 §3.3.3). */
    private static String groups(List<String> tags) {
        var groups = new StringBuilder();
        for (var tag : tags) {
            groups.append(groups.isEmpty() ? "\"" : ", \"")
                    .append(tag.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return groups.toString();
    }

    private boolean isTooLong(List<String> tags) {
        long length = tags.size() - 1L;
        for (var tag : tags) {
            length += tag.length();
        }
        return length > properties.headers().tagLimit().toBytes();
    }

    /**
     * Returns {@code Cache-Control} for the client. For caches that do not know {@code
     * Surrogate-Control} it includes the surrogate's lifetimes: in {@code s-maxage}, which a bare
     * {@code no-cache} would defeat.
     */
    private String cacheControl(FragmentPolicy policy) {
        if (properties.headers().mode() == QuireProperties.Headers.Mode.STANDARD
                || isPrivate(policy.browser())) {
            return policy.browser();
        }
        var directives = new StringJoiner(", ");
        for (var directive : StringUtils.tokenizeToStringArray(policy.browser(), ",")) {
            directives.add(directive.equalsIgnoreCase("no-cache") ? "max-age=0" : directive);
        }
        directives.add("s-maxage=" + policy.ttl().toSeconds());
        policy.stale()
                .ifPresent(time -> directives.add("stale-while-revalidate=" + time.toSeconds()));
        policy.staleIfError()
                .ifPresent(time -> directives.add("stale-if-error=" + time.toSeconds()));
        return directives.toString();
    }

    private void noteDeclared(FragmentPolicy policy, Demotion demotion, GuardedExchange exchange) {
        note(policy.handler(), demotion, exchange);
        if (demotion.isProgrammingError()
                && properties.guard().mode() == QuireProperties.Guard.Mode.STRICT) {
            throw new IllegalStateException(
                    "%s is declared public, but %s"
                            .formatted(policy.handler(), demotion.because()));
        }
    }

    private void note(String handler, Demotion demotion, GuardedExchange exchange) {
        exchange.demoted(demotion);
        hits.add(handler, demotion);
        if (logged.add(handler + ' ' + demotion)) {
            log.warn(
                    "{} is declared public, but surrogates do not store it because {} (logged once)",
                    handler,
                    demotion.because());
        }
    }

    /**
     * Keeps the response out of surrogates, because it could not be purged if its tags do not fit
     * into the field. Client caching is unchanged: purges never reach clients. Only in standard
     * mode, since other caches do not know {@code Surrogate-Control}.
     */
    private void keepFromSurrogates(
            FragmentPolicy policy,
            boolean isSilent,
            GuardedExchange exchange,
            HttpServletResponse response,
            boolean esi) {
        forget(response);
        if (isSilent) {
            response.setHeader("Cache-Control", policy.browser());
            removeStrangers(exchange, response);
        }
        response.setHeader(SurrogateFields.CONTROL, esi ? "no-store, " + CONTENT : "no-store");
    }

    private void keepPrivate(HttpServletResponse response, boolean esi) {
        forget(response);
        response.setHeader("Cache-Control", SurrogateFields.PRIVATE);
        if (esi) {
            // if present, this field alone applies (RFC 9213 §2.2)
            response.setHeader(SurrogateFields.CONTROL, "no-store, " + CONTENT);
        }
    }

    /**
     * Announces the tags of a page whose handler sets no policy. Without {@code Cache-Control} of
     * the handler the page is not stored.
     */
    private static void announce(HttpServletResponse response, @Nullable String own) {
        var said = response.getHeader(SurrogateFields.CONTROL);
        if (said != null) {
            response.setHeader(SurrogateFields.CONTROL, withContent(said));
            return;
        }
        boolean open = own != null && !isPrivate(own);
        response.setHeader(SurrogateFields.CONTROL, open ? CONTENT : "no-store, " + CONTENT);
    }

    private static String withContent(String directives) {
        return directives.contains("content=") ? directives : directives + ", " + CONTENT;
    }

    private void forget(HttpServletResponse response) {
        FORGOTTEN.forEach(field -> remove(response, field));
        properties.headers().tagHeader().forEach(field -> remove(response, field));
    }

    private static void remove(HttpServletResponse response, String field) {
        if (response.containsHeader(field)) {
            response.setHeader(field, null);
        }
    }

    /** Removes the fields that Spring Security wrote with the replaced {@code Cache-Control}. */
    private static void removeStrangers(GuardedExchange exchange, HttpServletResponse response) {
        for (var field : List.of("Expires", "Pragma")) {
            if (response.containsHeader(field) && !exchange.hasFieldOfHandler(field)) {
                response.setHeader(field, null);
            }
        }
    }

    private static void varyOnCapability(HttpServletResponse response) {
        Varying.by(SurrogateFields.CAPABILITY, response);
    }

    private static @Nullable String cacheControlOfHandler(
            GuardedExchange exchange, HttpServletResponse response) {
        return exchange.hasFieldOfHandler("Cache-Control")
                ? String.join(", ", response.getHeaders("Cache-Control"))
                : null;
    }

    private static boolean isPrivate(@Nullable String cacheControl) {
        if (cacheControl == null) {
            return false;
        }
        for (var directive : StringUtils.tokenizeToStringArray(cacheControl, ",")) {
            var name = directive.toLowerCase(Locale.ROOT);
            // private="field" restricts one field only, but no surrogate here stores such a
            // response
            if (name.equals("no-store") || name.startsWith("private")) {
                return true;
            }
        }
        return false;
    }

    private static boolean failed(GuardedExchange exchange, HttpServletRequest request) {
        return exchange.isErrorDispatch()
                || request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE) != null
                || request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
    }

    private static boolean createdSession(GuardedExchange exchange, HttpServletRequest request) {
        if (exchange.hasSessionOfPage()) {
            return false;
        }
        var session = request.getSession(false);
        return session != null && session.isNew();
    }

    /** Warns about a {@code Vary} with which almost no request matches (RFC 9111 §4.1). */
    private void warnOfUselessVary(FragmentPolicy policy, HttpServletResponse response) {
        for (var name : Varying.names(response)) {
            if ((name.equals("*") || name.equalsIgnoreCase("Cookie"))
                    && logged.add(policy.handler() + " vary " + name.toLowerCase(Locale.ROOT))) {
                log.warn(
                        "{} is public, but sends Vary: {}, so almost no request matches the stored response (logged once)",
                        policy.handler(),
                        name);
            }
        }
    }

    /** Returns the tags of this response, or null if a template gave no valid tag. */
    private static @Nullable List<String> tags(FragmentPolicy policy, GuardedExchange exchange) {
        var tags = new ArrayList<String>(policy.tags().size());
        for (var template : policy.tags()) {
            var tag = template.tag(exchange.arguments());
            if (tag == null) {
                return null;
            }
            tags.add(tag);
        }
        return tags;
    }
}
