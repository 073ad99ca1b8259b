package dev.quire.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of a message head in the order received (RFC 9110 §5). Names are compared
 * regardless of case; a name may have several lines.
 */
public interface Fields {

    Fields EMPTY =
            new Fields() {
                @Override
                public @Nullable String first(String name) {
                    return null;
                }

                @Override
                public List<String> all(String name) {
                    return List.of();
                }

                @Override
                public void forEach(BiConsumer<String, String> line) {}

                @Override
                public String toString() {
                    return "Fields.EMPTY";
                }
            };

    /** Returns the value of the first line called {@code name}, or null. */
    @Nullable String first(String name);

    /** Returns the values of all lines called {@code name}, in order; possibly empty. */
    List<String> all(String name);

    /** Whether {@code test} accepts the value of a line called {@code name}. */
    default boolean any(String name, Predicate<String> test) {
        return all(name).stream().anyMatch(test);
    }

    /** Passes the name and value of every line to {@code line}, in order. */
    void forEach(BiConsumer<String, String> line);

    /** Whether there is a line called {@code name}. */
    default boolean contains(String name) {
        return first(name) != null;
    }

    /** Returns the lines whose name does not match {@code names}, in order. */
    default Fields without(Predicate<String> names) {
        var kept = new Builder();
        forEach((name, value) -> {
            if (!names.test(name)) {
                kept.add(name, value);
            }
        });
        return kept.build();
    }

    /**
     * Creates lines from alternating names and values, in order.
     *
     * @throws IllegalArgumentException if the last name has no value
     */
    static Fields of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("names and values must alternate");
        }
        var lines = new Builder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            lines.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return lines.build();
    }

    /** Collects lines one by one. Confined to one thread. */
    final class Builder {
        private final ArrayList<FieldLines.Line> lines = new ArrayList<>();

        /** Adds a line at the end. */
        public Builder add(String name, String value) {
            lines.add(new FieldLines.Line(name, value));
            return this;
        }

        /** Adds all lines of {@code fields}, in order. */
        public Builder addAll(Fields fields) {
            fields.forEach(this::add);
            return this;
        }

        /** Returns the lines so far; later additions do not change it. */
        public Fields build() {
            return lines.isEmpty() ? EMPTY : new FieldLines(List.copyOf(lines));
        }
    }
}
