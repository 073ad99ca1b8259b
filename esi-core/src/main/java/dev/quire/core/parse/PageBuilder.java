package dev.quire.core.parse;

import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.OnError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes nodes of what the parser finds: every tag and wrapper vanishes, the text around it stays
 * byte for byte, and elements that are malformed or in a wrong place leave a diagnostic. No markup
 * makes it fail.
 */
final class PageBuilder {

    /*
     * Text is only the offset where the present run began; a run ends where something vanishes. So
     * blanks behind an include whose slash is missing need no holding: they are text unless a tag
     * follows that makes the include a container, and then the run simply begins anew behind it.
     */

    private static final String STRIPPED = "tag stripped";

    /**
     * An element whose end tag is awaited.
     *
     * @param hasChildren whether it is known to be a container; an include becomes one by its first
     *     child
     */
    private record Block(Element element, Position at, boolean hasChildren) {}

    private final List<EsiNode> nodes = new ArrayList<>();
    private final List<Diagnostic> diagnostics = new ArrayList<>();
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private int errors;
    private int textFrom;
    private int wrappers;
    private @Nullable Position outermostWrapper;

    /** Whether a {@code -->} would close something. */
    boolean isInWrapper() {
        return wrappers > 0;
    }

    /** {@code <!--esi} at {@code at}. */
    void wrapperOpened(Position at, int end) {
        vanish(at.offset(), end);
        if (wrappers++ == 0) {
            outermostWrapper = at;
        }
    }

    /** The {@code -->} of the innermost wrapper. */
    void wrapperClosed(int start, int end) {
        vanish(start, end);
        wrappers--;
    }

    /** A tag that cannot be read; {@link #report} has been told. */
    void brokenTag(int start, int end) {
        vanish(start, end);
    }

    /**
     * A whole tag.
     *
     * @param end the offset behind it
     * @param onlyBlanksBefore whether nothing but blanks stands between it and the tag before it
     */
    void tag(Tag tag, Position at, int end, boolean onlyBlanksBefore) {
        var block = blocks.peek();
        if (block == null) {
            free(tag, at, end);
            return;
        }
        switch (block.element()) {
            case REMOVE -> removed(tag, end);
            case REPLACE -> replacement(tag, end);
            case INCLUDE -> {
                if (!onlyBlanksBefore || !insideInclude(block, tag, at, end)) {
                    leaveInclude(block);
                    free(tag, at, end);
                }
            }
            case COMMENT, PARAM, REQUEST_HEADER, REQUEST_BODY, UNKNOWN ->
                    throw new IllegalStateException(block.element() + " is no block");
        }
    }

    /** Counts something malformed, and keeps it if there is room. */
    void report(Position at, String what, String instead) {
        errors++;
        if (diagnostics.size() < ParsedPage.MAX_DIAGNOSTICS) {
            diagnostics.add(new Diagnostic(at, what, instead));
        }
    }

    /** The page; its text ends at {@code end}. */
    ParsedPage finish(int end) {
        vanish(end, end);
        for (var block : blocks) {
            if (block.hasChildren()) {
                notClosed(block.at(), "<" + block.element() + ">", "closed at the end");
            }
        }
        if (wrappers > 0 && outermostWrapper != null) {
            notClosed(outermostWrapper, "<!--esi", "closed at the end");
        }
        diagnostics.sort(Comparator.comparingInt(each -> each.at().offset()));
        return new ParsedPage(nodes, diagnostics, errors);
    }

    /** A tag that stands in no block. */
    private void free(Tag tag, Position at, int end) {
        vanish(at.offset(), end);
        var element = tag.element();
        if (tag.hasStrayBytes()) {
            report(at, "something in the tag is no attribute", "skipped");
        }
        if (element == Element.UNKNOWN) {
            report(at, "unknown element", STRIPPED);
        } else if (tag.isEndTag()) {
            report(at, "nothing is open that </" + element + "> could close", STRIPPED);
        } else {
            start(element, tag, at);
        }
    }

    private void start(Element element, Tag tag, Position at) {
        switch (element) {
            case INCLUDE -> include(tag, at);
            case REMOVE -> {
                if (tag.isEmptyElement()) {
                    report(at, "<esi:remove/> has no content to remove", STRIPPED);
                } else {
                    blocks.push(new Block(Element.REMOVE, at, true));
                }
            }
            case COMMENT -> {
                if (!tag.isEmptyElement()) {
                    report(at, "<esi:comment> must end in />", STRIPPED);
                }
            }
            case PARAM, REQUEST_HEADER, REQUEST_BODY, REPLACE ->
                    report(at, "<" + element + "> must stand inside <esi:include>", STRIPPED);
            case UNKNOWN -> throw new IllegalStateException("an unknown element has no meaning");
        }
    }

    private void include(Tag tag, Position at) {
        var src = tag.value("src").orElse("");
        if (tag.count("src") > 1) {
            report(at, "<esi:include> has more than one src", STRIPPED);
        } else if (src.isEmpty()) {
            report(at, "<esi:include> has no src", STRIPPED);
        } else {
            var alt = tag.value("alt");
            if (alt.filter(String::isEmpty).isPresent()) {
                report(at, "<esi:include> has an empty alt", "alt ignored");
            }
            var onError =
                    tag.value("onerror").filter("continue"::equals).isPresent()
                            ? OnError.CONTINUE
                            : OnError.PAGE_POLICY;
            nodes.add(
                    new EsiNode.Include(
                            Subrequest.of(
                                    Template.of(src),
                                    alt.filter(each -> !each.isEmpty()).map(Template::of),
                                    onError),
                            at));
        }
        if (!tag.isEmptyElement()) {
            blocks.push(new Block(Element.INCLUDE, at, false));
        }
    }

    /** Whether {@code tag}, which only blanks part from the last one, belongs to the include. */
    private boolean insideInclude(Block include, Tag tag, Position at, int end) {
        var element = tag.element();
        if (tag.ends(Element.INCLUDE)) {
            blocks.pop();
        } else if (!element.isChildOfInclude()) {
            return false;
        } else if (!tag.isEndTag()) {
            child(include, element, tag, at);
        }
        textFrom = end;
        return true;
    }

    private void child(Block include, Element element, Tag tag, Position at) {
        report(at, "<" + element + "> is not supported yet", "ignored");
        blocks.pop();
        blocks.push(new Block(Element.INCLUDE, include.at(), true));
        if (element == Element.REPLACE && !tag.isEmptyElement()) {
            blocks.push(new Block(Element.REPLACE, at, true));
        }
    }

    /** An include ends where something follows that cannot belong to it. */
    private void leaveInclude(Block include) {
        blocks.pop();
        if (include.hasChildren()) {
            notClosed(include.at(), "<esi:include>", "closed behind its last child");
        }
    }

    private void removed(Tag tag, int end) {
        if (tag.ends(Element.REMOVE)) {
            textFrom = end;
            blocks.pop();
        }
    }

    private void replacement(Tag tag, int end) {
        if (tag.ends(Element.REPLACE)) {
            textFrom = end;
            blocks.pop();
        } else if (tag.ends(Element.INCLUDE)) {
            textFrom = end;
            blocks.pop();
            blocks.pop();
        }
    }

    private void notClosed(Position at, String opening, String instead) {
        report(at, opening + " is not closed", instead);
    }

    /** The bytes from {@code start} to {@code end} are no part of the output. */
    private void vanish(int start, int end) {
        if (start > textFrom && !isDropping()) {
            nodes.add(new EsiNode.Text(new Span(textFrom, start)));
        }
        textFrom = end;
    }

    private boolean isDropping() {
        var block = blocks.peek();
        return block != null
                && (block.element() == Element.REMOVE || block.element() == Element.REPLACE);
    }
}
