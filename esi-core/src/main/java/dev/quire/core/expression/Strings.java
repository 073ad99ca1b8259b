package dev.quire.core.expression;

import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Text;
import java.util.ArrayList;
import java.util.OptionalLong;

/** The built-in functions that read, cut and join strings and lists. */
final class Strings {
    private static final String BLANK = " ";

    private Strings() {}

    static String stripped(String text, boolean atStart, boolean atEnd) {
        int start = 0;
        int end = text.length();
        while (atStart && start < end && Ascii.isBlank(text.charAt(start))) {
            start++;
        }
        while (atEnd && end > start && Ascii.isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    /** Bytes of a string, items of a list, entries of a dictionary. */
    static Value length(Arguments call) {
        return switch (call.at(0)) {
            case Value.Items list -> call.number(list.items.size());
            case Value.Dictionary dictionary -> call.number(dictionary.entries.size());
            default -> call.number(call.text(0).text().length());
        };
    }

    /** From one index to before another; negative ones count from the end. */
    static Value substring(Arguments call) {
        if (call.isMissing(0)) {
            return Null.NULL;
        }
        var text = call.text(0);
        var from = call.integer(1);
        var to = call.count() < 3 ? OptionalLong.of(text.text().length()) : call.integer(2);
        if (from.isEmpty() || to.isEmpty()) {
            return Null.NULL;
        }
        int start = clamped(from.getAsLong(), text.text().length());
        int end = Math.max(start, clamped(to.getAsLong(), text.text().length()));
        return call.made(text, whole -> whole.substring(start, end));
    }

    private static int clamped(long index, int length) {
        return (int) Math.clamp(index < 0 ? index + length : index, 0L, length);
    }

    /** Index of the second string in the first; -1 if it is not found. */
    static Value index(Arguments call, boolean isFirst) {
        if (call.isMissing(0) || call.isMissing(1)) {
            return call.number(-1);
        }
        var text = call.text(0).text();
        var needle = call.text(1).text();
        if (!call.evaluation().mayRead((long) text.length() + needle.length())) {
            return Null.NULL;
        }
        return call.number(isFirst ? Search.first(text, needle, 0) : Search.last(text, needle));
    }

    static Value replace(Arguments call) {
        if (call.isMissing(0)) {
            return Null.NULL;
        }
        var text = call.text(0);
        var old = call.text(1);
        var replacement = call.text(2);
        var limit = call.count() < 4 ? OptionalLong.of(Long.MAX_VALUE) : call.integer(3);
        if (limit.isEmpty()
                || !call.evaluation().mayRead((long) text.text().length() + old.text().length())) {
            return Null.NULL;
        }
        if (old.text().isEmpty()) {
            return text;
        }
        var joined = new Joined(call.evaluation()).add(new Text("", old.source()));
        int done = 0;
        int found = Search.first(text.text(), old.text(), 0);
        for (long count = 0; found >= 0 && count < limit.getAsLong(); count++) {
            joined.add(part(text, done, found)).add(replacement);
            if (joined.isTooMuch()) {
                return Null.NULL;
            }
            done = found + old.text().length();
            found = Search.first(text.text(), old.text(), done);
        }
        return joined.add(part(text, done, text.text().length())).value();
    }

    private static Text part(Text text, int start, int end) {
        return new Text(text.text().substring(start, end), text.source(), text.isMarkup());
    }

    /** 0 for text that is not a number; decimals are cut off. */
    static Value integer(Arguments call) {
        if (call.at(0) instanceof Value.Int number) {
            return number;
        }
        var text = stripped(call.text(0).text(), true, true);
        int point = Numbers.isNumber(text) ? text.indexOf('.') : -1;
        return call.number(Numbers.integer(point < 0 ? text : text.substring(0, point)).orElse(0));
    }

    static Value join(Arguments call) {
        if (!(call.at(0) instanceof Value.Items list)) {
            return call.text(0);
        }
        var separator = call.isMissing(1) ? new Text(BLANK, Value.Source.AUTHOR) : call.text(1);
        var joined = new Joined(call.evaluation());
        for (int i = 0; i < list.items.size() && !joined.isTooMuch(); i++) {
            if (i > 0) {
                joined.add(separator);
            }
            joined.add(list.items.get(i));
        }
        return joined.value();
    }

    /** The parts between separators; the third argument limits the number of cuts. */
    static Value split(Arguments call) {
        var given = call.text(0);
        var text = new Text(given.text(), call.source(), given.isMarkup());
        var separator = call.string(1, BLANK);
        var limit = call.isMissing(2) ? OptionalLong.of(Long.MAX_VALUE) : call.integer(2);
        var evaluation = call.evaluation();
        if (limit.isEmpty()
                || !evaluation.mayRead((long) text.text().length() + separator.length())
                || !evaluation.mayProduce(text.text().length())) {
            return Null.NULL;
        }
        var items = new ArrayList<Value>();
        int done = 0;
        for (long cuts = 0; cuts < limit.getAsLong(); cuts++) {
            // Without a separator every byte becomes a part.
            int found = separator.isEmpty() ? done + 1 : Search.first(text.text(), separator, done);
            if (found < 0 || (separator.isEmpty() && found >= text.text().length())) {
                break;
            }
            if (!evaluation.mayList(1)) {
                return Null.NULL;
            }
            items.add(part(text, done, found));
            done = found + separator.length();
        }
        items.add(part(text, done, text.text().length()));
        return new Value.Items(items);
    }
}
