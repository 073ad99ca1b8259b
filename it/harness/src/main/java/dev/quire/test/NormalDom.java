package dev.quire.test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.DataNode;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;
import org.jspecify.annotations.Nullable;

/**
 * A document in normal form, equal for pages that a reader cannot tell apart: attributes sorted by
 * name, whitespace collapsed and trimmed, no comments. In {@code pre} and {@code textarea}
 * whitespace is preserved.
 */
final class NormalDom {
    private static final Set<String> KEEPING_BLANKS = Set.of("pre", "textarea");

    private NormalDom() {}

    /**
     * The tree of {@code html} without the elements matching {@code ignored}.
     *
     * @param ignored CSS selectors
     */
    static Document of(String html, List<String> ignored) {
        var document = parsed(html);
        document.outputSettings().prettyPrint(true).indentAmount(1);
        for (var selector : ignored) {
            document.select(selector).remove();
        }
        normalise(document, false);
        return document;
    }

    /** Rows of a table have no document around them, which would drop their tags. */
    private static Document parsed(String html) {
        var rows = DomDifference.rows(html);
        if (rows.isEmpty()) {
            return Jsoup.parse(html);
        }
        var document = new Document("");
        document.appendChildren(rows);
        return document;
    }

    static String text(Document normal) {
        return normal.outerHtml().strip() + "\n";
    }

    private static void normalise(Element element, boolean keepsBlanks) {
        sortAttributes(element);
        boolean keeps = keepsBlanks || KEEPING_BLANKS.contains(element.normalName());
        for (var child : List.copyOf(element.childNodes())) {
            switch (child) {
                case Comment comment -> comment.remove();
                case DataNode data -> data.setWholeData(data.getWholeData().strip());
                case Element inner -> normalise(inner, keeps);
                default -> {}
            }
        }
        if (!keeps) {
            joinTexts(element);
        }
    }

    private static void joinTexts(Element element) {
        @Nullable TextNode before = null;
        for (var child : List.copyOf(element.childNodes())) {
            if (!(child instanceof TextNode text)) {
                trim(before);
                before = null;
            } else if (before == null) {
                before = text;
            } else {
                before.text(before.getWholeText() + text.getWholeText());
                text.remove();
            }
        }
        trim(before);
    }

    private static void trim(@Nullable TextNode text) {
        if (text == null) {
            return;
        }
        var trimmed = text.getWholeText().replaceAll("[ \\t\\r\\n\\f]+", " ").strip();
        if (trimmed.isEmpty()) {
            text.remove();
        } else {
            text.text(trimmed);
        }
    }

    private static void sortAttributes(Element element) {
        var attributes = new ArrayList<Attribute>(element.attributes().asList());
        attributes.sort(Comparator.comparing(Attribute::getKey));
        element.clearAttributes();
        for (var attribute : attributes) {
            var value =
                    attribute.getKey().equals("class")
                            ? attribute.getValue().strip().replaceAll("\\s+", " ")
                            : attribute.getValue();
            element.attr(attribute.getKey(), value);
        }
    }
}
