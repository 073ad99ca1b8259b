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
            "its body is encoded in %s, in which stamps cannot be found (expected UTF-8, set in its content type or in produces)";

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
        // one that a filter outside has set is about what that makes of our bytes
        var encoding =
                exchange.hasFieldOfHandler("Content-Encoding")
                        ? response.getHeader("Content-Encoding")
                        : null;
        var obstacle =
                strange != null
                        ? IN_CHARSET.formatted(strange)
                        : encoding != null && !encoding.equalsIgnoreCase("identity")
                                ? "its Content-Encoding is already %s, so stamps cannot be found; leave compression to server.compression.enabled or to the surrogate"
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
                    obstacle == null ? IN_CHARSET.formatted("a charset other than the declared one") : obstacle);
        }
    }

    /**
     * Says that the tags of {@code response} bear the stamp that was asked for. One that has none
     * says so too, if it may have: where a surrogate reads every document, those that a reader
     * wrote there would run. Alone, that says nothing of caching; but in a 304 it would take the
     * place of what is stored, which has been judged when it came.
     */
    void acknowledge(HttpServletResponse response, Documents documents) {
        if (announced == null
                || response.getStatus() == HttpServletResponse.SC_NOT_MODIFIED
                || !(Documents.asksForEsi(response)
                        || documents.mayHoldTags(response.getContentType()))) {
            return;
        }
        var said = String.join(", ", response.getHeaders(CommitGuard.SURROGATE_CONTROL));
        if (!said.contains("stamp=")) {
            var ours = "stamp=\"" + announced.text() + "\"";
            response.setHeader(
                    CommitGuard.SURROGATE_CONTROL, said.isEmpty() ? ours : said + ", " + ours);
        }
    }

    /** Looks for tags that will not run, in a document where others do. */
    void hint(String handler, HeldBytes document) {
        if (placeholder.isOn()) {
            inert.lookIn(handler, document);
        }
    }
}
