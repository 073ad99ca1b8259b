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
 * What a browser gets to see of a page: its text without ESI tags, one char for each byte, all
 * branches one behind the other. Where a fragment or a value will stand there is one private-use
 * character instead, so that HTML around it is read as it will be.
 */
final class Remains {
    private static final int FIRST_MARK = 0xF0000;
    private static final int MOST_MARKS = 0xFFFE;

    /** From where in the page the text at an offset and behind it was taken. */
    private record Run(int offset, int source) {}

    private final byte[] page;
    private final StringBuilder building = new StringBuilder();
    private final List<Run> runs = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
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

    /** What stays of {@code page}, which has been parsed into {@code nodes}. */
    static Remains of(byte[] page, List<EsiNode> nodes) {
        return new Remains(page, nodes);
    }

    /** The text, marks among it. */
    String text() {
        return text;
    }

    /** All slots, the k-th of which has the k-th mark. */
    List<Slot> slots() {
        return slots;
    }

    /** The slots whose marks are in {@code part}, in order. */
    List<Slot> slotsIn(String part) {
        var found = new ArrayList<Slot>();
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

    /** Where in the page the char at {@code offset} of the text stands. */
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

    /* As deep as blocks may be nested, which the parser limits. */
    private void add(List<EsiNode> nodes) {
        for (var node : nodes) {
            switch (node) {
                case EsiNode.Text stays -> add(stays.span());
                case EsiNode.Write write -> mark(Slot.Kind.REFERENCE, isEscaped(write), write.at());
                case EsiNode.Include include ->
                        mark(Slot.Kind.INCLUDE, isEscaped(include.subrequest()), include.at());
                case EsiNode.Eval eval ->
                        mark(Slot.Kind.EVAL, isEscaped(eval.subrequest()), eval.at());
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

    private void mark(Slot.Kind kind, boolean isEscaped, Position at) {
        if (slots.size() < MOST_MARKS) {
            int offset = building.length();
            building.appendCodePoint(FIRST_MARK + slots.size());
            slots.add(new Slot(kind, isEscaped, at, offset));
        }
    }

    private static boolean isEscaped(Subrequest subrequest) {
        return subrequest.escape().isPresent();
    }

    private static boolean isEscaped(EsiNode.Write write) {
        return write.escape() != Escape.MARKUP || isHarmless(write.value());
    }

    /** Whether the value has no character that could end anything. */
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
