package dev.quire.spring;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.VariableRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the application behaves towards surrogates.
 *
 * @param enabled whether any of this is active
 * @param trustedProxies addresses or CIDR blocks whose Surrogate-Capability field is believed
 * @param contentTypes media types of responses that may be ESI documents; application/json has to
 *     be added by whoever wants tags in JSON
 * @param fallback assembly inside the application when no surrogate is in front
 * @param headers fields written for the surrogate
 * @param guard the check that keeps private responses out of shared caches
 * @param rules policies by path, for what has no annotation; the first whose path fits counts
 */
@ConfigurationProperties("quire")
public record QuireProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue({"127.0.0.0/8", "::1/128"}) List<String> trustedProxies,
        @DefaultValue({
                    "text/html",
                    "application/xhtml+xml",
                    "text/xml",
                    "application/xml",
                    "text/plain"
                })
                List<String> contentTypes,
        @DefaultValue Fallback fallback,
        @DefaultValue Headers headers,
        @DefaultValue Guard guard,
        @DefaultValue List<Rule> rules) {

    private static final Pattern MEDIA_TYPE =
            Pattern.compile("[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+");

    public QuireProperties {
        trustedProxies = List.copyOf(trustedProxies);
        contentTypes = List.copyOf(contentTypes);
        rules = List.copyOf(rules);
        for (var type : contentTypes) {
            if (!MEDIA_TYPE.matcher(type).matches()) {
                throw new IllegalArgumentException(
                        "quire.content-types: '%s' is not a media type (expected for example text/html)"
                                .formatted(type));
            }
        }
    }

    /**
     * Assembly inside the application when no surrogate is in front. The language is the proxy's;
     * what its configuration says below {@code esi} is said here once more.
     *
     * @param mode how fragments are fetched, or off to send pages with their tags
     * @param timeout how long a fragment is waited for whose include does not say
     * @param maxDepth most levels of fragments inside fragments; deeper ones are left out
     * @param buffer most that is held of one page and its fragments; a larger page is an error
     * @param maxIncludes most fragments of one page, those of all levels together; the rest is left
     *     out
     * @param onError what becomes of a page with a failed include that does not say so itself
     * @param dialect how a backslash in front of a dollar sign, or of anything, is read
     * @param escape whether angle brackets in values that come from the request are written as
     *     character references
     * @param strict whether a document with tags that cannot be read as written fails, with a list
     *     of all of them, which suits development
     * @param decodeQuery whether values of the variable QUERY_STRING are percent-decoded
     * @param deniedCookies cookies that no page may write, as patterns in which * stands for
     *     anything, in any case; if not set, session identifiers, tokens and logins
     * @param variables values of variables of your own, by name
     */
    public record Fallback(
            @DefaultValue("dispatch") Fallback.Mode mode,
            @DefaultValue("10s") Duration timeout,
            @DefaultValue("10") int maxDepth,
            @DefaultValue("8MB") DataSize buffer,
            @DefaultValue("256") int maxIncludes,
            @DefaultValue("omit") ErrorPolicy onError,
            @DefaultValue("standard") Dialect dialect,
            @DefaultValue("html") Escaping escape,
            @DefaultValue("false") boolean strict,
            @DefaultValue("false") boolean decodeQuery,
            @Nullable List<String> deniedCookies,
            @DefaultValue Map<String, String> variables) {

        private static final Pattern VARIABLE = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,255}");

        public Fallback {
            if (buffer.toBytes() < 1 || buffer.toBytes() > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException(
                        "quire.fallback.buffer: %s is out of range (expected 1B to 2047MB)"
                                .formatted(buffer));
            }
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException(
                        "quire.fallback.timeout: %s is out of range (expected more than 0s, for example 10s)"
                                .formatted(timeout));
            }
            if (maxDepth < 1 || maxDepth > 100) {
                throw new IllegalArgumentException(
                        "quire.fallback.max-depth: %d is out of range (expected 1 to 100)"
                                .formatted(maxDepth));
            }
            if (maxIncludes < 0) {
                throw new IllegalArgumentException(
                        "quire.fallback.max-includes: %d is out of range (expected 0 or more)"
                                .formatted(maxIncludes));
            }
            deniedCookies =
                    deniedCookies == null
                            ? VariableRules.DENIED_COOKIES
                            : List.copyOf(deniedCookies);
            if (deniedCookies.contains("")) {
                throw new IllegalArgumentException(
                        "quire.fallback.denied-cookies: contains an empty name (expected a name such as JSESSIONID, or a pattern such as *token*)");
            }
            variables = Map.copyOf(variables);
            for (var name : variables.keySet()) {
                if (!VARIABLE.matcher(name).matches()) {
                    throw new IllegalArgumentException(
                            "quire.fallback.variables: '%s' is not a variable name (expected a letter, then letters, digits and underscores)"
                                    .formatted(name));
                }
            }
        }

        @Override
        public List<String> deniedCookies() {
            return Objects.requireNonNull(deniedCookies);
        }

        /** How fragments are fetched. */
        public enum Mode {
            /** By the container's own dispatch, one after the other. */
            DISPATCH,
            /**
             * Over HTTP from the application itself, side by side. By dispatch where its plain HTTP
             * port is not known, or half of its threads wait for fragments already.
             */
            LOOPBACK,
            /** As loopback if there is more than one to fetch at a time, else by dispatch. */
            AUTO,
            /** Not at all: pages leave with their tags. */
            OFF
        }

        /** How values that come from the request are written into a page. */
        public enum Escaping {
            /** With angle brackets as character references. */
            HTML,
            /** As they are: only for pages that escape everything themselves. */
            NONE
        }
    }

    /**
     * Fields written for the surrogate.
     *
     * @param mode whether the surrogate's times are also written into Cache-Control, for caches
     *     that do not know Surrogate-Control
     * @param tagHeader fields that carry the tags; Cache-Tag parts them by commas, any other by
     *     blanks
     * @param tagLimit most that the tags of one response may take; with more it is not stored
     * @param cacheGroups whether tags are also written as Cache-Groups (RFC 9875)
     */
    public record Headers(
            @DefaultValue("standard") Headers.Mode mode,
            @DefaultValue("Surrogate-Key") List<String> tagHeader,
            @DefaultValue("16KB") DataSize tagLimit,
            @DefaultValue("false") boolean cacheGroups) {

        public Headers {
            tagHeader = List.copyOf(tagHeader);
            for (var field : tagHeader) {
                if (!field.matches("[A-Za-z0-9-]+")) {
                    throw new IllegalArgumentException(
                            "quire.headers.tag-header: '%s' is not a field name (expected for example Surrogate-Key)"
                                    .formatted(field));
                }
            }
            if (tagLimit.isNegative()) {
                throw new IllegalArgumentException(
                        "quire.headers.tag-limit: %s is negative (expected for example 16KB)"
                                .formatted(tagLimit));
            }
        }

        /** For which caches fields are written. */
        public enum Mode {
            /** For those that know Surrogate-Control. */
            STANDARD,
            /** For others too: with s-maxage and stale-while-revalidate in Cache-Control. */
            PORTABLE
        }
    }

    /**
     * The check that keeps private responses out of shared caches.
     *
     * @param mode whether a response that cannot be public is made private, or refused, which suits
     *     tests
     * @param authenticated what to do when a public handler or its view asks who the user is
     * @param session what to do when a public handler or its view reads an existing session; what
     *     Spring itself keeps there, such as the locale, does not count
     * @param cookies what to do when a public handler or its view reads cookies; the locale's own
     *     does not count
     * @param debug whether the reason is shown in the field X-Quire-Guard
     */
    public record Guard(
            @DefaultValue("demote") Guard.Mode mode,
            @DefaultValue("demote") OnRead authenticated,
            @DefaultValue("demote") OnRead session,
            @DefaultValue("demote") OnRead cookies,
            @DefaultValue("false") boolean debug) {

        /** What becomes of a response that cannot be as public as declared. */
        public enum Mode {
            /** It is made private. */
            DEMOTE,
            /** It fails. */
            STRICT
        }

        /** What becomes of a public response whose handler or view reads what is one user's. */
        public enum OnRead {
            /** It is made private. */
            DEMOTE,
            /** It stays public, with a warning in the log. */
            WARN,
            /** It stays public. */
            OFF
        }
    }

    /**
     * A policy for the responses at some paths.
     *
     * @param path pattern of the paths, within the application: /images/**, /articles/{aid}
     * @param ttl how long a response is fresh, in whole seconds
     * @param stale how long after that it may be served while it is fetched anew; the surrogate's
     *     own if absent
     * @param staleIfError how long it may be served when fetching it fails; the surrogate's own if
     *     absent
     * @param browser Cache-Control towards the client
     * @param scope whom the responses are for
     * @param tags names to purge them by; templates may use the variables of the path
     */
    public record Rule(
            @DefaultValue("") String path,
            @DefaultValue("0s") Duration ttl,
            @Nullable Duration stale,
            @Nullable Duration staleIfError,
            @DefaultValue("no-cache") String browser,
            @DefaultValue("public") EsiFragment.Scope scope,
            @DefaultValue List<String> tags) {

        public Rule {
            tags = List.copyOf(tags);
        }
    }
}
