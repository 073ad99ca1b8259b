package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Interpolation;
import dev.quire.core.expression.Interpolation.Piece;
import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.Block.Closing;
import dev.quire.core.parse.Block.Content;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes nodes of what the parser finds: every tag and wrapper vanishes, the text around it stays
 * byte for byte, and elements that are malformed or in a wrong place leave a diagnostic. No markup
 * makes it fail, and none makes it recurse.
 */
final class PageBuilder {

    /*
     * Text is only the place where the present run began; a run ends where something vanishes, and
     * only then is it asked for its bytes, if references may stand in it. So blanks behind an
     * include whose slash is missing need no holding: they are text unless a tag follows that makes
     * the include a container, and then the run simply begins anew behind it.
     *
     * The node of an include is put in its place as soon as its start tag has been read, and once
     * more when its last child has.
     */

    /** How many blocks may stand in one another. */
    static final int MAX_DEPTH = 200;

    /** How many nodes a page may have, not counting text that tags part. */
    static final int MAX_NODES = Interpolation.MAX_PIECES;

    static final String STRIPPED = "tag stripped";

    private static final Expression NULL = new Expression.Literal(Value.Null.NULL);
    private static final String DROPPED = "dropped with its content";
    private static final String AT_THE_END = "closed at the end";

    /** An include or eval that is, or may turn out to be, a container. */
    private static final class OpenCall {
        final Element element;
        final Position at;

        /** Null if it asks for nothing that could be fetched. */
        final @Nullable Call call;

        /** How many blocks are open around it. */
        final int depth;

        /** Its place among the nodes of the block around it; negative if it has none. */
        final int index;

        boolean hasChildren;

        OpenCall(Element element, Position at, @Nullable Call call, int depth, int index) {
            this.element = element;
            this.at = at;
            this.call = call;
            this.depth = depth;
            this.index = index;
        }
    }

    /** An element whose content is kept, and not read. */
    private record Raw(Element element, Position at, Closing closing) {}

    /** What a choose holds so far. */
    private static final class Branches {
        final List<EsiNode.When> whens = new ArrayList<>();
        @Nullable List<EsiNode> otherwise;
        boolean hasOtherwise;
    }

    /** What a try holds so far. */
    private record Attempts(List<List<EsiNode>> attempts, List<EsiNode.Except> excepts) {}

    private final Reading reading;
    private final Openings openings;
    private final Document document;
    private final Diagnostics diagnostics = new Diagnostics();
    private final Set<String> functions = new HashSet<>();
    private final PatternAllowance patterns = new PatternAllowance();
    private final Expressions expressions;

    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final ArrayDeque<Branches> chooses = new ArrayDeque<>();
    private final ArrayDeque<Attempts> tries = new ArrayDeque<>();
    private final ArrayDeque<OpenCall> calls = new ArrayDeque<>();

    /** How many blocks and calls of each element are open. */
    private final Tally open = new Tally();

    private @Nullable Raw raw;
    private boolean isTooDeep;
    private int nodes;
    private boolean isFull;
    private Position textFrom = new Position(1, 1, 0);

    /** Whether what looks like a reference in the present run stays what it is. */
    private boolean isVerbatim;

    private boolean isInString;
    private int wrappers;
    private @Nullable Position outermostWrapper;

    PageBuilder(Reading reading, Openings openings, Document document) {
        this.reading = reading;
        this.openings = openings;
        this.document = document;
        this.expressions = new Expressions(reading.dialect(), functions, patterns);
        blocks.push(Block.document());
    }

    /** Whether a {@code -->} would close something. */
    boolean isInWrapper() {
        return wrappers > 0;
    }

    /** The element whose end tag is all that counts from here on; null if there is none. */
    @Nullable Element raw() {
        return raw == null ? null : raw.element();
    }

    /** From which offset on the document must stay at hand; none if it is negative. */
    int heldFrom() {
        var block = block();
        boolean isHeld =
                raw == null
                        ? switch (block.content()) {
                            case INTERPOLATED, DROPPED -> true;
                            // A stamp in it would have to be seen.
                            case COPIED -> openings.areStamped();
                            case REMOVED -> false;
                        }
                        : raw.element() == Element.INLINE
                                || block.isValue()
                                || openings.areStamped();
        return isHeld ? textFrom.offset() : -1;
    }

    /** {@code <!--esi} at {@code at}. */
    void wrapperOpened(Position at, Position end) {
        vanish(at, end);
        if (wrappers++ == 0) {
            outermostWrapper = at;
        }
    }

    /** The {@code -->} of the innermost wrapper. */
    void wrapperClosed(Position start, Position end) {
        vanish(start, end);
        wrappers--;
    }

    /** An HTML comment or CDATA section begins. */
    void opaqueFrom(Position start) {
        if (heldFrom() >= 0) {
            vanish(start, start);
            isVerbatim = true;
        }
    }

    /** The HTML comment or CDATA section has ended. */
    void opaqueUntil(Position end) {
        if (isVerbatim) {
            vanish(end, end);
            isVerbatim = false;
        }
    }

    /** A JSON string begins or ends. */
    void inString(boolean isInString, Position at) {
        if (raw == null && heldFrom() >= 0) {
            vanish(at, at);
        }
        this.isInString = isInString;
    }

    /** A tag that cannot be read; {@link #report} has been told. */
    void brokenTag(Position start, Position end) {
        vanish(start, end);
    }

    /**
     * The end of the element whose content is not read.
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
            isVerbatim = true;
            vanish(start, end);
            isVerbatim = false;
        } else {
            var content = document.text(textFrom.offset(), start.offset());
            ended.closing().closed(List.of(new EsiNode.Literal(content)));
            textFrom = end;
        }
    }

    /**
     * A whole tag.
     *
     * @param end where the document goes on behind it
     * @param onlyBlanksBefore whether nothing but blanks stands between it and the tag before it
     */
    void tag(Tag tag, Position at, Position end, boolean onlyBlanksBefore) {
        var block = block();
        if (block.content() == Content.REMOVED) {
            if (tag.ends(block.element())) {
                close();
                textFrom = end;
            }
            return;
        }
        var call = awaiting();
        if (call != null) {
            if (onlyBlanksBefore && belongs(call, tag, at)) {
                textFrom = end;
                return;
            }
            leave(call, "closed behind its last child");
        }
        vanish(at, end);
        if (tag.hasStrayBytes()) {
            report(at, "something in the tag is no attribute", "skipped");
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

    /** Counts something malformed, and keeps it if there is room. */
    void report(Position at, String what, String instead) {
        diagnostics.report(at, what, instead);
    }

    /** The page; its text ends at {@code end}. */
    ParsedPage finish(Position end) {
        if (raw != null) {
            notClosed(raw.at(), raw.element(), AT_THE_END);
            rawEnded(end, end);
        }
        vanish(end, end);
        var call = awaiting();
        while (blocks.size() > 1 || call != null) {
            if (call != null) {
                leave(call, AT_THE_END);
            } else {
                notClosed(block().at(), block().element(), AT_THE_END);
                close();
            }
            call = awaiting();
        }
        if (wrappers > 0 && outermostWrapper != null) {
            report(outermostWrapper, "<!--esi is not closed", AT_THE_END);
        }
        return new ParsedPage(block().nodes(), diagnostics.inOrder(), diagnostics.count());
    }

    // What a tag does

    private void start(Element element, Tag tag, Position at) {
        var attributes = attributes(tag, at);
        var around = block();
        if (around.isValue() && element.isBarredFromValues()) {
            report(at, "<" + element + "> must not stand in a value", STRIPPED);
            strip(element, tag);
            return;
        }
        if (around.content() == Content.DROPPED && !mayStandIn(around.element(), element)) {
            report(at, "<" + element + "> in <" + around.element() + "> is no part of it", DROPPED);
        }
        if (element.isEmpty() && !tag.isEmptyElement()) {
            report(at, "<" + element + "> must end in />", "taken as if it did");
            around.strip(element);
        }
        switch (element) {
            case INCLUDE, EVAL -> call(element, tag, attributes);
            case INLINE -> inline(tag, attributes);
            case FRAGMENT -> fragment(tag, attributes);
            case CHOOSE -> choose(tag, at);
            case WHEN -> when(tag, attributes);
            case OTHERWISE -> otherwise(tag, at);
            case TRY -> tryThis(tag, at);
            case ATTEMPT -> attempt(tag, at);
            case EXCEPT -> except(tag, attributes);
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
                if (around.isInLoop()) {
                    add(new EsiNode.Break());
                } else {
                    misplaced(element, "<esi:foreach>", tag, at);
                }
            }
            case FUNCTION -> function(tag, attributes);
            case RETURN -> {
                if (around.isInFunction()) {
                    add(new EsiNode.Return(attributes.expression("value", "null").orElse(NULL)));
                } else {
                    misplaced(element, "<esi:function>", tag, at);
                }
            }
            case PARAM, REQUEST_HEADER, REQUEST_BODY, REPLACE ->
                    misplaced(element, "<esi:include>", tag, at);
            case LOG, INVALIDATE -> removed(element, tag, at, "has no effect");
            case DEBUG, ENVIRONMENT, REDIRECT, COOKIE, SPECIAL_INCLUDE ->
                    report(at, "<" + element + "> has no effect", STRIPPED);
            case UNKNOWN -> throw new IllegalStateException("an unknown element has no meaning");
        }
    }

    private void end(Element element, Position at) {
        if (block().swallows(element)) {
            return;
        }
        if (!open.has(element)) {
            report(at, "nothing is open that </" + element + "> could close", STRIPPED);
            return;
        }
        var instead = "closed by </" + element + ">";
        while (block().element() != element) {
            var call = awaiting();
            if (call != null && call.element == element) {
                leave(call);
                return;
            }
            if (call != null) {
                leave(call, instead);
            } else {
                notClosed(block().at(), block().element(), instead);
                close();
            }
        }
        // Of an include in it a child may just have been closed.
        var call = awaiting();
        if (call != null) {
            leave(call, instead);
        }
        close();
    }

    private void call(Element element, Tag tag, Attributes attributes) {
        Call call = null;
        if (tag.count("src") > 1) {
            attributes.report("<" + element + "> has more than one src", STRIPPED);
        } else {
            Optional<Escape> escape = isInString ? Optional.of(Escape.JSON) : Optional.empty();
            call = Call.of(element, attributes, escape);
        }
        int index = -1;
        if (call != null && add(call.node())) {
            index = block().nodes().size() - 1;
        }
        if (!tag.isEmptyElement()) {
            calls.push(new OpenCall(element, attributes.at(), call, blocks.size(), index));
            open.add(element);
        }
    }

    /** Whether {@code tag}, which only blanks part from the last one, belongs to the call. */
    private boolean belongs(OpenCall call, Tag tag, Position at) {
        var element = tag.element();
        if (tag.ends(call.element)) {
            leave(call);
            return true;
        }
        if (!element.isChildOfCall()) {
            return false;
        }
        if (tag.isEndTag()) {
            // Behind <esi:param></esi:param>, the first of which has been told of.
            return call.hasChildren;
        }
        child(call, element, tag, at);
        return true;
    }

    private void child(OpenCall open, Element element, Tag tag, Position at) {
        open.hasChildren = true;
        var attributes = attributes(tag, at);
        var call = open.call;
        if (element.isEmpty() && !tag.isEmptyElement()) {
            report(at, "<" + element + "> must end in />", "taken as if it did");
        }
        switch (element) {
            case PARAM -> ifPresent(call, each -> each.parameter(attributes));
            case REQUEST_HEADER -> ifPresent(call, each -> each.header(attributes));
            case REQUEST_BODY -> ifPresent(call, each -> each.body(attributes));
            case REPLACE -> replace(call, tag, attributes);
            case LOG -> removed(element, tag, at, "has no effect");
            default -> throw new IllegalStateException(element + " is no child of an include");
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
        open(
                Element.REPLACE,
                tag,
                attributes.at(),
                block().content(),
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
                        add(new EsiNode.Inline(name.get(), isFetchable, bytes, attributes.at()));
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
            strip(Element.FRAGMENT, tag);
            return;
        }
        open(
                Element.FRAGMENT,
                tag,
                attributes.at(),
                block().content(),
                null,
                content -> add(new EsiNode.Region(name.get(), content)));
    }

    private void choose(Tag tag, Position at) {
        var branches = new Branches();
        chooses.push(branches);
        boolean isOpen =
                open(
                        Element.CHOOSE,
                        tag,
                        at,
                        Content.DROPPED,
                        null,
                        content -> {
                            chooses.pop();
                            var otherwise = branches.otherwise;
                            if (branches.whens.isEmpty()) {
                                report(at, "<esi:choose> has no <esi:when>", "none taken");
                            }
                            add(
                                    new EsiNode.Choose(
                                            branches.whens,
                                            otherwise == null ? List.of() : otherwise));
                        });
        if (!isOpen) {
            chooses.pop();
        }
    }

    private void when(Tag tag, Attributes attributes) {
        if (block().element() != Element.CHOOSE) {
            misplaced(Element.WHEN, "<esi:choose>", tag, attributes.at());
            return;
        }
        var test = attributes.expression("test", "never true");
        var matchName = attributes.name("matchname").orElse(null);
        var branches = chooses.element();
        open(
                Element.WHEN,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> branches.whens.add(new EsiNode.When(test, matchName, content)));
    }

    private void otherwise(Tag tag, Position at) {
        if (block().element() != Element.CHOOSE) {
            misplaced(Element.OTHERWISE, "<esi:choose>", tag, at);
            return;
        }
        var branches = chooses.element();
        boolean isSecond = branches.hasOtherwise;
        branches.hasOtherwise = true;
        if (isSecond) {
            report(at, "<esi:choose> has an <esi:otherwise> already", DROPPED);
        }
        open(
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

    private void tryThis(Tag tag, Position at) {
        var attempts = new Attempts(new ArrayList<>(), new ArrayList<>());
        tries.push(attempts);
        boolean isOpen =
                open(
                        Element.TRY,
                        tag,
                        at,
                        Content.DROPPED,
                        null,
                        content -> {
                            tries.pop();
                            if (attempts.attempts().isEmpty()) {
                                report(at, "<esi:try> has no <esi:attempt>", "nothing attempted");
                            }
                            add(new EsiNode.Try(attempts.attempts(), attempts.excepts(), at));
                        });
        if (!isOpen) {
            tries.pop();
        }
    }

    private void attempt(Tag tag, Position at) {
        if (block().element() != Element.TRY) {
            misplaced(Element.ATTEMPT, "<esi:try>", tag, at);
            return;
        }
        var attempts = tries.element().attempts();
        open(Element.ATTEMPT, tag, at, Content.INTERPOLATED, null, attempts::add);
    }

    private void except(Tag tag, Attributes attributes) {
        if (block().element() != Element.TRY) {
            misplaced(Element.EXCEPT, "<esi:try>", tag, attributes.at());
            return;
        }
        var code = attributes.status("code");
        var excepts = tries.element().excepts();
        open(
                Element.EXCEPT,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> excepts.add(new EsiNode.Except(code, content)));
    }

    private void vars(Tag tag, Attributes attributes) {
        var escape = attributes.escape().orElse(null);
        var name = attributes.value("name");
        if (name.isPresent()) {
            var value = expressions.quoted(name.get());
            add(new EsiNode.Write(value, escape == null ? escape() : escape, attributes.at()));
            endsHere(Element.VARS, tag, attributes);
        } else if (tag.isEmptyElement()) {
            attributes.report("<esi:vars> has neither name nor content", STRIPPED);
        } else {
            var at = attributes.at();
            open(Element.VARS, tag, at, Content.INTERPOLATED, escape, content -> {});
        }
    }

    private void assign(Tag tag, Attributes attributes) {
        var at = attributes.at();
        var target = Names.target(attributes.value("name").orElse(""), expressions);
        if (target == null) {
            attributes.report("<esi:assign> has no name, which must be " + Names.EXPECTED, DROPPED);
        }
        var text = attributes.value("value");
        if (text.isPresent()) {
            if (target != null) {
                var value = assigned(text.get(), attributes);
                add(new EsiNode.Assign(target.name(), target.key(), value, at));
            }
            endsHere(Element.ASSIGN, tag, attributes);
            return;
        }
        if (tag.isEmptyElement()) {
            attributes.report("<esi:assign> has neither value nor content", STRIPPED);
            return;
        }
        open(
                Element.ASSIGN,
                tag,
                at,
                Content.INTERPOLATED,
                null,
                content -> {
                    if (target != null) {
                        add(new EsiNode.AssignContent(target.name(), target.key(), content, at));
                    }
                });
    }

    /** What is no expression is text. */
    private Expression assigned(String text, Attributes attributes) {
        var read = expressions.expression(text);
        if (read.problem() != null) {
            boolean isRead = read.expression() != null;
            attributes.report(
                    "value: " + read.problem(),
                    isRead ? "evaluated as it stands" : "taken as text");
        }
        var expression = read.expression();
        return expression == null ? expressions.quoted(text) : expression;
    }

    private void forEach(Tag tag, Attributes attributes) {
        var collection = attributes.expression("collection", DROPPED);
        var item = attributes.name("item").orElse("item");
        open(
                Element.FOREACH,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content ->
                        collection.ifPresent(each ->
                                add(new EsiNode.ForEach(each, item, content, attributes.at()))));
    }

    private void function(Tag tag, Attributes attributes) {
        var name = attributes.value("name").filter(Names::isName);
        if (name.isEmpty()) {
            attributes.report(
                    "<esi:function> has no name, which must be " + Names.EXPECTED, DROPPED);
        }
        // Before its content, which may call it.
        name.ifPresent(functions::add);
        open(
                Element.FUNCTION,
                tag,
                attributes.at(),
                Content.INTERPOLATED,
                null,
                content -> name.ifPresent(each -> add(new EsiNode.Function(each, content))));
    }

    private void removed(Element element, Tag tag, Position at, String without) {
        if (element != Element.REMOVE || tag.isEmptyElement()) {
            report(at, "<" + element + "> " + without, STRIPPED);
        }
        if (!tag.isEmptyElement()) {
            open(element, tag, at, Content.REMOVED, null, content -> {});
        }
    }

    // Blocks

    private Block block() {
        return blocks.element();
    }

    /** Opens a block, and closes it again if the tag is all of it; false if it is too deep. */
    private boolean open(
            Element element,
            Tag tag,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        // Whatever shows anything of a choose or try is one level deeper.
        int levels = content == Content.DROPPED ? 2 : 1;
        if (blocks.size() + levels > MAX_DEPTH + 1) {
            if (!isTooDeep) {
                isTooDeep = true;
                report(at, "blocks stand more than " + MAX_DEPTH + " deep", "deeper tags stripped");
            }
            strip(element, tag);
            return false;
        }
        blocks.push(block().inner(element, at, content, escape, closing));
        open.add(element);
        if (tag.isEmptyElement()) {
            close();
        }
        return true;
    }

    private void close() {
        var closed = blocks.pop();
        open.take(closed.element());
        closed.close();
    }

    /** The call whose children or end tag would come next; null if there is none. */
    private @Nullable OpenCall awaiting() {
        var call = calls.peek();
        return call != null && call.depth == blocks.size() ? call : null;
    }

    private void leave(OpenCall call) {
        calls.pop();
        open.take(call.element);
        if (call.call != null && call.index >= 0 && call.hasChildren) {
            block().nodes().set(call.index, call.call.node());
        }
    }

    /** A call ends where something follows that cannot belong to it. */
    private void leave(OpenCall call, String instead) {
        leave(call);
        if (call.hasChildren) {
            notClosed(call.at, call.element, instead);
        }
    }

    private void misplaced(Element element, String place, Tag tag, Position at) {
        // Of what stands too deep that has been told, not what became of its branches.
        if (blocks.size() < MAX_DEPTH) {
            report(at, "<" + element + "> must stand inside " + place, STRIPPED);
        }
        strip(element, tag);
    }

    private void strip(Element element, Tag tag) {
        if (!tag.isEmptyElement() && !element.isEmpty()) {
            block().strip(element);
        }
    }

    /** An attribute has said everything; what stands behind the tag is no part of it. */
    private void endsHere(Element element, Tag tag, Attributes attributes) {
        if (!tag.isEmptyElement()) {
            attributes.report("<" + element + "> must end in />", "taken as if it did");
            block().strip(element);
        }
    }

    private static boolean mayStandIn(Element block, Element element) {
        return switch (element) {
            case WHEN, OTHERWISE -> block == Element.CHOOSE;
            case ATTEMPT, EXCEPT -> block == Element.TRY;
            // They show nothing anyway, or are told of for another reason.
            case COMMENT, REMOVE, LOG, INVALIDATE, DEBUG, ENVIRONMENT, REDIRECT, COOKIE -> true;
            default -> false;
        };
    }

    private Attributes attributes(Tag tag, Position at) {
        if (tag.hasDuplicates()) {
            report(at, "an attribute stands there twice", "the first one counts");
        }
        return new Attributes(tag, at, expressions, diagnostics);
    }

    private void notClosed(Position at, Element element, String instead) {
        report(at, "<" + element + "> is not closed", instead);
    }

    // Nodes

    /** Adds {@code node} to the present block, if that shows anything. */
    private boolean add(EsiNode node) {
        var block = block();
        if (!block.shows() || !hasRoomFor(1)) {
            return false;
        }
        nodes++;
        block.nodes().add(node);
        return true;
    }

    /** Text that goes on where the last one ended is one with it. */
    private void addText(int start, int end) {
        var nodes = block().nodes();
        if (!nodes.isEmpty()
                && nodes.getLast() instanceof EsiNode.Text(Span last)
                && last.end() == start) {
            nodes.removeLast();
            start = last.start();
        }
        block().nodes().add(new EsiNode.Text(new Span(start, end)));
    }

    private boolean hasRoomFor(int more) {
        boolean isTooMuch = more > MAX_NODES - nodes;
        if (isTooMuch && !isFull) {
            isFull = true;
            report(textFrom, "the page has more than " + MAX_NODES + " nodes", "the rest left out");
        }
        return !isTooMuch;
    }

    /** The bytes from {@code start} to {@code end} are no part of the output. */
    private void vanish(Position start, Position end) {
        if (start.offset() > textFrom.offset()) {
            run(textFrom, start.offset());
        }
        textFrom = end;
    }

    private void run(Position from, int end) {
        var block = block();
        switch (block.content()) {
            case COPIED -> addCopied(from.offset(), end);
            case INTERPOLATED -> {
                if (isVerbatim) {
                    addVerbatim(from.offset(), end);
                } else {
                    interpolate(from, end);
                }
            }
            case DROPPED -> {
                if (!isVerbatim && !document.text(from.offset(), end).isBlank()) {
                    report(from, "text in <" + block.element() + "> is no part of it", "dropped");
                }
            }
            case REMOVED -> {}
        }
    }

    private void addVerbatim(int start, int end) {
        if (block().isValue()) {
            addLiteral(document.text(start, end));
        } else {
            addCopied(start, end);
        }
    }

    private void addCopied(int start, int end) {
        if (openings.areStamped()) {
            addUnstamped(document.text(start, end), start);
        } else {
            addText(start, end);
        }
    }

    /** What stands at {@code offset}, without any stamp: nobody is to learn that. */
    private void addUnstamped(String text, int offset) {
        int from = 0;
        int at = openings.stampIn(text, 0);
        while (at >= 0) {
            if (at > from) {
                addText(offset + from, offset + at);
            }
            from = openings.behindStamp(text, at);
            at = openings.stampIn(text, from);
        }
        if (from < text.length()) {
            addText(offset + from, offset + text.length());
        }
    }

    private void interpolate(Position from, int end) {
        int start = from.offset();
        var text = document.text(start, end);
        var pieces =
                isPlain(text)
                        ? List.<Piece>of()
                        : Interpolation.of(
                                        text,
                                        functions,
                                        reading.dialect(),
                                        patterns,
                                        openings.mark())
                                .pieces();
        if (pieces.isEmpty() || !hasRoomFor(pieces.size())) {
            addVerbatim(start, end);
            return;
        }
        var literal = new StringBuilder();
        var at = new Walk(text, from);
        for (var piece : pieces) {
            switch (piece) {
                case Piece.Verbatim(int first, int last) -> {
                    if (block().isValue()) {
                        literal.append(text, first, last);
                    } else {
                        nodes++;
                        addUnstamped(text.substring(first, last), start + first);
                    }
                }
                case Piece.Reference reference -> {
                    addLiteral(literal.toString());
                    literal.setLength(0);
                    add(
                            new EsiNode.Write(
                                    reference.expression(), escape(), at.to(reference.start())));
                }
            }
        }
        addLiteral(literal.toString());
    }

    /** Whether {@code text} is the same in every request. */
    private boolean isPlain(String text) {
        return openings.areStamped()
                ? openings.stampIn(text, 0) < 0
                : text.indexOf('$') < 0 && text.indexOf('\\') < 0;
    }

    private void addLiteral(String text) {
        var shown = openings.without(text);
        if (!shown.isEmpty()) {
            add(new EsiNode.Literal(shown));
        }
    }

    /** How a reference is written where nothing else is asked for. */
    private Escape escape() {
        var asked = block().escape();
        if (asked != null) {
            return asked;
        }
        return switch (reading.notation()) {
            case MARKUP -> reading.escape();
            case JSON -> isInString ? Escape.JSON : Escape.NONE;
        };
    }

    /** Counts lines along a run of text. */
    private static final class Walk {
        private final String text;
        private final int offset;
        private int done;
        private int line;
        private int column;

        Walk(String text, Position from) {
            this.text = text;
            this.offset = from.offset();
            this.line = from.line();
            this.column = from.column();
        }

        /** The position of the char at {@code index}, which is not before the last one asked. */
        Position to(int index) {
            while (done < index) {
                if (text.charAt(done++) == '\n') {
                    line++;
                    column = 1;
                } else {
                    column++;
                }
            }
            return new Position(line, column, offset + index);
        }
    }
}
