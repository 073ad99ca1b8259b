package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One node of a parsed page. A page is a tree of nodes in document order (ESI 1.0 §3, and the
 * extended language of Akamai and others).
 */
public sealed interface EsiNode {

    /** Bytes between ESI tags, passed on exactly as the origin sent them. */
    record Text(Span span) implements EsiNode {}

    /** Bytes inside a long assign or a function: part of a value, not of the output. */
    record Literal(String bytes) implements EsiNode {}

    /** A reference in a processing context, replaced by its value. */
    record Write(Expression value, Escape escape, Position at) implements EsiNode {}

    /** {@code <esi:include>}, replaced by the fragment at its src, or else at its alt. */
    record Include(Subrequest subrequest, Position at) implements EsiNode {}

    /**
     * {@code <esi:eval>}: the document at its src is processed as if it were part of this one.
     *
     * @param ownNamespaceFirst {@code dca="esi"}: it is first processed on its own, and the result
     *     is processed again as part of this document
     */
    record Eval(Subrequest subrequest, boolean ownNamespaceFirst, Position at) implements EsiNode {}

    /**
     * {@code <esi:inline>}: a document contained in this page.
     *
     * @param name a reference, XML references decoded
     * @param isFetchable whether clients can request it by its name
     * @param content as written in this page, tags included
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
     * @param test empty if it is unreadable: never true
     * @param matchName the name of the variable for the groups of its last match
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
     * @param code the failing status it handles; any, if empty
     */
    record Except(OptionalInt code, List<EsiNode> content) {
        public Except {
            content = List.copyOf(content);
        }
    }

    /** {@code <esi:assign name value>}, to an item of a collection if there is a key. */
    record Assign(String name, Optional<Expression> key, Expression value, Position at)
            implements EsiNode {}

    /** {@code <esi:assign name>content</esi:assign>}; a single reference keeps its type. */
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

    /** The action if a fragment and its alternative both fail. */
    enum OnError {
        /** {@code onerror="continue"}: the element is omitted; this is not an error. */
        CONTINUE,
        /** {@code onerror="fail"}: the document fails. */
        FAIL,
        /** Not given: the page policy decides. */
        PAGE_POLICY
    }
}
