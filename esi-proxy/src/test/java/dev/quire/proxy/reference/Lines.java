package dev.quire.proxy.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The field lines of a message, in order. */
public record Lines(List<Line> lines) {
    public static final Lines NONE = new Lines(List.of());

    /** One line; names are compared ignoring case. */
    public record Line(String name, String value) {
        @Override
        public String toString() {
            return name + ": " + value;
        }
    }

    public Lines {
        lines = List.copyOf(lines);
    }

    public Optional<String> first(String name) {
        return all(name).stream().findFirst();
    }

    public List<String> all(String name) {
        return lines.stream()
                .filter(line -> line.name().equalsIgnoreCase(name))
                .map(Line::value)
                .toList();
    }

    public boolean has(String name) {
        return !all(name).isEmpty();
    }

    public Lines with(String name, String value) {
        var more = new ArrayList<>(lines);
        more.add(new Line(name, value));
        return new Lines(more);
    }

    public Lines with(Lines others) {
        var more = new ArrayList<>(lines);
        more.addAll(others.lines);
        return new Lines(more);
    }

    /** The lines whose name, in lower case, is not {@code dropped}. */
    public Lines without(Predicate<String> dropped) {
        return new Lines(
                lines.stream()
                        .filter(line -> !dropped.test(line.name().toLowerCase(Locale.ROOT)))
                        .toList());
    }

    /** All non-empty list members in the lines named {@code name}. */
    List<String> members(String name) {
        var members = new ArrayList<String>();
        for (var line : all(name)) {
            members.addAll(members(line, true));
        }
        return members;
    }

    /** Splits {@code text} at commas outside quoted strings. */
    static List<String> members(String text, boolean isQuotingKnown) {
        var members = new ArrayList<String>();
        var member = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            isQuoted ^= isQuotingKnown && c == '"';
            if (c == ',' && !isQuoted) {
                members.add(member.toString().strip());
                member.setLength(0);
            } else {
                member.append(c);
            }
        }
        members.add(member.toString().strip());
        members.removeIf(String::isEmpty);
        return members;
    }

    @Override
    public String toString() {
        return lines.stream().map(Line::toString).collect(Collectors.joining(" | "));
    }
}
