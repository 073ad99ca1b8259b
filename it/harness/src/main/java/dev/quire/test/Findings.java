package dev.quire.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The findings of a {@link LeakCheck} so far. One thread. */
final class Findings {
    private static final int LONGEST = 160;

    /** The characters shown ahead of the place in question. */
    private static final int AHEAD = 40;

    private final List<String> notes = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Adds a finding, or extends the one with the same cause.
     *
     * @param by the source of the difference; empty if unknown
     * @param at the place in the answer
     * @param sides what each user gets
     * @param kept the caching fields of the answer
     * @param who the users who see it
     */
    void add(
            Place place,
            LeakCause cause,
            String by,
            String at,
            Map<String, String> sides,
            String kept,
            List<String> who) {
        var same = found(place, cause, by);
        if (same == null) {
            same =
                    new Finding(
                            place,
                            cause,
                            new LinkedHashSet<>(),
                            at,
                            new LinkedHashMap<>(sides),
                            kept,
                            new LinkedHashSet<>(),
                            new LinkedHashSet<>());
            findings.add(same);
        }
        if (!by.isEmpty()) {
            same.by.add(by);
        }
        same.at.add(at);
        if (same.first.equals(at) && isOneFinding(cause)) {
            sides.forEach(same.sides::putIfAbsent);
        }
        same.who.addAll(who);
    }

    /** Whether {@code place} has a finding with this cause and source. */
    boolean has(Place place, LeakCause cause, String by) {
        var same = found(place, cause, by);
        return same != null && (by.isEmpty() || same.by.contains(by));
    }

    private @Nullable Finding found(Place place, LeakCause cause, String by) {
        return findings.stream()
                .filter(one ->
                        one.place.target().equals(place.target())
                                && one.cause == cause
                                && (isOneFinding(cause)
                                        || one.by.equals(by.isEmpty() ? Set.of() : Set.of(by))))
                .findFirst()
                .orElse(null);
    }

    /** Adds a remark that is not a finding. */
    void note(String text) {
        notes.add(text);
    }

    /** Whether this cause has one finding for a target; otherwise each field has its own. */
    private static boolean isOneFinding(LeakCause cause) {
        return switch (cause) {
            case LOCALE_WITHOUT_VARY, HEADER_WITHOUT_VARY, UNKNOWN -> false;
            default -> true;
        };
    }

    /** All findings, in the order of targets, then of causes. */
    LeakReport report(List<User> users, List<String> checked) {
        var ordered = new ArrayList<LeakFinding>();
        var targets = new LinkedHashSet<String>();
        findings.forEach(one -> targets.add(one.place.target()));
        for (var target : targets) {
            findings.stream()
                    .filter(one -> one.place.target().equals(target))
                    .sorted((one, other) -> one.cause.compareTo(other.cause))
                    .forEach(one -> ordered.add(one.leakFinding()));
        }
        return new LeakReport(
                users.stream().map(User::name).toList(),
                checked,
                ordered,
                List.copyOf(new LinkedHashSet<>(notes)));
    }

    /** The sides of {@code difference}, by their names. */
    static Map<String, String> sides(DomDifference difference, String left, String right) {
        var sides = new LinkedHashMap<String, String>();
        sides.put(left, shortened(difference.left(), difference.right()));
        sides.put(right, shortened(difference.right(), difference.left()));
        return sides;
    }

    /** The text as one line of a report, cut when long. */
    static String shortened(String text) {
        return shortened(text, line -> 0);
    }

    /** The same, around the place at which it differs from {@code other}. */
    private static String shortened(String text, String other) {
        var line = line(other);
        return shortened(text, mine -> Arrays.mismatch(mine.toCharArray(), line.toCharArray()));
    }

    /** The same, around the place that {@code at} finds in the line. */
    static String shortened(String text, ToIntFunction<String> at) {
        var line = line(text);
        if (line.length() <= LONGEST) {
            return line.isEmpty() ? "(nothing)" : line;
        }
        int from = Math.min(at.applyAsInt(line) - AHEAD, line.length() - LONGEST);
        return from <= 0
                ? line.substring(0, LONGEST - 1) + "…"
                : "…"
                        + line.substring(from + 1, from + LONGEST)
                        + (from + LONGEST < line.length() ? "…" : "");
    }

    private static String line(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    /**
     * A target to check.
     *
     * @param handler the handler that answers, if known
     * @param from the part of the test, or the other source, that named the target
     */
    record Place(String target, @Nullable FragmentHandler handler, String from) {}

    /** A finding that is extended when it occurs again. */
    private record Finding(
            Place place,
            LeakCause cause,
            Set<String> by,
            String first,
            Map<String, String> sides,
            String kept,
            Set<String> at,
            Set<String> who) {

        LeakFinding leakFinding() {
            return new LeakFinding(
                    place.target(),
                    Optional.ofNullable(place.handler()),
                    cause,
                    String.join(", ", by),
                    List.copyOf(who),
                    first,
                    at.size() - 1,
                    sides,
                    kept);
        }
    }
}
