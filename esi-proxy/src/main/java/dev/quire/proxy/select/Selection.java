package dev.quire.proxy.select;

import dev.quire.core.assemble.FragmentSource;
import java.nio.charset.StandardCharsets;
import org.jsoup.nodes.Range;
import org.jsoup.parser.Parser;
import org.jsoup.select.Selector.SelectorParseException;
import org.jspecify.annotations.Nullable;

/**
 * Extracts one element from an HTML document as its original bytes; jsoup only locates it. Bytes
 * are decoded as ISO 8859-1, so text positions are byte positions. A selector that contains
 * non-ASCII text must be given in the bytes of the document.
 */
public final class Selection {

    private Selection() {}

    /**
     * Returns the bytes of the first element of {@code document} that {@code selector} matches,
     * including its tags. Returns null if nothing matches, if the element is implied and not in the
     * source (such as a {@code tbody}), or if the selector is malformed.
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

    /** An element with an implied end ends there; an implied element is not extracted. */
    private static byte @Nullable [] between(Range opening, Range closing, byte[] document) {
        return opening.isTracked() && !opening.isImplicit()
                ? FragmentSource.element(
                        document, opening.startPos(), opening.endPos(), closing.endPos())
                : null;
    }
}
