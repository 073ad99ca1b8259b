package dev.quire.proxy.select;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jsoup.select.Selector.SelectorParseException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one element out of an HTML document, byte for byte as it stands there: jsoup only says where
 * it is. Bytes are read as ISO 8859-1, so a position in the text is one in the bytes, and a
 * selector that names text beyond ASCII must be given in the document's own bytes.
 */
public final class Selection {

    /** Long enough for every selector an author would write. */
    private static final int MAX_SELECTOR = 1_000;

    private Selection() {}

    /**
     * The bytes of the first element of {@code document} that {@code selector} selects, its tags
     * among them; null if there is none, if it does not stand in the document (as a {@code tbody}
     * nobody wrote), or if the selector cannot be read.
     */
    public static byte @Nullable [] first(byte[] document, String selector) {
        if (selector.isBlank() || selector.length() > MAX_SELECTOR) {
            return null;
        }
        var text = new String(document, StandardCharsets.ISO_8859_1);
        try {
            var page = Parser.htmlParser().setTrackPosition(true).parseInput(text, "");
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
        return last instanceof Element child && !child.endSourceRange().isTracked()
                ? Math.max(child.sourceRange().endPos(), endOf(child))
                : Math.max(
                        last.sourceRange().endPos(),
                        last instanceof Element child ? child.endSourceRange().endPos() : -1);
    }
}
