package dev.quire.core.rule;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes of field lines: first {@code unset}, then {@code set}, then {@code add}. Immutable.
 *
 * @param phase its closed fields stay, whatever the patterns match
 * @param unset patterns of names, regardless of case
 * @param set lines that replace those of the same name
 * @param add further lines, unless there is the same one
 */
public record FieldEdits(Phase phase, List<TextPattern> unset, List<Line> set, List<Line> add) {
    public static final FieldEdits NONE =
            new FieldEdits(Phase.REQUEST, List.of(), List.of(), List.of());

    /** A line to write; not written if its value is empty. */
    public record Line(String name, TextTemplate value) {}

    public FieldEdits {
        unset = List.copyOf(unset);
        set = List.copyOf(set);
        add = List.copyOf(add);
    }

    public boolean isEmpty() {
        return unset.isEmpty() && set.isEmpty() && add.isEmpty();
    }

    /**
     * Returns {@code fields} after these changes.
     *
     * @throws RuleError if a value cannot be determined, or is not a field value
     */
    public Fields applied(Fields fields, RuleValues values, List<@Nullable String> groups) {
        if (isEmpty()) {
            return fields;
        }
        var lines =
                new Fields.Builder().addAll(fields.without(name -> isUnset(name) || isSet(name)));
        for (var line : set) {
            var value = value(line, values, groups);
            if (!value.isEmpty()) {
                lines.add(line.name(), value);
            }
        }
        for (var line : add) {
            var value = value(line, values, groups);
            if (!value.isEmpty() && !lines.build().all(line.name()).contains(value)) {
                lines.add(line.name(), value);
            }
        }
        return lines.build();
    }

    private static String value(Line line, RuleValues values, List<@Nullable String> groups) {
        var value = line.value().text(values, groups).strip();
        if (!FieldSyntax.isValue(value)) {
            throw new RuleError("the value of " + line.name() + " is not a field value");
        }
        return value;
    }

    /** Whether lines called {@code name} are removed. */
    public boolean isUnset(String name) {
        for (var pattern : unset) {
            if (pattern.matches(name)) {
                return !phase.isClosed(name);
            }
        }
        return false;
    }

    private boolean isSet(String name) {
        for (var line : set) {
            if (line.name().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it writes lines called {@code name}. */
    boolean writes(String name) {
        return written().stream().anyMatch(line -> line.name().equalsIgnoreCase(name));
    }

    /** The lines that it writes. */
    List<Line> written() {
        var lines = new ArrayList<>(set);
        lines.addAll(add);
        return lines;
    }

    /** The names of the variables that its templates read. */
    public Set<String> variables() {
        var names = new HashSet<String>();
        set.forEach(line -> names.addAll(line.value().variables()));
        add.forEach(line -> names.addAll(line.value().variables()));
        return names;
    }
}
