package dev.quire.spring.internal.settings;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.VariableRules;
import dev.quire.spring.EsiFragment;
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
 * Settings of the application's behaviour towards surrogates.
 *
 * @param enabled whether the starter is active
 * @param trustedProxies addresses or CIDR blocks whose Surrogate-Capability field is trusted
 * @param contentTypes media types of responses that may be ESI documents; add application/json for
 *     tags in JSON
 * @param fallback assembly in the application when no surrogate is in front
 * @param headers response fields for the surrogate
 * @param guard the check that keeps private responses out of shared caches
 * @param rules policies by path, for responses without an annotation; the first matching rule
 *     applies
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
     * Assembly in the application when no surrogate is in front. It supports the same language as
     * the proxy; its keys repeat those below {@code esi} in the proxy's configuration.
     *
     * @param mode how fragments are fetched, or off to send pages with their tags
     * @param timeout longest wait for a fragment whose include sets no timeout
     * @param maxDepth maximum nesting depth of fragments; deeper ones are omitted
     * @param buffer maximum bytes held for one page and its fragments; a larger page is an error
     * @param maxIncludes maximum number of fragments of one page, over all levels; further ones are
     *     omitted
     * @param onError whether a failed include without onerror is omitted or fails the page
     * @param dialect how backslashes are read: as an escape of a dollar sign only, or of any
     *     character
     * @param escape whether angle brackets in values from the request are written as character
     *     references
     * @param strict whether a document with malformed tags fails with a list of them; for
     *     development
     * @param decodeQuery whether values of the variable QUERY_STRING are percent-decoded
     * @param deniedCookies cookies that no page may write: case-insensitive patterns in which *
     *     matches anything; by default session identifiers, tokens and logins
     * @param variables values of custom variables, by name
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
            /** By dispatch inside the container, one after the other. */
            DISPATCH,
            /**
             * By HTTP requests to the application itself, in parallel. Falls back to dispatch if
             * its plain HTTP port is unknown or half of its threads already wait for fragments.
             */
            LOOPBACK,
            /** As loopback if more than one fragment is to be fetched, else by dispatch. */
            AUTO,
            /** Not at all: pages are sent with their tags. */
            OFF
        }

        /** How values from the request are written into a page. */
        public enum Escaping {
            /** With angle brackets as character references. */
            HTML,
            /** Unchanged: only for pages that escape everything themselves. */
            NONE
        }
    }

    /**
     * Response fields for the surrogate.
     *
     * @param mode whether the surrogate's lifetimes are also written into Cache-Control, for caches
     *     that do not know Surrogate-Control
     * @param tagHeader fields that carry the tags; comma-separated in Cache-Tag, space-separated in
     *     any other
     * @param tagLimit maximum length of the tags of one response; a response with longer tags is
     *     not stored
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

        /** The caches that the fields are written for. */
        public enum Mode {
            /** Caches that know Surrogate-Control. */
            STANDARD,
            /** Other caches too, with s-maxage and stale-while-revalidate in Cache-Control. */
            PORTABLE
        }
    }

    /**
     * The check that keeps private responses out of shared caches.
     *
     * @param mode whether a response that cannot be public is made private or fails; failing is for
     *     tests
     * @param authenticated action when a public handler or its view reads the user's identity
     * @param session action when a public handler or its view reads an existing session; data that
     *     Spring itself stores there, such as the locale, does not count
     * @param cookies action when a public handler or its view reads cookies; the locale cookie does
     *     not count
     * @param locale action when a public handler or its view asks for a message or a locale, and
     *     the response does not vary by the language
     * @param hold maximum bytes of a public response, of any type, that are held before its head is
     *     sent; what is read within them still counts. HTML and other ESI types are held up to
     *     quire.fallback.buffer
     * @param headers request fields that identify a user, in addition to Authorization, such as
     *     X-Forwarded-User: a public response whose handler or view reads one is made private
     * @param debug whether the response field X-Quire-Guard shows the reason
     */
    public record Guard(
            @DefaultValue("demote") Guard.Mode mode,
            @DefaultValue("demote") OnRead authenticated,
            @DefaultValue("demote") OnRead session,
            @DefaultValue("demote") OnRead cookies,
            @DefaultValue("warn") OnLocale locale,
            @DefaultValue("1MB") DataSize hold,
            @DefaultValue List<String> headers,
            @DefaultValue("false") boolean debug) {

        public Guard {
            headers = List.copyOf(headers);
            for (var field : headers) {
                if (!field.matches("[A-Za-z0-9-]+")) {
                    throw new IllegalArgumentException(
                            "quire.guard.headers: '%s' is not a field name (expected for example X-Forwarded-User)"
                                    .formatted(field));
                }
            }
            if (hold.isNegative() || hold.toBytes() > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException(
                        "quire.guard.hold: %s is out of range (expected 0B to 2047MB)"
                                .formatted(hold));
            }
        }

        /** The action for a response that cannot be as public as declared. */
        public enum Mode {
            /** It is made private. */
            DEMOTE,
            /** It fails. */
            STRICT
        }

        /** The action for a public response that may depend on the reader's language. */
        public enum OnLocale {
            /**
             * Vary: Accept-Language is added if the language comes from that field; else it is made
             * private.
             */
            VARY,
            /** It stays as it is, with a warning in the log. */
            WARN,
            /** It stays as it is. */
            OFF
        }

        /** The action for a public response whose handler or view reads data of one user. */
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
     * @param path path pattern within the application: /images/**, /articles/{aid}
     * @param ttl freshness lifetime of a response, in whole seconds
     * @param stale grace: how long after that it may be served stale while it is refreshed; the
     *     surrogate's default if absent
     * @param staleIfError how long it may be served stale when fetching it fails; the surrogate's
     *     default if absent
     * @param browser Cache-Control for the client
     * @param scope whether the responses are shared or for one client
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
