package dev.quire.test.cases;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A requirement on one field of a head. Lines of the same name are joined by a comma and a space
 * (RFC 9110 §5.3).
 */
sealed interface FieldRule {
    /** Lists whose order is not significant. */
    Set<String> IN_ANY_ORDER = Set.of("vary", "cache-control");

    String name();

    /** Whether the lines of this field, possibly none, meet the requirement. */
    boolean holds(List<String> lines);

    /** The requirement, for a report. */
    String expected();

    record Exactly(String name, String value) implements FieldRule {
        @Override
        public boolean holds(List<String> lines) {
            return !lines.isEmpty()
                    && (IN_ANY_ORDER.contains(name.toLowerCase(Locale.ROOT))
                            ? sorted(lines).equals(sorted(List.of(value)))
                            : joined(lines).equals(value));
        }

        @Override
        public String expected() {
            return Quoted.text(value);
        }
    }

    record Containing(String name, String part) implements FieldRule {
        @Override
        public boolean holds(List<String> lines) {
            return !lines.isEmpty() && joined(lines).contains(part);
        }

        @Override
        public String expected() {
            return "a value with " + Quoted.text(part);
        }
    }

    record Matching(String name, Pattern pattern) implements FieldRule {
        @Override
        public boolean holds(List<String> lines) {
            return !lines.isEmpty() && pattern.matcher(joined(lines)).find();
        }

        @Override
        public String expected() {
            return "a value in which " + Quoted.text(pattern.pattern()) + " is found";
        }
    }

    /** Neither the value nor one of its members. */
    record Not(String name, String value) implements FieldRule {
        @Override
        public boolean holds(List<String> lines) {
            return !joined(lines).equals(value)
                    && FieldList.members(lines).stream().noneMatch(value::equalsIgnoreCase);
        }

        @Override
        public String expected() {
            return "anything but " + Quoted.text(value);
        }
    }

    record Absent(String name) implements FieldRule {
        @Override
        public boolean holds(List<String> lines) {
            return lines.isEmpty();
        }

        @Override
        public String expected() {
            return "no such field";
        }
    }

    /** The difference between {@code fields} and the requirement; empty if it is met. */
    default Optional<String> difference(Fields fields) {
        var lines = fields.all(name());
        return holds(lines)
                ? Optional.empty()
                : Optional.of(
                        "field %s: expected %s, found %s"
                                .formatted(
                                        name(),
                                        expected(),
                                        lines.isEmpty() ? "none" : Quoted.text(joined(lines))));
    }

    /** The requirements on a response to the client. */
    static List<FieldRule> ofResponse(Entry entry) {
        var rules = common(entry);
        entry.textsByName("headersNot").forEach((name, value) -> rules.add(new Not(name, value)));
        return List.copyOf(rules);
    }

    /** The requirements on a request to the origin. */
    static List<FieldRule> ofRequest(Entry entry) {
        var rules = common(entry);
        entry.textsByName("headersMatch")
                .forEach((name, pattern) -> {
                    try {
                        rules.add(new Matching(name, Pattern.compile(pattern)));
                    } catch (PatternSyntaxException e) {
                        entry.wrong(
                                "headersMatch." + name, e.getDescription(), "a regular expression");
                    }
                });
        return List.copyOf(rules);
    }

    private static List<FieldRule> common(Entry entry) {
        var rules = new ArrayList<FieldRule>();
        entry.textsByName("headers").forEach((name, value) -> rules.add(new Exactly(name, value)));
        entry.textsByName("headersContain")
                .forEach((name, part) -> rules.add(new Containing(name, part)));
        entry.texts("absentHeaders").forEach(name -> rules.add(new Absent(name)));
        return rules;
    }

    private static String joined(List<String> lines) {
        return String.join(", ", lines);
    }

    private static Set<String> sorted(List<String> lines) {
        var members = new TreeSet<String>();
        FieldList.members(lines).forEach(member -> members.add(member.toLowerCase(Locale.ROOT)));
        return members;
    }
}
