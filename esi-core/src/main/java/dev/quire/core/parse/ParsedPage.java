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
 * A whole document as nodes.
 *
 * @param nodes in document order; neighbouring text that was neighbouring in the document is one
 *     node
 * @param diagnostics in document order, at most {@link #MAX_DIAGNOSTICS} of them
 * @param errors how many diagnostics there were, those beyond the list included
 * @param traits what the nodes ask of whoever assembles the page
 */
public record ParsedPage(
        List<EsiNode> nodes, List<Diagnostic> diagnostics, int errors, Traits traits) {

    /** How many diagnostics a page keeps; the rest are only counted. */
    public static final int MAX_DIAGNOSTICS = 100;

    /**
     * What a page asks of whoever assembles it.
     *
     * @param isEvaluated whether anything in it may differ from request to request, or must be
     *     decided: all that is not text, or an include with a fixed address and fixed terms
     * @param editsResponse whether it may change the status or the fields of the response
     * @param mayFail whether an include in it says {@code onerror="fail"}
     * @param hasPrimary whether an include in it is {@code primary}
     */
    public record Traits(
            boolean isEvaluated, boolean editsResponse, boolean mayFail, boolean hasPrimary) {}

    public ParsedPage {
        nodes = List.copyOf(nodes);
        diagnostics = List.copyOf(diagnostics);
    }

    /** A page of {@code nodes}. */
    public ParsedPage(List<EsiNode> nodes, List<Diagnostic> diagnostics, int errors) {
        this(nodes, diagnostics, errors, TraitsReader.of(nodes));
    }

    /** How many bytes of the document are text; they fit an {@code int}, as the document does. */
    public int textBytes() {
        var sum = new int[1];
        forEachText(span -> sum[0] += span.length());
        return sum[0];
    }

    /**
     * Hands over every span of text, wherever in the tree it stands, in the order of the tree. Text
     * of {@link EsiNode.Literal}s and {@link EsiNode.Inline}s is not among it: they hold it.
     */
    public void forEachText(Consumer<Span> each) {
        forEachText(nodes, each);
    }

    /**
     * The page as nodes of another document: of this one's text alone, its spans one behind the
     * other as {@link #forEachText} names them. There, text that no node parts is one node,
     * whatever tags stood in between. Positions remain those of the document as it was parsed.
     */
    public ParsedPage ofTextAlone() {
        return new ParsedPage(new Packing().packed(nodes), diagnostics, errors, traits);
    }

    /**
     * Refuses a page with diagnostics: strict mode.
     *
     * @param url what the page is called in the message
     * @throws UnsoundPageException listing all of them
     */
    public void requireSound(String url) {
        if (errors > 0) {
            throw new UnsoundPageException(url, diagnostics, errors);
        }
    }

    /* The tree is at most BlockStack.MAX_DEPTH deep, and so is the recursion. */
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

    /** Lays text spans one behind the other, in the order of {@link #forEachText}. */
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
