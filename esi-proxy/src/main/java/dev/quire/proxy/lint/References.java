package dev.quire.proxy.lint;

import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Template;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Subrequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks the URLs in a page's tags. */
final class References {
    private static final String HTTP = "http";
    private static final String HTTPS = "https";

    private final List<Finding> findings = new ArrayList<>();

    /** The expected scheme, or null until the first one is seen. */
    private @Nullable String usual;

    private References(Optional<URI> page) {
        this.usual =
                page.map(URI::getScheme).map(name -> name.toLowerCase(Locale.ROOT)).orElse(null);
    }

    /**
     * Returns findings about the URLs in {@code nodes}, in document order.
     *
     * @param page its URL; absent for a file
     */
    static List<Finding> findings(List<EsiNode> nodes, Optional<URI> page) {
        var references = new References(page);
        references.look(nodes);
        return references.findings;
    }

    /* Recursion is limited by the nesting limit of the parser. */
    private void look(List<EsiNode> nodes) {
        for (var node : nodes) {
            switch (node) {
                case EsiNode.Include include -> look(include.subrequest(), include.at());
                case EsiNode.Eval eval -> look(eval.subrequest(), eval.at());
                case EsiNode.Choose choose -> {
                    choose.whens().forEach(when -> look(when.content()));
                    look(choose.otherwise());
                }
                case EsiNode.Try attempts -> {
                    attempts.attempts().forEach(this::look);
                    attempts.excepts().forEach(except -> look(except.content()));
                }
                case EsiNode.ForEach loop -> look(loop.content());
                case EsiNode.Region region -> look(region.content());
                case EsiNode.Text text -> {}
                case EsiNode.Literal part -> {}
                case EsiNode.Write write -> {}
                case EsiNode.Inline document -> {}
                case EsiNode.Assign value -> {}
                case EsiNode.AssignContent value -> {}
                case EsiNode.Break leave -> {}
                case EsiNode.Function function -> {}
                case EsiNode.Return leave -> {}
            }
        }
    }

    private void look(Subrequest subrequest, Position at) {
        look("src", subrequest.src(), at);
        subrequest.alt().ifPresent(alt -> look("alt", alt, at));
        subrequest.replacements().forEach(replacement -> look(replacement.content()));
    }

    private void look(String attribute, Template template, Position at) {
        var start = literalStart(template);
        var scheme = scheme(start);
        if (hasBlank(template)) {
            report(at, attribute, "contains white space", "write %20, or + in a query");
        }
        if (scheme != null) {
            scheme(attribute, scheme, at);
        } else if (!start.startsWith("/") && hasDots(start)) {
            report(
                    at,
                    attribute,
                    "has . or .. segments and is relative to its document",
                    "start it with / so that it means the same wherever the document is included");
        }
    }

    private void scheme(String attribute, String scheme, Position at) {
        if (!scheme.equals(HTTP) && !scheme.equals(HTTPS)) {
            report(
                    at,
                    attribute,
                    "has an unsupported scheme",
                    "use http, https or a path; otherwise the include fails");
        } else if (usual == null) {
            usual = scheme;
        } else if (!usual.equals(scheme)) {
            report(
                    at,
                    attribute,
                    "uses " + scheme + " but the page uses " + usual,
                    "use a path or //HOST/PATH: another scheme is another origin, which gets no"
                            + " cookies and is cached separately");
        }
    }

    private void report(Position at, String attribute, String what, String consequence) {
        findings.add(Finding.at(at, attribute + " " + what, consequence));
    }

    /** Returns the literal text of the URL before its first expression. */
    private static String literalStart(Template template) {
        var start = new StringBuilder();
        for (var piece : template.pieces()) {
            if (!(piece instanceof Expression.Literal)) {
                break;
            }
            start.append(text(piece));
        }
        return start.toString();
    }

    private static boolean hasBlank(Template template) {
        return template.pieces().stream()
                .flatMapToInt(piece -> text(piece).chars())
                .anyMatch(c -> c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f');
    }

    private static String text(Expression piece) {
        return piece instanceof Expression.Literal literal
                        && literal.value() instanceof Value.Text text
                ? text.text()
                : "";
    }

    /** Returns the scheme of {@code start} in lower case (RFC 3986 §3.1), or null. */
    private static @Nullable String scheme(String start) {
        for (int i = 0; i < start.length(); i++) {
            char c = start.charAt(i);
            boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean isLater = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
            if (c == ':' && i > 0) {
                return start.substring(0, i).toLowerCase(Locale.ROOT);
            }
            if (!isLetter && !(isLater && i > 0)) {
                return null;
            }
        }
        return null;
    }

    /** Whether a segment of the path is {@code .} or {@code ..}. */
    private static boolean hasDots(String reference) {
        int end = 0;
        while (end < reference.length()
                && reference.charAt(end) != '?'
                && reference.charAt(end) != '#') {
            end++;
        }
        for (var segment : reference.substring(0, end).split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                return true;
            }
        }
        return false;
    }
}
