package dev.quire.spring.internal.guard;

import dev.quire.core.http.Stamp;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.fields.SurrogateFields;
import dev.quire.spring.internal.stamp.HeldBytes;
import dev.quire.spring.internal.stamp.InertTags;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampSwap;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * The handling of the stamps of one response.
 *
 * @param placeholder marks the tags
 * @param announced the surrogate's stamp, which replaces the placeholder; null if none is announced
 * @param isForPage whether the application assembles a page from it and reads the marks
 * @param inert warns about unstamped tags
 */
public record Stamping(
        Placeholder placeholder, @Nullable Stamp announced, boolean isForPage, InertTags inert) {

    private static final String IN_CHARSET =
            "its body is encoded in %s, in which stamps cannot be found (expected UTF-8, set in its content type or in produces)";

    /**
     * Returns a swap that removes the stamps from the sent bytes, or null if they are kept for the
     * assembler, which reads and removes them. No stamp may reach a client.
     *
     * @param isParsed whether a surrogate parses the response
     * @param strange the charset of the response if stamps cannot be read in it, or null
     */
    @Nullable
    public StampSwap removal(boolean isParsed, @Nullable Charset strange) {
        if (strange != null && placeholder.isOn()) {
            return placeholder.removal(strange);
        }
        boolean isRead = isForPage || (announced != null && isParsed);
        return placeholder.isOn() && !isRead ? placeholder.removal() : null;
    }

    /**
     * Ensures that stamps can be found in the output of {@code exchange}. Stamps that cannot be
     * found cannot be swapped or removed, and a client that reads them can forge tags.
     *
     * @param strange the charset of {@code response} if stamps cannot be found in it, or null
     * @throws IllegalStateException if the output contains such stamps; later ones fail when
     *     written
     */
    public void keepFindable(
            GuardedExchange exchange,
            HttpServletResponse response,
            HeldBytes held,
            @Nullable Charset strange) {
        if (!placeholder.isOn()) {
            return;
        }
        // an encoding set by a filter outside applies to the bytes after ours
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
            exchange.refuseTags(obstacle);
        }
        boolean hidden =
                (strange != null || exchange.hasStamps()) && held.hide(placeholder, strange);
        if (hidden || (obstacle != null && exchange.hasStamps())) {
            throw GuardedExchange.refused(
                    exchange.handler(),
                    obstacle == null
                            ? IN_CHARSET.formatted("a charset other than the declared one")
                            : obstacle);
        }
    }

    /**
     * Declares that the tags of {@code response} have the announced stamp. A response without tags
     * declares it too if it may contain any: otherwise, where a surrogate parses every document,
     * tags in user content would run. The directive alone does not affect caching, but in a 304 it
     * would replace the stored field, so it is omitted there.
     */
    public void acknowledge(HttpServletResponse response, Documents documents) {
        if (announced == null
                || response.getStatus() == HttpServletResponse.SC_NOT_MODIFIED
                || !(Documents.asksForEsi(response)
                        || documents.mayHoldTags(response.getContentType()))) {
            return;
        }
        var said = String.join(", ", response.getHeaders(SurrogateFields.CONTROL));
        if (!said.contains("stamp=")) {
            var ours = "stamp=\"" + announced.text() + "\"";
            response.setHeader(SurrogateFields.CONTROL, said.isEmpty() ? ours : said + ", " + ours);
        }
    }

    /** Warns about inert tags in a document that has stamped ones. */
    public void hint(String handler, HeldBytes document) {
        if (placeholder.isOn()) {
            inert.lookIn(handler, document);
        }
    }
}
