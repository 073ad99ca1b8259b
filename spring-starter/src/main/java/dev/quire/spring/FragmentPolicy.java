package dev.quire.spring;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.boot.convert.DurationStyle;

/**
 * What {@link EsiFragment} says about one handler, checked.
 *
 * @param handler class and method, for the log
 * @param stale the surrogate's own when empty
 * @param staleIfError likewise
 * @param browser {@code Cache-Control} towards the client
 */
record FragmentPolicy(
        String handler,
        EsiFragment.Scope scope,
        Duration ttl,
        Optional<Duration> stale,
        Optional<Duration> staleIfError,
        String browser,
        List<TagTemplate> tags) {

    FragmentPolicy {
        tags = List.copyOf(tags);
    }

    /**
     * Reads an annotation.
     *
     * @param arguments the names of the handler's arguments
     * @throws IllegalArgumentException naming the handler, the member and what was expected
     */
    static FragmentPolicy of(EsiFragment fragment, String handler, Set<String> arguments) {
        try {
            var policy =
                    new FragmentPolicy(
                            handler,
                            fragment.scope(),
                            duration("ttl", fragment.ttl()),
                            optional("stale", fragment.stale()),
                            optional("staleIfError", fragment.staleIfError()),
                            browser(fragment.browser()),
                            tags(fragment.tags(), arguments));
            if (policy.isPrivate() && !policy.says().isEmpty()) {
                throw new IllegalArgumentException(
                        "scope PRIVATE is never stored, so %s can mean nothing"
                                .formatted(String.join(", ", policy.says())));
            }
            return policy;
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "@EsiFragment on %s: %s".formatted(handler, wrong.getMessage()), wrong);
        }
    }

    boolean isPrivate() {
        return scope == EsiFragment.Scope.PRIVATE;
    }

    /** Whether the arguments of a request are needed to know its tags. */
    boolean needsArguments() {
        return tags.stream().anyMatch(TagTemplate::hasHoles);
    }

    /** The caching directives of {@code Surrogate-Control} (Edge Architecture 1.0 §3). */
    String surrogateControl() {
        var directives = new StringBuilder("max-age=").append(ttl.toSeconds());
        stale.ifPresent(time -> directives.append('+').append(time.toSeconds()));
        staleIfError.ifPresent(
                time -> directives.append(", stale-if-error=").append(time.toSeconds()));
        return directives.toString();
    }

    private List<String> says() {
        var said = new ArrayList<String>();
        if (!ttl.isZero()) {
            said.add("ttl");
        }
        if (stale.isPresent()) {
            said.add("stale");
        }
        if (staleIfError.isPresent()) {
            said.add("staleIfError");
        }
        if (!tags.isEmpty()) {
            said.add("tags");
        }
        return said;
    }

    private static Optional<Duration> optional(String member, String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(duration(member, text));
    }

    private static Duration duration(String member, String text) {
        try {
            var duration = DurationStyle.detectAndParse(text);
            // a bare number would be milliseconds, which nobody means here
            boolean hasUnit = text.chars().anyMatch(Character::isLetter);
            if (hasUnit
                    && !duration.isNegative()
                    && duration.truncatedTo(ChronoUnit.SECONDS).equals(duration)) {
                return duration;
            }
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            throw new IllegalArgumentException(expected(member, text), unreadable);
        }
        throw new IllegalArgumentException(expected(member, text));
    }

    private static String expected(String member, String text) {
        return "%s = \"%s\" is no duration (expected whole seconds, such as 30s, 5m, 1d or PT30S)"
                .formatted(member, text);
    }

    private static String browser(String text) {
        if (text.isBlank() || text.chars().anyMatch(c -> c < ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException(
                    "browser is no Cache-Control value (expected for example no-cache or max-age=60)");
        }
        return text;
    }

    private static List<TagTemplate> tags(String[] templates, Set<String> arguments) {
        var tags = new ArrayList<TagTemplate>(templates.length);
        for (var template : templates) {
            tags.add(TagTemplate.parse(template, arguments));
        }
        return tags;
    }
}
