package dev.quire.core.parse;

import dev.quire.core.parse.EsiNode.AssignContent;
import dev.quire.core.parse.EsiNode.Choose;
import dev.quire.core.parse.EsiNode.Eval;
import dev.quire.core.parse.EsiNode.Except;
import dev.quire.core.parse.EsiNode.ForEach;
import dev.quire.core.parse.EsiNode.Include;
import dev.quire.core.parse.EsiNode.Region;
import dev.quire.core.parse.EsiNode.Text;
import dev.quire.core.parse.EsiNode.Try;
import dev.quire.core.parse.EsiNode.When;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A parsed document.
 *
 * @param nodes in document order; adjacent text is one node
 * @param diagnostics in document order, at most {@link #MAX_DIAGNOSTICS}
 * @param errors the number of problems, including those not in the list
 * @param traits properties that decide how the page is assembled
 */
public record ParsedPage(
        List<EsiNode> nodes, List<Diagnostic> diagnostics, int errors, Traits traits) {

    /** The maximum number of stored diagnostics; further ones are only counted. */
    public static final int MAX_DIAGNOSTICS = 100;

    /**
     * Properties of a page that decide how it is assembled.
     *
     * @param isEvaluated whether it may differ between requests or needs a decision: it contains
     *     anything but text and includes with a fixed address and fixed terms
     * @param editsResponse whether it may change the status or fields of the response
     * @param mayFail whether it has an include with {@code onerror="fail"}
     * @param hasPrimary whether it has a {@code primary} include
     */
    public record Traits(
            boolean isEvaluated, boolean editsResponse, boolean mayFail, boolean hasPrimary) {}

    public ParsedPage {
        nodes = List.copyOf(nodes);
        diagnostics = List.copyOf(diagnostics);
    }

    public ParsedPage(List<EsiNode> nodes, List<Diagnostic> diagnostics, int errors) {
        this(nodes, diagnostics, errors, TraitsReader.of(nodes));
    }

    /** Returns the number of text bytes; it fits an {@code int}, as the document does. */
    public int textBytes() {
        var sum = new int[1];
        forEachText(span -> sum[0] += span.length());
        return sum[0];
    }

    /**
     * Passes on every span of text at any depth, in tree order, except the text of {@link
     * EsiNode.Literal}s and {@link EsiNode.Inline}s, which hold it themselves.
     */
    public void forEachText(Consumer<Span> each) {
        forEachText(nodes, each);
    }

    /**
     * Returns the page as nodes of a document that contains only the text of this one, its spans
     * concatenated in the order of {@link #forEachText}. Text that is not separated by a node
     * becomes one node. Positions remain those of the parsed document.
     */
    public ParsedPage ofTextAlone() {
        return new ParsedPage(new Packing().packed(nodes), diagnostics, errors, traits);
    }

    /**
     * Rejects a page with diagnostics: strict mode.
     *
     * @param url the page's name in the message
     * @throws UnsoundPageException if there are any; lists them
     */
    public void requireSound(String url) {
        if (errors > 0) {
            throw new UnsoundPageException(url, diagnostics, errors);
        }
    }

    /* The tree, and so the recursion, is at most BlockStack.MAX_DEPTH deep. */
    private static void forEachText(List<EsiNode> nodes, Consumer<Span> each) {
        for (var node : nodes) {
            switch (node) {
                case Text(Span span) -> each.accept(span);
                case Include include -> forEachText(include.subrequest(), each);
                case Eval eval -> forEachText(eval.subrequest(), each);
                case Choose choose -> {
                    choose.whens().forEach(when -> forEachText(when.content(), each));
                    forEachText(choose.otherwise(), each);
                }
                case Try tried -> {
                    tried.attempts().forEach(attempt -> forEachText(attempt, each));
                    tried.excepts().forEach(except -> forEachText(except.content(), each));
                }
                case ForEach loop -> forEachText(loop.content(), each);
                case Region region -> forEachText(region.content(), each);
                case EsiNode.Literal ignored -> {}
                case EsiNode.Write ignored -> {}
                case EsiNode.Inline ignored -> {}
                case EsiNode.Assign ignored -> {}
                case AssignContent ignored -> {}
                case EsiNode.Break ignored -> {}
                case EsiNode.Function ignored -> {}
                case EsiNode.Return ignored -> {}
            }
        }
    }

    private static void forEachText(Subrequest subrequest, Consumer<Span> each) {
        subrequest.replacements().forEach(one -> forEachText(one.content(), each));
    }

    /** Concatenates text spans in the order of {@link #forEachText}. */
    private static final class Packing {
        private int end;

        List<EsiNode> packed(List<EsiNode> nodes) {
            var packed = new ArrayList<EsiNode>();
            int start = end;
            for (var node : nodes) {
                if (node instanceof Text(Span span)) {
                    end += span.length();
                } else {
                    addText(packed, start);
                    packed.add(packed(node));
                    start = end;
                }
            }
            addText(packed, start);
            return packed;
        }

        private void addText(List<EsiNode> packed, int start) {
            if (end > start) {
                packed.add(new Text(new Span(start, end)));
            }
        }

        private EsiNode packed(EsiNode node) {
            return switch (node) {
                case Include(Subrequest subrequest, Position at) ->
                        new Include(packed(subrequest), at);
                case Eval(Subrequest subrequest, boolean ownNamespaceFirst, Position at) ->
                        new Eval(packed(subrequest), ownNamespaceFirst, at);
                case Choose(List<When> whens, List<EsiNode> otherwise) -> {
                    var packedWhens =
                            whens.stream()
                                    .map(when ->
                                            new When(
                                                    when.test(),
                                                    when.matchName(),
                                                    packed(when.content())))
                                    .toList();
                    yield new Choose(packedWhens, packed(otherwise));
                }
                case Try(List<List<EsiNode>> attempts, List<Except> excepts, Position at) -> {
                    var packedAttempts = attempts.stream().map(this::packed).toList();
                    var packedExcepts =
                            excepts.stream()
                                    .map(each -> new Except(each.code(), packed(each.content())))
                                    .toList();
                    yield new Try(packedAttempts, packedExcepts, at);
                }
                case ForEach loop ->
                        new ForEach(
                                loop.collection(), loop.item(), packed(loop.content()), loop.at());
                case Region(String name, List<EsiNode> content) ->
                        new Region(name, packed(content));
                case Text ignored -> node;
                case EsiNode.Literal ignored -> node;
                case EsiNode.Write ignored -> node;
                case EsiNode.Inline ignored -> node;
                case EsiNode.Assign ignored -> node;
                case AssignContent ignored -> node;
                case EsiNode.Break ignored -> node;
                case EsiNode.Function ignored -> node;
                case EsiNode.Return ignored -> node;
            };
        }

        private Subrequest packed(Subrequest subrequest) {
            if (subrequest.replacements().isEmpty()) {
                return subrequest;
            }
            var replacements =
                    subrequest.replacements().stream()
                            .map(each ->
                                    new Subrequest.Replacement(
                                            each.region(), packed(each.content())))
                            .toList();
            return new Subrequest(
                    subrequest.src(),
                    subrequest.alt(),
                    subrequest.onError(),
                    subrequest.isPrimary(),
                    subrequest.parameters(),
                    subrequest.terms(),
                    subrequest.escape(),
                    replacements);
        }
    }
}
