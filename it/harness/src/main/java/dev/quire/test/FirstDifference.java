package dev.quire.test;

import dev.quire.test.wire.internal.Excerpt;
import java.util.List;
import java.util.Optional;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jspecify.annotations.Nullable;

/**
 * The first place where two documents differ, in document order.
 *
 * @param path of the element it is in: {@code html > body > p[2]}
 * @param what kind of difference
 * @param expected the expected text, cut when long; {@code nothing} if absent
 * @param seen the actual text
 */
record FirstDifference(String path, String what, String expected, String seen) {

    /** Compares two documents in normal form; empty if they are equal. */
    static Optional<FirstDifference> of(Document expected, Document seen) {
        return Optional.ofNullable(between(expected, seen));
    }

    /** The actual text and its place. */
    String found() {
        return "%s\n%s of %s".formatted(seen, what, path);
    }

    private static @Nullable FirstDifference between(Element expected, Element seen) {
        if (!expected.attributes().equals(seen.attributes())) {
            return new FirstDifference(
                    path(seen), "the attributes", startTag(expected), startTag(seen));
        }
        var wanted = expected.childNodes();
        var found = seen.childNodes();
        for (int i = 0; i < Math.max(wanted.size(), found.size()); i++) {
            var difference = between(at(wanted, i), at(found, i), seen);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable FirstDifference between(
            @Nullable Node expected, @Nullable Node seen, Element parent) {
        if (expected instanceof Element one
                && seen instanceof Element other
                && one.normalName().equals(other.normalName())) {
            return between(one, other);
        }
        if (expected instanceof TextNode one && seen instanceof TextNode other) {
            return one.getWholeText().equals(other.getWholeText())
                    ? null
                    : new FirstDifference(
                            path(parent),
                            "the text",
                            Excerpt.of(one.getWholeText()),
                            Excerpt.of(other.getWholeText()));
        }
        boolean isSame =
                expected != null
                        && seen != null
                        && !(expected instanceof Element)
                        && expected.outerHtml().equals(seen.outerHtml());
        return isSame
                ? null
                : new FirstDifference(path(parent), "the content", shown(expected), shown(seen));
    }

    private static @Nullable Node at(List<Node> nodes, int i) {
        return i < nodes.size() ? nodes.get(i) : null;
    }

    private static String shown(@Nullable Node node) {
        return node == null ? "nothing" : Excerpt.of(node.outerHtml().strip());
    }

    private static String startTag(Element element) {
        return element.shallowClone().outerHtml().replaceAll("</[^>]*>$", "").strip();
    }

    /** The path of {@code element}, with its id, and its number among siblings of the same name. */
    static String path(Element element) {
        var parent = element.parent();
        if (parent == null) {
            return element instanceof Document ? "" : step(element);
        }
        var above = path(parent);
        return above.isEmpty() ? step(element) : above + " > " + step(element);
    }

    private static String step(Element element) {
        if (!element.id().isEmpty()) {
            return element.normalName() + "#" + element.id();
        }
        var parent = element.parent();
        if (parent == null) {
            return element.normalName();
        }
        var alike =
                parent.children().stream()
                        .filter(other -> other.normalName().equals(element.normalName()))
                        .toList();
        return alike.size() == 1
                ? element.normalName()
                : element.normalName() + "[" + (alike.indexOf(element) + 1) + "]";
    }
}
