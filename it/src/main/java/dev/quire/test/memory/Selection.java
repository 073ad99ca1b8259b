package dev.quire.test.memory;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jsoup.select.Selector.SelectorParseException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one element out of an HTML document, byte for byte as it stands there: jsoup only says where
 * it is. Bytes are read as ISO 8859-1, so a position in the text is one in the bytes.
 */
final class Selection {
    private static final int MAX_SELECTOR = 1_000;

    private Selection() {}

    /**
     * The bytes of the first element of {@code document} that {@code selector} selects; null if
     * there is none, if nobody wrote it, or if the selector cannot be read.
     */
    static byte @Nullable [] first(byte[] document, String selector) {
        if (selector.isBlank() || selector.length() > MAX_SELECTOR) {
            return null;
        }
        try {
            var page =
                    Parser.htmlParser()
                            .setTrackPosition(true)
                            .parseInput(new String(document, ISO_8859_1), "");
            var element = page.selectFirst(selector);
            return element == null ? null : source(document, element);
        } catch (SelectorParseException | IllegalArgumentException unreadable) {
            return null;
        }
    }

    private static byte @Nullable [] source(byte[] document, Element element) {
        var opening = element.sourceRange();
        if (!opening.isTracked() || opening.isImplicit()) {
            return null;
        }
        int start = opening.startPos();
        int end = Math.max(opening.endPos(), endOf(element));
        return end <= document.length && start < end
                ? Arrays.copyOfRange(document, start, end)
                : null;
    }

    /** Where its end tag ends; without one, where its last child does. */
    private static int endOf(Element element) {
        var closing = element.endSourceRange();
        if (closing.isTracked()) {
            return closing.endPos();
        }
        var last = element.lastChild();
        if (last == null) {
            return -1;
        }
        if (!(last instanceof Element child)) {
            return last.sourceRange().endPos();
        }
        var end = child.endSourceRange();
        return end.isTracked()
                ? Math.max(child.sourceRange().endPos(), end.endPos())
                : Math.max(child.sourceRange().endPos(), endOf(child));
    }
}
