package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.FragmentSource;
import java.nio.charset.StandardCharsets;
import org.jsoup.nodes.Range;
import org.jsoup.parser.Parser;
import org.jsoup.select.Selector.SelectorParseException;
import org.jspecify.annotations.Nullable;

/**
 * Selects elements with jsoup and cuts them out of the original bytes: jsoup's own markup never
 * reaches a page.
 */
public final class JsoupSelection implements FragmentSelection {

    private static final LogOnce warnings = LogOnce.of(JsoupSelection.class);

    @Override
    public byte @Nullable [] first(byte[] document, String selector) {
        if (selector.length() > FragmentSource.MAX_SELECTOR) {
            warnings.warn("select=\"" + selector.substring(0, 20) + "…\"", "is too long");
            return null;
        }
        // one char per byte, so that positions are byte offsets in any charset
        var text = new String(document, StandardCharsets.ISO_8859_1);
        try {
            var page = Parser.htmlParser().setTrackPosition(true).parseInput(text, "");
            var element = page.selectFirst(selector);
            return element == null
                    ? null
                    : between(element.sourceRange(), element.endSourceRange(), document);
        } catch (SelectorParseException | IllegalArgumentException unreadable) {
            warnings.warn("select=\"" + selector + "\"", "cannot be parsed: " + unreadable);
            return null;
        }
    }

    /**
     * Returns the element's bytes. An implied end is used as its end; an element that is implied
     * itself is not cut out.
     */
    private static byte @Nullable [] between(Range opening, Range closing, byte[] document) {
        return opening.isTracked() && !opening.isImplicit()
                ? FragmentSource.element(
                        document, opening.startPos(), opening.endPos(), closing.endPos())
                : null;
    }
}
