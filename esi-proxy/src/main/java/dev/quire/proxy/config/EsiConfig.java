package dev.quire.proxy.config;

import dev.quire.core.expression.Dialect;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a page's ESI tags may do.
 *
 * @param contentTypes media types that are parsed, in lower case and without parameters
 * @param allowedHosts authorities besides the page's own that an include may name
 * @param deviceToken our name in {@code Surrogate-Capability} and {@code Surrogate-Control}
 * @param maxDepth levels of includes below the page
 * @param maxIncludes fragments of all levels together
 * @param maxDocumentBytes the largest document that is parsed
 * @param includeTimeout until a fragment must be there
 * @param pageDeadline until the whole page must be there
 * @param onError what a fragment that fails does to the page, where its author says nothing
 * @param isStrict whether a document with a fault in its markup is a failure
 * @param passSetCookie whether cookies of fragments that are one client's own reach that client
 * @param trustDownstream whether a trusted peer that announces ESI gets pages as they came
 * @param language what expressions see and how they are written
 */
public record EsiConfig(
        List<String> contentTypes,
        List<String> allowedHosts,
        String deviceToken,
        int maxDepth,
        int maxIncludes,
        long maxDocumentBytes,
        Duration includeTimeout,
        Duration pageDeadline,
        OnError onError,
        boolean isStrict,
        boolean passSetCookie,
        boolean trustDownstream,
        Language language) {

    /** What becomes of a page when a fragment fails. */
    public enum OnError {
        /** It leaves the fragment out. */
        OMIT,
        /** It fails too. */
        FAIL
    }

    /** How what comes from the request is written into a page. */
    public enum Escape {
        /** Angle brackets as references. */
        HTML,
        /** As it is. */
        NONE
    }

    /**
     * What expressions see and how they are written.
     *
     * @param deniedCookies names of cookies that never reach a page; {@code *} stands for anything,
     *     and case does not matter
     * @param decodeQuery whether values of the query are percent-decoded
     * @param argsPrefix arguments of the query that begin like this are for {@code ESI_ARGS} alone
     * @param variables of the operator's own, by name
     * @param opensHtmlComments whether ESI inside HTML comments is processed
     */
    public record Language(
            List<String> deniedCookies,
            boolean decodeQuery,
            Optional<String> argsPrefix,
            Map<String, String> variables,
            Escape escape,
            Dialect dialect,
            boolean opensHtmlComments) {

        static final Language DEFAULTS =
                new Language(
                        List.of(
                                "JSESSIONID",
                                "SESSION",
                                "*session*",
                                "*token*",
                                "*auth*",
                                "remember-me"),
                        false,
                        Optional.empty(),
                        Map.of(),
                        Escape.HTML,
                        Dialect.STANDARD,
                        false);

        public Language {
            deniedCookies = List.copyOf(deniedCookies);
            variables = Map.copyOf(variables);
        }
    }

    static final EsiConfig DEFAULTS =
            new EsiConfig(
                    List.of(
                            "text/html",
                            "application/xhtml+xml",
                            "text/xml",
                            "application/xml",
                            "text/plain"),
                    List.of(),
                    "quire",
                    10,
                    256,
                    8L << 20,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    OnError.OMIT,
                    false,
                    false,
                    false,
                    Language.DEFAULTS);

    public EsiConfig {
        contentTypes = List.copyOf(contentTypes);
        allowedHosts = List.copyOf(allowedHosts);
    }
}
