package dev.quire.proxy.lint;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import dev.quire.core.parse.Subrequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The text of a page without ESI tags, one char per byte, with all branches in sequence. Each
 * fragment or value is replaced by one private-use character, so that the surrounding HTML is
 * parsed as it will be.
 */
final class Remains {
    private static final int FIRST_MARK = 0xF0000;
    private static final int MOST_MARKS = 0xFFFE;

    /** Maps an offset in the text to its source offset in the page. */
    private record Run(int offset, int source) {}

    private final byte[] page;
    private final StringBuilder building = new StringBuilder();
    private final List<Run> runs = new ArrayList<>();
    private final List<InsertionPoint> slots = new ArrayList<>();
    private final String text;
    private final int[] lineStarts;

    private Remains(byte[] page, List<EsiNode> nodes) {
        this.page = page;
        add(nodes);
        text = building.toString();
        lineStarts =
                IntStream.concat(
                                IntStream.of(0),
                                IntStream.range(0, page.length)
                                        .filter(i -> page[i] == '\n')
                                        .map(i -> i + 1))
                        .toArray();
    }

    /** Returns the remaining text of {@code page}, parsed into {@code nodes}. */
    static Remains of(byte[] page, List<EsiNode> nodes) {
        return new Remains(page, nodes);
    }

    /** The text, including marks. */
    String text() {
        return text;
    }

    /** All slots; slot k has mark k. */
    List<InsertionPoint> slots() {
        return slots;
    }

    /** The slots whose marks are in {@code part}, in order. */
    List<InsertionPoint> slotsIn(String part) {
        var found = new ArrayList<InsertionPoint>();
        for (int at = 0; at < part.length(); at++) {
            if (Character.isHighSurrogate(part.charAt(at))) {
                int number = part.codePointAt(at) - FIRST_MARK;
                if (number >= 0 && number < slots.size()) {
                    found.add(slots.get(number));
                }
            }
        }
        return found;
    }

    /** Returns the position in the page of the char at {@code offset} of the text. */
    Position position(int offset) {
        int low = 0;
        int high = runs.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (runs.get(middle).offset() <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        var run = runs.get(low);
        return positionInPage(run.source() + offset - run.offset());
    }

    private Position positionInPage(int offset) {
        int found = Arrays.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        return new Position(line + 1, offset - lineStarts[line] + 1, offset);
    }

    /* Recursion is limited by the nesting limit of the parser. */
    private void add(List<EsiNode> nodes) {
        for (var node : nodes) {
            switch (node) {
                case EsiNode.Text stays -> add(stays.span());
                case EsiNode.Write write ->
                        mark(InsertionPoint.Kind.REFERENCE, isEscaped(write), write.at());
                case EsiNode.Include include ->
                        mark(
                                InsertionPoint.Kind.INCLUDE,
                                isEscaped(include.subrequest()),
                                include.at());
                case EsiNode.Eval eval ->
                        mark(InsertionPoint.Kind.EVAL, isEscaped(eval.subrequest()), eval.at());
                case EsiNode.Choose choose -> {
                    choose.whens().forEach(when -> add(when.content()));
                    add(choose.otherwise());
                }
                case EsiNode.Try attempts -> {
                    attempts.attempts().forEach(this::add);
                    attempts.excepts().forEach(except -> add(except.content()));
                }
                case EsiNode.ForEach loop -> add(loop.content());
                case EsiNode.Region region -> add(region.content());
                case EsiNode.Literal part -> {}
                case EsiNode.Inline document -> {}
                case EsiNode.Assign value -> {}
                case EsiNode.AssignContent value -> {}
                case EsiNode.Break leave -> {}
                case EsiNode.Function function -> {}
                case EsiNode.Return leave -> {}
            }
        }
    }

    private void add(Span span) {
        runs.add(new Run(building.length(), span.start()));
        building.append(new String(page, span.start(), span.length(), ISO_8859_1));
    }

    private void mark(InsertionPoint.Kind kind, boolean isEscaped, Position at) {
        if (slots.size() < MOST_MARKS) {
            int offset = building.length();
            building.appendCodePoint(FIRST_MARK + slots.size());
            slots.add(new InsertionPoint(kind, isEscaped, at, offset));
        }
    }

    private static boolean isEscaped(Subrequest subrequest) {
        return subrequest.escape().isPresent();
    }

    private static boolean isEscaped(EsiNode.Write write) {
        return write.escape() != Escape.MARKUP || isHarmless(write.value());
    }

    /** Whether the value contains no character that could end its context. */
    private static boolean isHarmless(Expression value) {
        return value instanceof Expression.Call call
                && switch (call.function()) {
                    case "html_encode",
                            "url_encode",
                            "base64_encode",
                            "digest_md5_hex",
                            "int",
                            "len",
                            "index",
                            "rindex",
                            "time",
                            "http_time",
                            "rand",
                            "last_rand" ->
                            true;
                    default -> false;
                };
    }
}
