package dev.quire.test;

import dev.quire.test.wire.Content;
import dev.quire.test.wire.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;

/** The differences between two answers to one target. One thread. */
final class AnswerDifferences {
    private static final String LANGUAGE = "Content-Language";

    /**
     * The fields that are not compared: those of the connection and of caching, and those that have
     * checks of their own.
     */
    private static final Pattern APART =
            Pattern.compile(
                    "age|(cdn-)?cache-control|connection|content-length|date|expires|keep-alive|set-cookie|surrogate-control|transfer-encoding|vary|x-quire-guard",
                    Pattern.CASE_INSENSITIVE);

    /** The fields that change with the body, and are compared only where it is the same. */
    private static final Pattern OF_BODY =
            Pattern.compile("etag|content-md5|((content|repr)-)?digest", Pattern.CASE_INSENSITIVE);

    private static final Pattern NONCE = Pattern.compile("'nonce-[^']*'");

    private final Ignored ignored;
    private final ReaderProbe readers;
    private final Findings findings;
    private final Map<Content, Element> trees = new HashMap<>();

    AnswerDifferences(Ignored ignored, ReaderProbe readers, Findings findings) {
        this.ignored = ignored;
        this.readers = readers;
        this.findings = findings;
    }

    /** Drops the parsed documents. */
    void forget() {
        trees.clear();
    }

    /**
     * The differences, without those covered by {@code mask} and without secrets, which are
     * reported if {@code other} may be stored.
     */
    List<DomDifference> unmasked(
            Findings.Place where, SharedAnswer one, SharedAnswer other, List<DomDifference> mask) {
        var all = differences(where, one, other);
        var secret =
                other.isAuthorized()
                        ? List.<DomDifference>of()
                        : all.stream().filter(this::hasSecret).toList();
        var left =
                all.stream()
                        .filter(difference -> mask.stream().noneMatch(difference::isWithin))
                        .filter(difference -> secret.stream().noneMatch(difference::isBeside))
                        .toList();
        if (left.size() == 1 && left.getFirst().key().equalsIgnoreCase(LANGUAGE)) {
            // Spring views set Content-Language even if the page has no text that depends on it
            findings.note(
                    "%s differs only in the field Content-Language, not in its body, so it can be shared. spring.web.locale-resolver=fixed makes the field the same for all"
                            .formatted(where.target()));
            return List.of();
        }
        return left;
    }

    /** Whether the difference is already reported as a secret. */
    boolean hasSecret(DomDifference difference) {
        return !readers.known().in(difference.left()).isEmpty()
                || !readers.known().in(difference.right()).isEmpty();
    }

    List<DomDifference> differences(Findings.Place where, SharedAnswer one, SharedAnswer other) {
        if (one.response().status() != other.response().status()) {
            var mine = String.valueOf(one.response().status());
            var theirs = String.valueOf(other.response().status());
            return List.of(new DomDifference("the status", "status", mine, theirs, false));
        }
        var found = new ArrayList<DomDifference>();
        boolean isSameBody = one.response().body().equals(other.response().body());
        if (!isSameBody) {
            found.addAll(
                    DomDifference.between(
                            compared(where, one.response()), compared(where, other.response())));
        }
        var names = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
        one.response().fields().forEach((name, value) -> names.add(name));
        other.response().fields().forEach((name, value) -> names.add(name));
        for (var name : names) {
            var place = "the field " + name;
            var mine = String.join(", ", one.response().fields().all(name));
            var theirs = String.join(", ", other.response().fields().all(name));
            boolean isCompared =
                    !APART.matcher(name).matches()
                            && (isSameBody || !OF_BODY.matcher(name).matches());
            if (isCompared
                    && !struck(mine).equals(struck(theirs))
                    && !ignored.covers(where.target(), place)) {
                found.add(new DomDifference(place, name, mine, theirs, false));
            }
        }
        return found;
    }

    private static String struck(String value) {
        return NONCE.matcher(Tokens.SESSION_ID.matcher(value).replaceAll("")).replaceAll("");
    }

    private Element compared(Findings.Place where, Response response) {
        var tree = tree(response).clone();
        ignored.strike(where.target(), tree);
        Tokens.strike(tree);
        return tree;
    }

    /** The document of {@code response}, which must not be modified. */
    Element tree(Response response) {
        return trees.computeIfAbsent(response.body(), body -> parsed(response));
    }

    private static Element parsed(Response response) {
        var said = response.field("Content-Type");
        var type = said == null ? "text/html" : said.toLowerCase(Locale.ROOT);
        if (type.startsWith("text/html") || type.startsWith("application/xhtml")) {
            return DomDifference.tree(response.text());
        }
        if (type.contains("xml")) {
            return Jsoup.parse(response.text(), "", Parser.xmlParser());
        }
        var lines = new Element("text");
        for (var line : response.text().split("\\R", -1)) {
            lines.appendElement("line").text(line);
        }
        return lines;
    }
}
