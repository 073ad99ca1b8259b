package dev.quire.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Field lines in a list; heads are short, so look-up is linear. */
record FieldLines(List<Line> lines) implements Fields {

    record Line(String name, String value) {}

    @Override
    public @Nullable String first(String name) {
        for (var line : lines) {
            if (line.name().equalsIgnoreCase(name)) {
                return line.value();
            }
        }
        return null;
    }

    @Override
    public List<String> all(String name) {
        var values = new ArrayList<String>(1);
        for (var line : lines) {
            if (line.name().equalsIgnoreCase(name)) {
                values.add(line.value());
            }
        }
        return values;
    }

    @Override
    public boolean any(String name, Predicate<String> test) {
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            if (line.name().equalsIgnoreCase(name) && test.test(line.value())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        lines.forEach(each -> line.accept(each.name(), each.value()));
    }
}
