package dev.quire.core.parse;

import dev.quire.core.parse.Block.Content;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of {@code <esi:choose>} and {@code <esi:try>} and of their children. */
final class Conditionals {

    /** The branches of an open choose. */
    private static final class Branches {
        final List<EsiNode.When> whens = new ArrayList<>();
        @Nullable List<EsiNode> otherwise;
        boolean hasOtherwise;
    }

    /** The children of an open try. */
    private record Attempts(List<List<EsiNode>> attempts, List<EsiNode.Except> excepts) {}

    private final BlockStack blocks;
    private final TextRuns runs;
    private final ArrayDeque<Branches> chooses = new ArrayDeque<>();
    private final ArrayDeque<Attempts> tries = new ArrayDeque<>();

    Conditionals(BlockStack blocks, TextRuns runs) {
        this.blocks = blocks;
        this.runs = runs;
    }

    void choose(Tag tag, Position at) {
        var branches = new Branches();
        chooses.push(branches);
        boolean isOpen =
                blocks.open(
                        Element.CHOOSE,
                        tag,
                        at,
                        Content.DROPPED,
                        null,
                        content -> {
                            chooses.pop();
                            var otherwise = branches.otherwise;
                            if (branches.whens.isEmpty()) {
                                blocks.report(
                                        at, "<esi:choose> has no <esi:when>", "no branch taken");
                            }
                            runs.add(
                                    new EsiNode.Choose(
                                            branches.whens,
                                            otherwise == null ? List.of() : otherwise));
                        });
        if (!isOpen) {
            chooses.pop();
        }
    }

    void when(Tag tag, Attributes attributes) {
        if (blocks.top().element() != Element.CHOOSE) {
            blocks.misplaced(Element.WHEN, "<esi:choose>", tag, attributes.at());
            return;
        }
        var test = attributes.expression("test", "never true");
        var matchName = attributes.name("matchname");
        var branches = chooses.element();
        blocks.open(
                Element.WHEN,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> branches.whens.add(new EsiNode.When(test, matchName, content)));
    }

    void otherwise(Tag tag, Position at) {
        if (blocks.top().element() != Element.CHOOSE) {
            blocks.misplaced(Element.OTHERWISE, "<esi:choose>", tag, at);
            return;
        }
        var branches = chooses.element();
        boolean isSecond = branches.hasOtherwise;
        branches.hasOtherwise = true;
        if (isSecond) {
            blocks.report(at, "<esi:choose> already has an <esi:otherwise>", PageBuilder.DROPPED);
        }
        blocks.open(
                Element.OTHERWISE,
                tag,
                at,
                Content.INTERPOLATED,
                null,
                content -> {
                    if (!isSecond) {
                        branches.otherwise = content;
                    }
                });
    }

    void tryThis(Tag tag, Position at) {
        var attempts = new Attempts(new ArrayList<>(), new ArrayList<>());
        tries.push(attempts);
        boolean isOpen =
                blocks.open(
                        Element.TRY,
                        tag,
                        at,
                        Content.DROPPED,
                        null,
                        content -> {
                            tries.pop();
                            if (attempts.attempts().isEmpty()) {
                                blocks.report(
                                        at, "<esi:try> has no <esi:attempt>", "nothing attempted");
                            }
                            runs.add(new EsiNode.Try(attempts.attempts(), attempts.excepts(), at));
                        });
        if (!isOpen) {
            tries.pop();
        }
    }

    void attempt(Tag tag, Position at) {
        if (blocks.top().element() != Element.TRY) {
            blocks.misplaced(Element.ATTEMPT, "<esi:try>", tag, at);
            return;
        }
        var attempts = tries.element().attempts();
        blocks.open(Element.ATTEMPT, tag, at, Content.INTERPOLATED, null, attempts::add);
    }

    void except(Tag tag, Attributes attributes) {
        if (blocks.top().element() != Element.TRY) {
            blocks.misplaced(Element.EXCEPT, "<esi:try>", tag, attributes.at());
            return;
        }
        var code = attributes.status("code");
        var excepts = tries.element().excepts();
        blocks.open(
                Element.EXCEPT,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> excepts.add(new EsiNode.Except(code, content)));
    }
}
