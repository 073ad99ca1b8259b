package dev.quire.proxy.select;

import dev.quire.core.assemble.FragmentSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jsoup.nodes.Range;
import org.jsoup.parser.Parser;
import org.jsoup.select.Selector.SelectorParseException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one element out of an HTML document, byte for byte as it stands there: jsoup only says where
 * it is. Bytes are read as ISO 8859-1, so a position in the text is one in the bytes, and a
 * selector that names text beyond ASCII must be given in the document's own bytes.
 */
public final class Selection {

    private Selection() {}

    /**
     * The bytes of the first element of {@code document} that {@code selector} selects, its tags
     * among them; null if there is none, if it does not stand in the document (as a {@code tbody}
     * nobody wrote), or if the selector cannot be read.
     */
    public static byte @Nullable [] first(byte[] document, String selector) {
        if (selector.isBlank() || selector.length() > FragmentSource.MAX_SELECTOR) {
            return null;
        }
        var text = new String(document, StandardCharsets.ISO_8859_1);
        try {
            var page = Parser.htmlParser().setTrackPosition(true).parseInput(text, "");
            var element = page.selectFirst(selector);
            return element == null
                    ? null
                    : between(element.sourceRange(), element.endSourceRange(), document);
        } catch (SelectorParseException | IllegalArgumentException unreadable) {
            return null;
        }
    }

    /** An element whose end is only implied ends there; one that nobody wrote is not cut out. */
    private static byte @Nullable [] between(Range opening, Range closing, byte[] document) {
        int start = opening.startPos();
        int end = Math.max(opening.endPos(), closing.endPos());
        return opening.isTracked() && !opening.isImplicit() && start < end
                ? Arrays.copyOfRange(document, start, end)
                : null;
    }
}
