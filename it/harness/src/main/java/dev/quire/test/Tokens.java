package dev.quire.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.LeafNode;
import org.jsoup.nodes.TextNode;

/** Finds values in a document that belong to one session or one response: tokens, nonces, ids. */
final class Tokens {
    /** The id of a session in a URL. */
    static final Pattern SESSION_ID =
            Pattern.compile(";jsessionid=[^\\s\"'<>?#&]+", Pattern.CASE_INSENSITIVE);

    private static final Pattern NAME =
            Pattern.compile(
                    ".*(csrf|xsrf|authenticity_token|requestverificationtoken).*",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern ABOUT_NAMES =
            Pattern.compile(
                    ".*(header|param|parameter|parametername|headername)$",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern IN_SCRIPT =
            Pattern.compile(
                    "([\\w-]*(?:csrf|xsrf)[\\w-]*[\"']?\\s*[:=]\\s*[\"'])([\\w+/=-]{16,})",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern IN_ADDRESS =
            Pattern.compile(
                    "([?&;][\\w-]*(?:csrf|xsrf)[\\w-]*=)([\\w%+/=-]{8,})",
                    Pattern.CASE_INSENSITIVE);

    private Tokens() {}

    /**
     * A value in a document.
     *
     * @param place for messages
     */
    record Spot(String place, String value) {}

    static List<String> of(Element tree) {
        return csrf(tree).stream().map(Spot::value).distinct().toList();
    }

    /** The CSRF tokens in {@code tree}, with their places. */
    static List<Spot> csrf(Element tree) {
        var found = new ArrayList<Spot>();
        for (var element : tree.getAllElements()) {
            var attribute = tokenAttribute(element);
            if (!attribute.isEmpty()) {
                found.add(new Spot(at(element, "@" + attribute), element.attr(attribute)));
            }
            for (var each : element.attributes()) {
                var address = IN_ADDRESS.matcher(each.getValue());
                if (address.find()) {
                    found.add(new Spot(at(element, "@" + each.getKey()), address.group(2)));
                }
            }
            for (var data : element.dataNodes()) {
                var script = IN_SCRIPT.matcher(data.getWholeData());
                if (script.find()) {
                    found.add(new Spot(at(element, "script"), script.group(2)));
                }
            }
        }
        return found;
    }

    /** The Content-Security-Policy nonces in {@code tree}, with their places. */
    static List<Spot> nonces(Element tree) {
        var found = new ArrayList<Spot>();
        for (var element : tree.select("[nonce]")) {
            if (!element.attr("nonce").isBlank()) {
                found.add(new Spot(at(element, "@nonce"), element.attr("nonce")));
            }
        }
        for (var element : tree.select("meta[http-equiv=Content-Security-Policy]")) {
            if (element.attr("content").contains("'nonce-")) {
                found.add(new Spot(at(element, "@content"), element.attr("content")));
            }
        }
        return found;
    }

    /** The texts, attributes, comments and scripts that match {@code isMeant}. */
    static List<Spot> spots(Element tree, Predicate<String> isMeant) {
        var found = new ArrayList<Spot>();
        for (var element : tree.getAllElements()) {
            for (var attribute : element.attributes()) {
                if (isMeant.test(attribute.getValue())) {
                    found.add(
                            new Spot(at(element, "@" + attribute.getKey()), attribute.getValue()));
                }
            }
            for (var node : element.childNodes()) {
                if (node instanceof LeafNode && isMeant.test(DomDifference.words(node))) {
                    var place = at(element, DomDifference.kind(node));
                    found.add(new Spot(place, DomDifference.words(node)));
                }
            }
        }
        return found;
    }

    /** Removes all of these from {@code tree}, so that the rest can be compared. */
    static void strike(Element tree) {
        for (var element : tree.getAllElements()) {
            if (element.hasAttr("nonce")) {
                element.attr("nonce", "…");
            }
            var attribute = tokenAttribute(element);
            if (!attribute.isEmpty()) {
                element.attr(attribute, "…");
            }
            for (var each : element.attributes()) {
                each.setValue(struck(each));
            }
            for (var data : element.dataNodes()) {
                data.setWholeData(IN_SCRIPT.matcher(data.getWholeData()).replaceAll("$1…"));
            }
            element.childNodes()
                    .forEach(node -> {
                        if (node instanceof TextNode text) {
                            change(text, words -> SESSION_ID.matcher(words).replaceAll(""));
                        }
                    });
        }
    }

    private static void change(TextNode text, UnaryOperator<String> how) {
        var words = text.getWholeText();
        var changed = how.apply(words);
        if (!changed.equals(words)) {
            text.text(changed);
        }
    }

    private static String struck(Attribute attribute) {
        var value = SESSION_ID.matcher(attribute.getValue()).replaceAll("");
        value = IN_ADDRESS.matcher(value).replaceAll("$1…");
        return attribute.getKey().equals("content")
                ? value.replaceAll("'nonce-[^']*'", "'nonce-…'")
                : value;
    }

    /** The attribute of {@code element} that has a token, or nothing. */
    private static String tokenAttribute(Element element) {
        var name = element.attr("name");
        if (NAME.matcher(name).matches() && !ABOUT_NAMES.matcher(name).matches()) {
            var attribute = element.normalName().equals("meta") ? "content" : "value";
            if (!element.attr(attribute).isBlank()) {
                return attribute;
            }
        }
        for (var each : element.attributes()) {
            var key = each.getKey().toLowerCase(Locale.ROOT);
            if (key.startsWith("data-")
                    && NAME.matcher(key).matches()
                    && !ABOUT_NAMES.matcher(key).matches()
                    && each.getValue().length() >= 16) {
                return each.getKey();
            }
        }
        return "";
    }

    private static String at(Element element, String what) {
        return DomDifference.place(element) + " (" + what + ")";
    }
}
