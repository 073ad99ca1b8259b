package dev.quire.spring;

import dev.quire.core.http.Stamp;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the stamps of one response.
 *
 * @param placeholder they are written with
 * @param announced the surrogate's own, which takes its place outside; null if it announced none
 * @param isForPage whether a page is assembled here, which reads them
 * @param inert told of tags without one
 */
record Stamping(
        Placeholder placeholder, @Nullable Stamp announced, boolean isForPage, InertTags inert) {

    private static final String IN_CHARSET =
            "it is written in %s, where stamps cannot be found: write it in UTF-8, as the charset of its content type or of produces";

    /**
     * Takes the stamps out of what is sent, or null if they stay for those who read them.
     *
     * @param isNeverEsi whether nobody does, because the handler says so
     * @param strange the charset of the response if it is one in which nobody can
     */
    @Nullable StampSwap removal(boolean isNeverEsi, @Nullable Charset strange) {
        if (strange != null && placeholder.isOn()) {
            return placeholder.removal(strange);
        }
        boolean isRead = !isNeverEsi && (announced != null || isForPage);
        return placeholder.isOn() && !isRead ? placeholder.removal() : null;
    }

    /**
     * Sees to it that stamps can be found again in what {@code exchange} writes. What cannot be
     * found cannot be swapped or taken out, and whoever reads it can forge tags from then on.
     *
     * @param strange the charset of {@code response} if it is one in which they cannot
     * @throws IllegalStateException if some are there that cannot; those that come later fail
     */
    void keepFindable(
            Exchange exchange,
            HttpServletResponse response,
            HeldBytes held,
            @Nullable Charset strange) {
        if (!placeholder.isOn()) {
            return;
        }
        var encoding = response.getHeader("Content-Encoding");
        var obstacle =
                strange != null
                        ? IN_CHARSET.formatted(strange)
                        : encoding != null && !encoding.equalsIgnoreCase("identity")
                                ? "it is already encoded as %s, where stamps cannot be found: leave compression to server.compression.enabled or to the surrogate"
                                        .formatted(encoding)
                                : null;
        if (obstacle != null) {
            exchange.cannotBear(obstacle);
        }
        boolean hidden =
                (strange != null || exchange.hasStamps()) && held.hide(placeholder, strange);
        if (hidden || (obstacle != null && exchange.hasStamps())) {
            throw Exchange.cannotBearTags(
                    exchange.handler(),
                    obstacle == null ? IN_CHARSET.formatted("no charset it names") : obstacle);
        }
    }

    /** Says that the tags of {@code response} bear the stamp that was asked for. */
    void acknowledge(HttpServletResponse response) {
        if (announced != null && Documents.asksForEsi(response)) {
            response.setHeader(
                    CommitGuard.SURROGATE_CONTROL,
                    "%s, stamp=\"%s\""
                            .formatted(
                                    String.join(
                                            ", ",
                                            response.getHeaders(CommitGuard.SURROGATE_CONTROL)),
                                    announced.text()));
        }
    }

    /** Looks for tags that will not run, in a document where others do. */
    void hint(String handler, HeldBytes document) {
        if (placeholder.isOn()) {
            inert.lookIn(handler, document);
        }
    }
}
