package dev.quire.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.DataNode;
import org.jsoup.nodes.DocumentType;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;

/**
 * One place in which two documents differ. Whitespace at the ends of texts, the order of attributes
 * and the order of classes are ignored.
 *
 * @param place a path of selectors for messages: {@code ul.list > li:nth-child(2) > a (@href)}
 * @param key the same for comparison: node numbers, so that changing ids are ignored
 * @param isWhole whether the elements differ completely, so that their children were not compared
 */
record DomDifference(String place, String key, String left, String right, boolean isWhole) {
    private static final Set<String> FRAME = Set.of("#root", "html", "body");
    private static final Set<String> OF_TABLES =
            Set.of("caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr");

    static List<DomDifference> between(Element left, Element right) {
        var found = new ArrayList<DomDifference>();
        compare(left, right, "", found);
        return found;
    }

    /** Whether this place is {@code other}, or below it where that is whole. */
    boolean isWithin(DomDifference other) {
        return key.equals(other.key) || (other.isWhole && key.startsWith(other.key + "/"));
    }

    /** Whether it is part of {@code other}, or of the same sentence. */
    boolean isBeside(DomDifference other) {
        return isWithin(other) || parent().equals(other.parent());
    }

    private String parent() {
        int end = Math.max(key.lastIndexOf('/'), key.lastIndexOf('@'));
        return end < 0 ? key : key.substring(0, end);
    }

    /** A document as a tree to compare: the body alone if it is not a complete document. */
    static Element tree(String html) {
        var rows = rows(html);
        if (!rows.isEmpty()) {
            var body = new Element("body");
            body.appendChildren(rows);
            return body;
        }
        return isWholeDocument(html) ? Jsoup.parse(html) : Jsoup.parseBodyFragment(html).body();
    }

    /**
     * The nodes of {@code html} if it consists of parts of a table, such as rows, whose tags have a
     * meaning only there; else none.
     */
    static List<Node> rows(String html) {
        var nodes = Parser.parseFragment(html, new Element("template"), "");
        boolean isOfTable = nodes.stream().anyMatch(node -> OF_TABLES.contains(node.normalName()));
        return isOfTable ? nodes : List.of();
    }

    static boolean isWholeDocument(String html) {
        var head = html.substring(0, Math.min(html.length(), 2000)).toLowerCase(Locale.ROOT);
        return head.contains("<html") || head.contains("<head") || head.contains("<body");
    }

    static String place(Element element) {
        var steps = new ArrayList<String>();
        steps.add(step(element));
        for (var above : element.parents()) {
            if (!FRAME.contains(above.normalName())) {
                steps.addFirst(step(above));
            }
        }
        return String.join(" > ", steps);
    }

    private static String step(Element element) {
        var step = new StringBuilder(element.normalName().replace(":", "|"));
        for (var name : element.classNames()) {
            if (name.matches("[A-Za-z][A-Za-z_-]*")) {
                step.append('.').append(name);
            }
        }
        var parent = element.parent();
        boolean isAlone =
                parent == null
                        || parent.children().stream()
                                        .filter(other ->
                                                other.normalName().equals(element.normalName()))
                                        .count()
                                == 1;
        if (!isAlone) {
            step.append(":nth-child(").append(element.elementSiblingIndex() + 1).append(')');
        }
        return step.toString();
    }

    private static void compare(
            Element left, Element right, String key, List<DomDifference> found) {
        attributes(left, right, key, found);
        var ours = children(left);
        var theirs = children(right);
        for (int i = 0; i < Math.max(ours.size(), theirs.size()); i++) {
            if (i == ours.size() || i == theirs.size() || !isSameKind(ours.get(i), theirs.get(i))) {
                found.add(
                        new DomDifference(
                                place(left) + " (content)",
                                key,
                                text(ours.subList(Math.min(i, ours.size()), ours.size())),
                                text(theirs.subList(Math.min(i, theirs.size()), theirs.size())),
                                true));
                return;
            }
            var below = key + "/" + i;
            var one = ours.get(i);
            if (one instanceof Element element) {
                compare(element, (Element) theirs.get(i), below, found);
            } else {
                var mine = words(one);
                var other = words(theirs.get(i));
                if (!mine.equals(other)) {
                    found.add(
                            new DomDifference(
                                    place(left) + " (" + kind(one) + ")",
                                    below,
                                    mine,
                                    other,
                                    false));
                }
            }
        }
    }

    private static void attributes(
            Element left, Element right, String key, List<DomDifference> found) {
        var names = new TreeSet<String>();
        left.attributes().forEach(attribute -> names.add(attribute.getKey()));
        right.attributes().forEach(attribute -> names.add(attribute.getKey()));
        for (var name : names) {
            var mine = value(left, name);
            var other = value(right, name);
            if (!mine.equals(other)) {
                found.add(
                        new DomDifference(
                                place(left) + " (@" + name + ")",
                                key + "@" + name,
                                mine,
                                other,
                                false));
            }
        }
    }

    /**
     * The value of an attribute; its name if it has no value, and the empty string if it is absent.
     */
    private static String value(Element element, String name) {
        if (!element.hasAttr(name)) {
            return "";
        }
        var value =
                name.equals("class")
                        ? String.join(" ", new TreeSet<>(element.classNames()))
                        : element.attr(name);
        return value.isEmpty() ? name : value;
    }

    private static List<Node> children(Element element) {
        return element.childNodes().stream()
                .filter(node -> !(node instanceof TextNode text && text.isBlank()))
                .filter(node -> !(node instanceof DocumentType))
                .toList();
    }

    private static boolean isSameKind(Node one, Node other) {
        return one.nodeName().equals(other.nodeName());
    }

    static String kind(Node node) {
        return switch (node) {
            case Comment comment -> "comment";
            case DataNode data -> "script or style";
            default -> "text";
        };
    }

    static String words(Node node) {
        return switch (node) {
            case TextNode text -> text.text().strip();
            case Comment comment -> comment.getData().strip();
            case DataNode data -> data.getWholeData().strip();
            default -> node.outerHtml();
        };
    }

    private static String text(List<Node> nodes) {
        var text = new StringBuilder();
        nodes.forEach(node -> text.append(node.outerHtml()));
        return text.toString();
    }
}
