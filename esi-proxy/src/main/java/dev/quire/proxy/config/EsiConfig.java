package dev.quire.proxy.config;

import java.time.Duration;
import java.util.List;

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
 */
public record EsiConfig(
        List<String> contentTypes,
        List<String> allowedHosts,
        String deviceToken,
        int maxDepth,
        int maxIncludes,
        long maxDocumentBytes,
        Duration includeTimeout,
        Duration pageDeadline) {

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
                    Duration.ofSeconds(30));

    public EsiConfig {
        contentTypes = List.copyOf(contentTypes);
        allowedHosts = List.copyOf(allowedHosts);
    }
}
