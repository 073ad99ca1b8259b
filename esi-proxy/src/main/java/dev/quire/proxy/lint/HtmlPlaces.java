package dev.quire.proxy.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.DataNode;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/** Finds fragments and values at unsafe places in HTML or XML. */
final class HtmlPlaces {
    private static final String TAG = "<esi:";
    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z][a-z0-9:-]{0,39}");

    private final Remains remains;
    private final List<Finding> findings = new ArrayList<>();

    private HtmlPlaces(Remains remains) {
        this.remains = remains;
    }

    /** Returns the findings in {@code remains}, unordered. */
    static List<Finding> findings(Remains remains, boolean isXml) {
        var parser = isXml ? Parser.xmlParser() : Parser.htmlParser();
        Document document = parser.setTrackPosition(true).parseInput(remains.text(), "");
        var places = new HtmlPlaces(remains);
        document.traverse((node, depth) -> places.look(node));
        return places.findings;
    }

    private void look(Node node) {
        switch (node) {
            case Element element -> element(element);
            case TextNode text -> text(text, text.parent());
            case DataNode data -> data(data, data.parent());
            case Comment comment -> comment(comment);
            default -> {}
        }
    }

    private void element(Element element) {
        for (var attribute : element.attributes()) {
            insideTag(attribute);
            insideAttribute(attribute);
        }
        if (element.normalName().equals("table")) {
            movedOutOf(element);
        }
    }

    private void insideTag(Attribute attribute) {
        for (var slot : unescaped(attribute.getKey())) {
            report(
                    slot,
                    "is inside a tag but outside a quoted attribute value",
                    "move it into an attribute value, with escape=\"html\"");
        }
    }

    private void insideAttribute(Attribute attribute) {
        var name = attribute.getKey().toLowerCase(Locale.ROOT);
        for (var slot : unescaped(attribute.getValue())) {
            var shown =
                    PLAIN_NAME.matcher(name).matches() ? "the attribute " + name : "an attribute";
            report(
                    slot,
                    "is inside " + shown + ", where a quote in it would end the value",
                    "use "
                            + escapeInAttribute(name)
                            + ", or escape=\"none\" if it never contains a quote");
        }
    }

    private static String escapeInAttribute(String name) {
        if (name.startsWith("on")) {
            return "escape=\"js\"";
        }
        return switch (name) {
            case "href", "src", "action", "formaction", "poster", "data", "cite" ->
                    "escape=\"url\" for part of a URL, escape=\"html\" for a whole URL";
            default -> "escape=\"html\"";
        };
    }

    private void text(TextNode text, @Nullable Element enclosing) {
        if (enclosing == null) {
            return;
        }
        var name = enclosing.normalName();
        if (!name.equals("title") && !name.equals("textarea")) {
            return;
        }
        for (var slot : unescaped(text.getWholeText())) {
            if (slot.isFragment()) {
                report(
                        slot,
                        "is inside <" + name + ">, where markup is shown as text",
                        "use escape=\"html\", or escape=\"none\" if it is plain text");
            }
        }
    }

    private void data(DataNode data, @Nullable Element enclosing) {
        var advice = enclosing == null ? null : adviceFor(enclosing);
        if (enclosing == null || advice == null) {
            return;
        }
        for (var slot : unescaped(data.getWholeData())) {
            report(slot, "is inside <" + enclosing.normalName() + ">", advice);
        }
    }

    /** Returns the advice for a script or style element, or null if its content is not code. */
    private static @Nullable String adviceFor(Element element) {
        return switch (element.normalName()) {
            case "style" ->
                    "include the whole <style>, or use escape=\"none\" if it is only CSS, or"
                            + " put the style into esi:text if it is not meant as ESI";
            case "script" -> {
                var type = element.attr("type").toLowerCase(Locale.ROOT).strip();
                if (type.contains("json") || type.equals("importmap")) {
                    yield "use escape=\"json\" inside a string, or escape=\"none\" if it is JSON";
                }
                boolean isScript =
                        type.isEmpty() || type.equals("module") || type.contains("script");
                yield isScript
                        ? "use escape=\"js\" inside a string, escape=\"none\" if it is code or"
                                + " JSON, or put the script into esi:text if it is not meant as ESI"
                        : null;
            }
            default -> null;
        };
    }

    private void comment(Comment comment) {
        int start = comment.sourceRange().startPos();
        int tag = comment.getData().indexOf(TAG);
        if (start < 0 || tag < 0) {
            return;
        }
        int at = remains.text().indexOf(TAG, start);
        if (at >= 0) {
            findings.add(
                    Finding.at(
                            remains.position(at),
                            "an ESI tag is inside an HTML comment, where it is not processed",
                            "use <!--esi ... --> if it should be processed, or delete it"));
        }
    }

    /*
     * HTML parsers, like browsers, move content that is not allowed between a table and its cells
     * in front of the table. Such a text node before the table originated inside it.
     */
    private void movedOutOf(Element table) {
        int start = table.sourceRange().endPos();
        var end = table.endSourceRange();
        int until = end.isTracked() ? end.startPos() : Integer.MAX_VALUE;
        for (var node = table.previousSibling();
                node instanceof TextNode text;
                node = node.previousSibling()) {
            for (var slot : remains.slotsIn(text.getWholeText())) {
                if (slot.offset() >= start && slot.offset() < until) {
                    report(
                            slot,
                            "is in a table but not in a cell",
                            "include whole rows or cells, since browsers move anything else in"
                                    + " front of the table; or put it into a cell");
                }
            }
        }
    }

    private List<InsertionPoint> unescaped(String part) {
        return remains.slotsIn(part).stream().filter(slot -> !slot.isEscaped()).toList();
    }

    private void report(InsertionPoint slot, String what, String consequence) {
        findings.add(Finding.at(slot.at(), slot.kind() + " " + what, consequence));
    }
}
