package dev.quire.core.expression;

import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cookies of one request (RFC 6265 §4.2.1), parsed once. Names are case-sensitive, the first of
 * a name is used, values stay unchanged.
 */
final class Cookies {
    private final List<String> lines;
    private final NamePatterns denied;
    private final boolean escapes;
    private final Map<String, Cookie> byName = new HashMap<>();

    /** One cookie; whether its name is denied is checked at the first access. */
    private static final class Cookie {
        private final String value;
        private @Nullable Text text;

        Cookie(String value) {
            this.value = value;
        }
    }

    Cookies(List<String> lines, NamePatterns denied, boolean escapes) {
        this.lines = lines;
        this.denied = denied;
        this.escapes = escapes;
        for (var line : lines) {
            read(line);
        }
    }

    private void read(String line) {
        int start = 0;
        while (start < line.length()) {
            int end = end(line, start);
            int equals = line.indexOf('=', start, end);
            if (equals >= 0) {
                byName.putIfAbsent(
                        line.substring(start, equals).strip(),
                        new Cookie(line.substring(equals + 1, end).strip()));
            }
            start = end + 1;
        }
    }

    private static int end(String line, int start) {
        int end = line.indexOf(';', start);
        return end < 0 ? line.length() : end;
    }

    /**
     * Returns the cookie called {@code name}, or for {@code name;sub} that part of its value. A
     * denied cookie is returned whole, for {@link Scope#requested} to refuse its parts.
     */
    Value value(String name) {
        int semicolon = name.indexOf(';');
        if (semicolon < 0) {
            return text(name);
        }
        var part = name.substring(semicolon + 1);
        if (text(name.substring(0, semicolon)) instanceof Text whole) {
            if (whole.source() == Source.SECRET) {
                return whole;
            }
            var value = Query.first(whole.text(), part);
            return value == null
                    ? Value.Null.NULL
                    : new Text(value, whole.source(), whole.isMarkup());
        }
        return Value.Null.NULL;
    }

    private Value text(String name) {
        var cookie = byName.get(name);
        if (cookie == null) {
            return Value.Null.NULL;
        }
        var text = cookie.text;
        if (text == null) {
            var source = denied.match(name) ? Source.SECRET : Source.CLIENT;
            text = new Text(cookie.value, source, !escapes);
            cookie.text = text;
        }
        return text;
    }

    /** Returns all lines joined, without denied cookies. */
    Value all() {
        if (lines.isEmpty()) {
            return Value.Null.NULL;
        }
        var kept = new StringBuilder();
        for (var line : lines) {
            int start = 0;
            while (start < line.length()) {
                int end = end(line, start);
                var pair = line.substring(start, end).strip();
                int equals = pair.indexOf('=');
                var name = equals < 0 ? pair : pair.substring(0, equals).strip();
                if (!pair.isEmpty() && !denied.match(name)) {
                    kept.append(kept.isEmpty() ? "" : "; ").append(pair);
                }
                start = end + 1;
            }
        }
        return new Text(kept.toString(), Source.CLIENT, !escapes);
    }
}
