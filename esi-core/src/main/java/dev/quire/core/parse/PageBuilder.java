package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.Block.Closing;
import dev.quire.core.parse.Block.Content;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds nodes from the parser's events. Every tag and wrapper is removed, the text around it stays
 * byte for byte, and malformed or misplaced elements are reported. Markup can neither make it fail
 * nor make it recurse.
 */
final class PageBuilder {

    /*
     * The node of an include is added as soon as its start tag has been read, and replaced after
     * its last child.
     */

    static final String STRIPPED = "tag stripped";

    private static final Expression NULL = new Expression.Literal(Value.Null.NULL);
    static final String DROPPED = "dropped with its content";
    private static final String AT_THE_END = "closed at the end";

    /** An element whose content is copied without being parsed. */
    private record Raw(Element element, Position at, Closing closing) {}

    private final Openings openings;
    private final Diagnostics diagnostics = new Diagnostics();
    private final BlockStack blocks = new BlockStack(diagnostics);
    private final OpenCalls calls = new OpenCalls(blocks);
    private final Set<String> functions = new HashSet<>();
    private final Expressions expressions;
    private final TextRuns runs;
    private final Conditionals conditionals;

    private @Nullable Raw raw;
    private int wrappers;
    private @Nullable Position outermostWrapper;

    PageBuilder(ParseOptions reading, Openings openings, Document document) {
        var patterns = new PatternAllowance();
        this.openings = openings;
        this.expressions = new Expressions(reading.dialect(), functions, patterns);
        this.runs = new TextRuns(reading, openings, document, blocks, functions, patterns);
        this.conditionals = new Conditionals(blocks, runs);
    }

    /** Whether a {@code -->} would close a wrapper. */
    boolean isInWrapper() {
        return wrappers > 0;
    }

    /** Returns the element whose content is being skipped up to its end tag, or null. */
    @Nullable Element raw() {
        return raw == null ? null : raw.element();
    }

    /** Returns the offset from which the document must stay in memory; negative if none. */
    int retainedFrom() {
        var block = blocks.top();
        boolean isRetained =
                raw == null
                        ? switch (block.content()) {
                            case INTERPOLATED, DROPPED -> true;
                            // Needed to find a stamp in it.
                            case COPIED -> openings.areStamped();
                            case REMOVED -> false;
                        }
                        : raw.element() == Element.INLINE
                                || block.isValue()
                                || openings.areStamped();
        return isRetained ? runs.start() : -1;
    }

    /** Handles {@code <!--esi} at {@code at}. */
    void wrapperOpened(Position at, Position end) {
        runs.vanish(at, end);
        if (wrappers++ == 0) {
            outermostWrapper = at;
        }
    }

    /** Handles the {@code -->} of the innermost wrapper. */
    void wrapperClosed(Position start, Position end) {
        runs.vanish(start, end);
        wrappers--;
    }

    /** Begins an HTML comment or CDATA section. */
    void opaqueFrom(Position start) {
        if (retainedFrom() >= 0) {
            runs.verbatimFrom(start);
        }
    }

    /** Ends the HTML comment or CDATA section. */
    void opaqueUntil(Position end) {
        runs.verbatimUntil(end, end);
    }

    /** Begins or ends a JSON string. */
    void inString(boolean isInString, Position at) {
        if (raw == null && retainedFrom() >= 0) {
            runs.vanish(at, at);
        }
        runs.inString(isInString);
    }

    /** Drops a malformed tag, which has already been reported. */
    void brokenTag(Position start, Position end) {
        runs.vanish(start, end);
    }

    /**
     * Ends the element whose content is not parsed.
     *
     * @param start of its end tag
     */
    void rawEnded(Position start, Position end) {
        var ended = raw;
        if (ended == null) {
            throw new IllegalStateException("no content is raw");
        }
        raw = null;
        if (ended.element() == Element.TEXT) {
            runs.endVerbatim(start, end);
        } else {
            var content = runs.until(start);
            ended.closing().closed(List.of(new EsiNode.Literal(content)));
            runs.restart(end);
        }
    }

    /**
     * Handles a complete tag.
     *
     * @param end the offset after the tag
     * @param onlyBlanksBefore whether only white space is between it and the previous tag
     */
    void tag(Tag tag, Position at, Position end, boolean onlyBlanksBefore) {
        var block = blocks.top();
        if (block.content() == Content.REMOVED) {
            if (tag.ends(block.element())) {
                blocks.close();
                runs.restart(end);
            }
            return;
        }
        var call = calls.awaiting();
        if (call != null) {
            if (onlyBlanksBefore && belongs(call, tag, at)) {
                runs.restart(end);
                return;
            }
            calls.leave(call, "closed after its last child");
        }
        runs.vanish(at, end);
        if (tag.isMalformed()) {
            report(at, "no blank between the name and what follows it", STRIPPED);
            return;
        }
        if (tag.hasStrayBytes()) {
            report(at, "the tag contains something that is not an attribute", "skipped");
        }
        var element = tag.element();
        if (element == Element.UNKNOWN) {
            report(at, "unknown element", STRIPPED);
        } else if (tag.isEndTag()) {
            end(element, at);
        } else {
            start(element, tag, at);
        }
    }

    /** Counts a problem, and stores it if there is room. */
    void report(Position at, String what, String instead) {
        diagnostics.report(at, what, instead);
    }

    ParsedPage finish(Position end) {
        if (raw != null) {
            blocks.notClosed(raw.at(), raw.element(), AT_THE_END);
            rawEnded(end, end);
        }
        runs.vanish(end, end);
        var call = calls.awaiting();
        while (blocks.depth() > 1 || call != null) {
            if (call != null) {
                calls.leave(call, AT_THE_END);
            } else {
                blocks.notClosed(blocks.top().at(), blocks.top().element(), AT_THE_END);
                blocks.close();
            }
            call = calls.awaiting();
        }
        if (wrappers > 0 && outermostWrapper != null) {
            report(outermostWrapper, "<!--esi is not closed", AT_THE_END);
        }
        return new ParsedPage(blocks.top().nodes(), diagnostics.inOrder(), diagnostics.count());
    }

    // The effect of each tag

    private void start(Element element, Tag tag, Position at) {
        var attributes = attributes(tag, at);
        var enclosing = blocks.top();
        if (enclosing.isValue() && element.isBarredFromValues()) {
            report(at, "<" + element + "> is not allowed in a value", STRIPPED);
            blocks.strip(element, tag);
            return;
        }
        if (enclosing.content() == Content.DROPPED && !element.mayStandIn(enclosing.element())) {
            report(
                    at,
                    "<" + element + "> is not allowed directly in <" + enclosing.element() + ">",
                    DROPPED);
        }
        if (element.isEmpty() && !tag.isEmptyElement()) {
            report(at, "<" + element + "> must end in />", "treated as if it did");
            enclosing.strip(element);
        }
        switch (element) {
            case INCLUDE, EVAL -> call(element, tag, attributes);
            case INLINE -> inline(tag, attributes);
            case FRAGMENT -> fragment(tag, attributes);
            case CHOOSE -> conditionals.choose(tag, at);
            case WHEN -> conditionals.when(tag, attributes);
            case OTHERWISE -> conditionals.otherwise(tag, at);
            case TRY -> conditionals.tryThis(tag, at);
            case ATTEMPT -> conditionals.attempt(tag, at);
            case EXCEPT -> conditionals.except(tag, attributes);
            case VARS -> vars(tag, attributes);
            case TEXT -> {
                if (!tag.isEmptyElement()) {
                    raw = new Raw(element, at, content -> {});
                }
            }
            case REMOVE -> removed(element, tag, at, "has no content to remove");
            case COMMENT -> {}
            case ASSIGN -> assign(tag, attributes);
            case FOREACH -> forEach(tag, attributes);
            case BREAK -> {
                if (enclosing.isInLoop()) {
                    runs.add(new EsiNode.Break());
                } else {
                    blocks.misplaced(element, "<esi:foreach>", tag, at);
                }
            }
            case FUNCTION -> function(tag, attributes);
            case RETURN -> {
                if (enclosing.isInFunction()) {
                    runs.add(
                            new EsiNode.Return(
                                    attributes.expression("value", "null").orElse(NULL)));
                } else {
                    blocks.misplaced(element, "<esi:function>", tag, at);
                }
            }
            case PARAM, REQUEST_HEADER, REQUEST_BODY, REPLACE ->
                    blocks.misplaced(element, "<esi:include>", tag, at);
            case LOG, INVALIDATE -> removed(element, tag, at, "has no effect");
            case DEBUG, ENVIRONMENT, REDIRECT, COOKIE, SPECIAL_INCLUDE ->
                    report(at, "<" + element + "> has no effect", STRIPPED);
            case UNKNOWN -> throw new IllegalStateException("an unknown element has no meaning");
        }
    }

    private void end(Element element, Position at) {
        if (blocks.top().swallows(element)) {
            return;
        }
        if (!blocks.open().has(element)) {
            report(at, "</" + element + "> has no start tag", STRIPPED);
            return;
        }
        var instead = "closed by </" + element + ">";
        while (blocks.top().element() != element) {
            var call = calls.awaiting();
            if (call != null && call.element == element) {
                calls.leave(call);
                return;
            }
            if (call != null) {
                calls.leave(call, instead);
            } else {
                blocks.notClosed(blocks.top().at(), blocks.top().element(), instead);
                blocks.close();
            }
        }
        // Closing a child may have left an include inside it open.
        var call = calls.awaiting();
        if (call != null) {
            calls.leave(call, instead);
        }
        blocks.close();
    }

    private void call(Element element, Tag tag, Attributes attributes) {
        Call call = null;
        if (tag.count("src") > 1) {
            attributes.report("<" + element + "> has more than one src", STRIPPED);
        } else {
            Optional<Escape> escape =
                    runs.isInString() ? Optional.of(Escape.JSON) : Optional.empty();
            call = Call.of(element, attributes, escape);
        }
        int index = -1;
        if (call != null && runs.add(call.node())) {
            index = blocks.top().nodes().size() - 1;
        }
        if (!tag.isEmptyElement()) {
            calls.begin(element, attributes.at(), call, index);
        }
    }

    /** Whether {@code tag}, which directly follows the last one, belongs to the call. */
    private boolean belongs(OpenCalls.OpenCall call, Tag tag, Position at) {
        var element = tag.element();
        if (tag.ends(call.element)) {
            calls.leave(call);
            return true;
        }
        if (!element.isChildOfCall()) {
            return false;
        }
        if (tag.isEndTag()) {
            // After <esi:param></esi:param>, whose start tag has been reported.
            return call.hasChildren;
        }
        child(call, element, tag, at);
        return true;
    }

    private void child(OpenCalls.OpenCall open, Element element, Tag tag, Position at) {
        open.hasChildren = true;
        var attributes = attributes(tag, at);
        var call = open.call;
        if (element.isEmpty() && !tag.isEmptyElement()) {
            report(at, "<" + element + "> must end in />", "treated as if it did");
        }
        switch (element) {
            case PARAM -> ifPresent(call, each -> each.parameter(attributes));
            case REQUEST_HEADER -> ifPresent(call, each -> each.header(attributes));
            case REQUEST_BODY -> ifPresent(call, each -> each.body(attributes));
            case REPLACE -> replace(call, tag, attributes);
            case LOG -> removed(element, tag, at, "has no effect");
            default -> throw new IllegalStateException(element + " is not a child of an include");
        }
    }

    private static void ifPresent(@Nullable Call call, Consumer<Call> then) {
        if (call != null) {
            then.accept(call);
        }
    }

    private void replace(@Nullable Call call, Tag tag, Attributes attributes) {
        var region = attributes.text("fragment");
        if (region.isEmpty()) {
            attributes.report("<esi:replace> has no fragment", DROPPED);
        }
        blocks.open(
                Element.REPLACE,
                tag,
                attributes.at(),
                blocks.top().content(),
                null,
                content -> {
                    if (call != null) {
                        region.ifPresent(name -> call.replacement(name, content));
                    }
                });
    }

    private void inline(Tag tag, Attributes attributes) {
        var name = attributes.text("name");
        boolean isFetchable =
                attributes.word("fetchable", "yes", "no").filter("yes"::equals).isPresent();
        if (name.isEmpty()) {
            attributes.report("<esi:inline> has no name", DROPPED);
        }
        Closing closing =
                content -> {
                    if (name.isPresent()
                            && content.getFirst() instanceof EsiNode.Literal(String bytes)) {
                        runs.add(
                                new EsiNode.Inline(
                                        name.get(), isFetchable, bytes, attributes.at()));
                    }
                };
        if (tag.isEmptyElement()) {
            closing.closed(List.of(new EsiNode.Literal("")));
        } else {
            raw = new Raw(Element.INLINE, attributes.at(), closing);
        }
    }

    private void fragment(Tag tag, Attributes attributes) {
        var name = attributes.text("name");
        if (name.isEmpty()) {
            attributes.report("<esi:fragment> has no name", STRIPPED);
            blocks.strip(Element.FRAGMENT, tag);
            return;
        }
        blocks.open(
                Element.FRAGMENT,
                tag,
                attributes.at(),
                blocks.top().content(),
                null,
                content -> runs.add(new EsiNode.Region(name.get(), content)));
    }

    private void vars(Tag tag, Attributes attributes) {
        var escape = attributes.escape().orElse(null);
        var name = attributes.value("name");
        if (name.isPresent()) {
            var value = expressions.quoted(name.get());
            runs.add(
                    new EsiNode.Write(
                            value, escape == null ? runs.escape() : escape, attributes.at()));
            blocks.endsHere(Element.VARS, tag, attributes);
        } else if (tag.isEmptyElement()) {
            attributes.report("<esi:vars> has neither name nor content", STRIPPED);
        } else {
            var at = attributes.at();
            blocks.open(Element.VARS, tag, at, Content.INTERPOLATED, escape, content -> {});
        }
    }

    private void assign(Tag tag, Attributes attributes) {
        var at = attributes.at();
        var target = Names.target(attributes.value("name").orElse(""), expressions);
        if (target == null) {
            attributes.report(
                    "<esi:assign> has no valid name, expected " + Names.EXPECTED, DROPPED);
        }
        var text = attributes.value("value");
        if (text.isPresent()) {
            if (target != null) {
                var value = assigned(text.get(), attributes);
                runs.add(new EsiNode.Assign(target.name(), target.key(), value, at));
            }
            blocks.endsHere(Element.ASSIGN, tag, attributes);
            return;
        }
        if (tag.isEmptyElement()) {
            attributes.report("<esi:assign> has neither value nor content", STRIPPED);
            return;
        }
        blocks.open(
                Element.ASSIGN,
                tag,
                at,
                Content.INTERPOLATED,
                null,
                content -> {
                    if (target != null) {
                        runs.add(
                                new EsiNode.AssignContent(
                                        target.name(), target.key(), content, at));
                    }
                });
    }

    /** Returns the value of an assign; anything that is not an expression is text. */
    private Expression assigned(String text, Attributes attributes) {
        var read = expressions.expression(text);
        if (read.problem() != null) {
            boolean isRead = read.expression() != null;
            attributes.report(
                    "value: " + read.problem(), isRead ? "evaluated as written" : "taken as text");
        }
        var expression = read.expression();
        return expression == null ? expressions.quoted(text) : expression;
    }

    private void forEach(Tag tag, Attributes attributes) {
        var collection = attributes.expression("collection", DROPPED);
        var item = attributes.name("item").orElse("item");
        blocks.open(
                Element.FOREACH,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content ->
                        collection.ifPresent(each ->
                                runs.add(
                                        new EsiNode.ForEach(
                                                each, item, content, attributes.at()))));
    }

    private void function(Tag tag, Attributes attributes) {
        var name = attributes.value("name").filter(Names::isName);
        if (name.isEmpty()) {
            attributes.report(
                    "<esi:function> has no valid name, expected " + Names.EXPECTED, DROPPED);
        }
        // Before its content, which may call it.
        name.ifPresent(functions::add);
        blocks.open(
                Element.FUNCTION,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> name.ifPresent(each -> runs.add(new EsiNode.Function(each, content))));
    }

    private void removed(Element element, Tag tag, Position at, String without) {
        if (element != Element.REMOVE || tag.isEmptyElement()) {
            report(at, "<" + element + "> " + without, STRIPPED);
        }
        if (!tag.isEmptyElement()) {
            blocks.open(element, tag, at, Content.REMOVED, null, content -> {});
        }
    }

    // Blocks

    private Attributes attributes(Tag tag, Position at) {
        if (tag.hasDuplicates()) {
            report(at, "an attribute is given twice", "the first one is used");
        }
        return new Attributes(tag, at, expressions, diagnostics);
    }

    // Nodes
}
