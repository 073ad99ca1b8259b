package dev.quire.proxy.config;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.parse.ParseOptions;
import java.time.Duration;
import java.util.List;

/**
 * The {@code esi} section.
 *
 * @param contentTypes media types that are parsed, in lower case and without parameters
 * @param allowedHosts authorities that an include may name, in addition to the page's own
 * @param deviceToken our name in {@code Surrogate-Capability} and {@code Surrogate-Control}
 * @param limits of one page
 * @param maxDocumentBytes the largest document that is parsed
 * @param maxPageBytes the longest assembled page; 0 for no limit
 * @param includeTimeout the time limit of a fragment
 * @param pageDeadline the time limit of the whole page
 * @param onError the effect of a failed fragment on the page, unless its tag specifies one
 * @param isStrict whether a document with malformed markup is a failure
 * @param passSetCookie whether cookies of a client's private fragments are sent to it
 * @param trustDownstream whether a trusted peer that announces ESI gets pages unprocessed
 * @param variables the variables available to expressions
 * @param reading how documents are parsed
 */
public record EsiConfig(
        List<String> contentTypes,
        List<String> allowedHosts,
        String deviceToken,
        Limits limits,
        long maxDocumentBytes,
        long maxPageBytes,
        Duration includeTimeout,
        Duration pageDeadline,
        ErrorPolicy onError,
        boolean isStrict,
        boolean passSetCookie,
        boolean trustDownstream,
        VariableRules variables,
        ParseOptions reading) {

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
                    Limits.DEFAULT,
                    8L << 20,
                    16L << 20,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    ErrorPolicy.OMIT,
                    false,
                    false,
                    false,
                    VariableRules.STANDARD,
                    ParseOptions.STANDARD);

    public EsiConfig {
        contentTypes = List.copyOf(contentTypes);
        allowedHosts = List.copyOf(allowedHosts);
    }
}
