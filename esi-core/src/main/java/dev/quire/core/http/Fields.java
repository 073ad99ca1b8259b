package dev.quire.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of a message head in the order they came (RFC 9110 §5). Names compare without
 * regard to case; a name may stand on several lines.
 */
public interface Fields {

    /** No lines at all. */
    Fields EMPTY = new FieldLines(List.of());

    /** The value of the first line called {@code name}, or null when there is none. */
    @Nullable String first(String name);

    /** The values of all lines called {@code name}, in order; empty when there is none. */
    List<String> all(String name);

    /** Hands every line to {@code line} as name and value, in order. */
    void forEach(BiConsumer<String, String> line);

    /** Whether a line called {@code name} is there. */
    default boolean contains(String name) {
        return first(name) != null;
    }

    /**
     * Lines from alternating names and values, in order.
     *
     * @throws IllegalArgumentException if the last name has no value
     */
    static Fields of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("names and values must alternate");
        }
        var lines = new ArrayList<FieldLines.Line>(namesAndValues.length / 2);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            lines.add(new FieldLines.Line(namesAndValues[i], namesAndValues[i + 1]));
        }
        return new FieldLines(List.copyOf(lines));
    }
}
