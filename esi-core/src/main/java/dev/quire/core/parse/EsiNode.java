package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One piece of a parsed page. A page is a tree of these in document order (ESI 1.0 §3, and the
 * extended language of Akamai and its kin).
 */
public sealed interface EsiNode {

    /** Bytes between ESI tags, passed on exactly as the origin sent them. */
    record Text(Span span) implements EsiNode {}

    /** Bytes inside a long assign or a function: part of a value, not of the output. */
    record Literal(String bytes) implements EsiNode {}

    /** A reference in a processing context: its value stands here. */
    record Write(Expression value, Escape escape, Position at) implements EsiNode {}

    /** {@code <esi:include>}: the fragment at its src, else at its alt, stands here. */
    record Include(Subrequest subrequest, Position at) implements EsiNode {}

    /**
     * {@code <esi:eval>}: the document at its src is processed as if it stood here.
     *
     * @param ownNamespaceFirst {@code dca="esi"}: it is processed by itself, and what comes of that
     *     once more here
     */
    record Eval(Subrequest subrequest, boolean ownNamespaceFirst, Position at) implements EsiNode {}

    /**
     * {@code <esi:inline>}: a document this page brings along.
     *
     * @param name a reference, XML references decoded
     * @param isFetchable whether the name can be asked for by itself
     * @param content as it stands in this page, tags and all
     */
    record Inline(String name, boolean isFetchable, String content, Position at)
            implements EsiNode {}

    /** {@code <esi:choose>}. */
    record Choose(List<When> whens, List<EsiNode> otherwise) implements EsiNode {
        public Choose {
            whens = List.copyOf(whens);
            otherwise = List.copyOf(otherwise);
        }
    }

    /**
     * {@code <esi:when>}.
     *
     * @param test empty if it cannot be read: never true
     * @param matchName what the groups of its last match are called
     */
    record When(Optional<Expression> test, Optional<String> matchName, List<EsiNode> content) {
        public When {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:try>}. */
    record Try(List<List<EsiNode>> attempts, List<Except> excepts, Position at) implements EsiNode {
        public Try {
            attempts = attempts.stream().map(List::copyOf).toList();
            excepts = List.copyOf(excepts);
        }
    }

    /**
     * {@code <esi:except>}.
     *
     * @param code the failing status it is for; any, if empty
     */
    record Except(OptionalInt code, List<EsiNode> content) {
        public Except {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:assign name value>}, into a collection if there is a key. */
    record Assign(String name, Optional<Expression> key, Expression value, Position at)
            implements EsiNode {}

    /** {@code <esi:assign name>content</esi:assign>}; one reference alone keeps its type. */
    record AssignContent(String name, Optional<Expression> key, List<EsiNode> content, Position at)
            implements EsiNode {
        public AssignContent {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:foreach>}. */
    record ForEach(Expression collection, String item, List<EsiNode> content, Position at)
            implements EsiNode {
        public ForEach {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:break/>}: leaves the innermost loop. */
    record Break() implements EsiNode {}

    /** {@code <esi:function name>}. */
    record Function(String name, List<EsiNode> content) implements EsiNode {
        public Function {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:return value/>}: ends the call of the innermost function. */
    record Return(Expression value) implements EsiNode {}

    /** {@code <esi:fragment name>}: a region that an include of this page can ask for alone. */
    record Region(String name, List<EsiNode> content) implements EsiNode {
        public Region {
            content = List.copyOf(content);
        }
    }

    /** What an author asked for when a fragment and its alternative both fail. */
    enum OnError {
        /** {@code onerror="continue"}: the element disappears, and that is no error. */
        CONTINUE,
        /** {@code onerror="fail"}: the document fails. */
        FAIL,
        /** Nothing said: the page policy decides. */
        PAGE_POLICY
    }
}
