package dev.quire.news.writing;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The facts of one article. Not thread-safe. */
final class Facts {
    private final Map<String, Object> values = new HashMap<>();

    Facts with(String name, Object value) {
        values.put(name, value);
        return this;
    }

    <T> T value(String name, Class<T> type) {
        return type.cast(found(name, name));
    }

    /**
     * Returns the fact {@code name} as it is printed: capitalised if the name is, a whole number
     * with commas between thousands.
     *
     * @throws IllegalStateException if it is missing
     */
    String printed(String name) {
        var plain = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
        var value = found(plain, name);
        var words =
                value instanceof Number number
                        ? String.format(Locale.ROOT, "%,d", number.longValue())
                        : value.toString();
        return plain.equals(name)
                ? words
                : words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    private Object found(String plain, String name) {
        var value = values.get(plain);
        if (value == null) {
            throw new IllegalStateException(
                    "expected one of the facts " + values.keySet() + ", found {" + name + "}");
        }
        return value;
    }
}
