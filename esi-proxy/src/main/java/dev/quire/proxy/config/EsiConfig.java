package dev.quire.proxy.config;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.parse.Reading;
import java.time.Duration;
import java.util.List;

/**
 * What a page's ESI tags may do.
 *
 * @param contentTypes media types that are parsed, in lower case and without parameters
 * @param allowedHosts authorities besides the page's own that an include may name
 * @param deviceToken our name in {@code Surrogate-Capability} and {@code Surrogate-Control}
 * @param limits of one page
 * @param maxDocumentBytes the largest document that is parsed
 * @param includeTimeout until a fragment must be there
 * @param pageDeadline until the whole page must be there
 * @param onError what a fragment that fails does to the page, where its author says nothing
 * @param isStrict whether a document with a fault in its markup is a failure
 * @param passSetCookie whether cookies of fragments that are one client's own reach that client
 * @param trustDownstream whether a trusted peer that announces ESI gets pages as they came
 * @param variables what expressions see
 * @param reading how documents of markup are read
 */
public record EsiConfig(
        List<String> contentTypes,
        List<String> allowedHosts,
        String deviceToken,
        Limits limits,
        long maxDocumentBytes,
        Duration includeTimeout,
        Duration pageDeadline,
        ErrorPolicy onError,
        boolean isStrict,
        boolean passSetCookie,
        boolean trustDownstream,
        VariableRules variables,
        Reading reading) {

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
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    ErrorPolicy.OMIT,
                    false,
                    false,
                    false,
                    VariableRules.STANDARD,
                    Reading.STANDARD);

    public EsiConfig {
        contentTypes = List.copyOf(contentTypes);
        allowedHosts = List.copyOf(allowedHosts);
    }
}
