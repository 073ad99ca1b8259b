package dev.quire.spring;

import dev.quire.spring.internal.policy.Precedence;
import dev.quire.spring.internal.policy.TagTemplate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.springframework.boot.convert.DurationStyle;

/**
 * The validated policy of one handler or path.
 *
 * @param handler the declaring handler, for the log: class and method, or the key of a rule
 * @param name its name in metrics and the actuator
 * @param scope whether the responses are shared or for one client
 * @param ttl freshness lifetime, in whole seconds
 * @param stale grace; the surrogate's default if empty
 * @param staleIfError how long it may be served stale after an error; the surrogate's default if
 *     empty
 * @param browser {@code Cache-Control} for the client
 * @param tags templates of the tags to purge them by
 * @param timeout timeout of an include of it; the assembler's default if empty
 * @param maxIncludes maximum number of fragments of a page assembled in the application
 */
public record FragmentPolicy(
        String handler,
        String name,
        Kind kind,
        EsiFragment.Scope scope,
        Duration ttl,
        Optional<Duration> stale,
        Optional<Duration> staleIfError,
        String browser,
        List<TagTemplate> tags,
        Optional<Duration> timeout,
        OptionalInt maxIncludes) {

    /** The default {@code Cache-Control} for the client. */
    static final String BROWSER = "no-cache";

    /** The kind of a response. */
    public enum Kind {
        /** Part of a page, or a page with tags only if the starter wrote them. */
        FRAGMENT,
        /** A document with ESI tags. */
        PAGE,
        /** Neither: never stored, never parsed as an ESI document. */
        NEITHER
    }

    /**
     * Validates the policy.
     *
     * @throws IllegalArgumentException naming the member and what was expected
     */
    public FragmentPolicy {
        checked("ttl", ttl);
        stale.ifPresent(time -> checked("stale", time));
        staleIfError.ifPresent(time -> checked("staleIfError", time));
        checkBrowser(browser);
        tags = List.copyOf(tags);
        if (timeout.isPresent() && !timeout.get().isPositive()) {
            throw new IllegalArgumentException("timeout is not positive (expected more than 0)");
        }
        if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("name is blank or contains control characters");
        }
        boolean stored = scope == EsiFragment.Scope.PUBLIC && kind != Kind.NEITHER;
        var said = storedBy(ttl, stale, staleIfError, tags);
        if (!stored && !said.isEmpty()) {
            throw new IllegalArgumentException(
                    "scope PRIVATE is never stored, so %s has no effect (expected scope PUBLIC)"
                            .formatted(String.join(", ", said)));
        }
    }

    /**
     * Returns the policy of an annotation.
     *
     * @param arguments the variable names its tags may use
     * @throws IllegalArgumentException naming the handler, the member and what was expected
     */
    public static FragmentPolicy of(
            Precedence.Declaration declaration,
            String handler,
            String usualName,
            Set<String> arguments) {
        return switch (declaration) {
            case Precedence.Declaration.Fragment(var members) ->
                    read(
                            "@EsiFragment",
                            members,
                            Kind.FRAGMENT,
                            OptionalInt.empty(),
                            handler,
                            usualName,
                            arguments);
            case Precedence.Declaration.Page(var members, int most) ->
                    read(
                            "@EsiPage",
                            members,
                            Kind.PAGE,
                            most < 0 ? OptionalInt.empty() : OptionalInt.of(most),
                            handler,
                            usualName,
                            arguments);
            case Precedence.Declaration.Never() ->
                    plain(handler, usualName, Kind.NEITHER, EsiFragment.Scope.PRIVATE);
        };
    }

    public static FragmentPolicy plain(
            String handler, String name, Kind kind, EsiFragment.Scope scope) {
        return new FragmentPolicy(
                handler,
                name,
                kind,
                scope,
                Duration.ZERO,
                Optional.empty(),
                Optional.empty(),
                BROWSER,
                List.of(),
                Optional.empty(),
                OptionalInt.empty());
    }

    private static FragmentPolicy read(
            String annotation,
            EsiFragment members,
            Kind kind,
            OptionalInt maxIncludes,
            String handler,
            String usualName,
            Set<String> arguments) {
        try {
            return new FragmentPolicy(
                    handler,
                    members.name().isEmpty() ? usualName : members.name(),
                    kind,
                    members.scope(),
                    duration("ttl", members.ttl()),
                    optional("stale", members.stale()),
                    optional("staleIfError", members.staleIfError()),
                    members.browser(),
                    tags(List.of(members.tags()), arguments),
                    members.timeout().isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    parsed("timeout", members.timeout(), "such as 500ms or 2s")),
                    maxIncludes);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "%s on %s: %s".formatted(annotation, handler, wrong.getMessage()), wrong);
        }
    }

    /** Returns this policy with another freshness lifetime. */
    public FragmentPolicy withTtl(Duration time) {
        return with(time, stale, staleIfError, browser, tags);
    }

    /** Returns this policy with another grace and another stale-if-error time. */
    public FragmentPolicy withStale(Optional<Duration> grace, Optional<Duration> ifError) {
        return with(ttl, grace, ifError, browser, tags);
    }

    /** Returns this policy with another {@code Cache-Control} for the client. */
    public FragmentPolicy withBrowser(String cacheControl) {
        return with(ttl, stale, staleIfError, cacheControl, tags);
    }

    /** Returns this policy with more tags, taken literally. */
    public FragmentPolicy withTags(List<String> more) {
        var all = new ArrayList<>(tags);
        all.addAll(tags(more, Set.of()));
        return with(ttl, stale, staleIfError, browser, all);
    }

    /** Returns this policy with other times, {@code Cache-Control} and tags. */
    public FragmentPolicy with(
            Duration time,
            Optional<Duration> grace,
            Optional<Duration> ifError,
            String cacheControl,
            List<TagTemplate> names) {
        return new FragmentPolicy(
                handler,
                name,
                kind,
                scope,
                time,
                grace,
                ifError,
                cacheControl,
                names,
                timeout,
                maxIncludes);
    }

    /** Returns this policy with private scope; responses are never stored. */
    public FragmentPolicy withPrivateScope() {
        return new FragmentPolicy(
                handler,
                name,
                kind,
                EsiFragment.Scope.PRIVATE,
                Duration.ZERO,
                Optional.empty(),
                Optional.empty(),
                browser,
                List.of(),
                timeout,
                maxIncludes);
    }

    /** Whether surrogates must not store it. */
    public boolean isPrivate() {
        return scope == EsiFragment.Scope.PRIVATE;
    }

    /** Whether its body is always an ESI document. */
    public boolean isPage() {
        return kind == Kind.PAGE;
    }

    /** Whether its body is never an ESI document. */
    public boolean isNeverEsi() {
        return kind == Kind.NEITHER;
    }

    /** Whether its tags depend on the request's arguments. */
    public boolean needsArguments() {
        return tags.stream().anyMatch(TagTemplate::hasHoles);
    }

    /** Returns the caching directives of {@code Surrogate-Control} (Edge Architecture 1.0 §3). */
    public String surrogateControl() {
        var directives = new StringBuilder("max-age=").append(ttl.toSeconds());
        stale.ifPresent(time -> directives.append('+').append(time.toSeconds()));
        staleIfError.ifPresent(
                time -> directives.append(", stale-if-error=").append(time.toSeconds()));
        return directives.toString();
    }

    /** Parses the tag templates of an annotation or rule. */
    public static List<TagTemplate> tags(List<String> templates, Set<String> arguments) {
        var tags = new ArrayList<TagTemplate>(templates.size());
        for (var template : templates) {
            tags.add(TagTemplate.parse(template, arguments));
        }
        return tags;
    }

    /** Throws if {@code cacheControl} is not a valid field value. */
    public static void checkBrowser(String cacheControl) {
        if (cacheControl.isBlank() || cacheControl.chars().anyMatch(c -> c < ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException(
                    "browser is not a Cache-Control value (expected for example no-cache or max-age=60)");
        }
    }

    private static List<String> storedBy(
            Duration ttl,
            Optional<Duration> stale,
            Optional<Duration> staleIfError,
            List<TagTemplate> tags) {
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
        var whole = "whole seconds, such as 30s, 5m, 1d or PT30S";
        var duration = parsed(member, text, whole);
        if (duration.isNegative() || !isWhole(duration)) {
            throw new IllegalArgumentException(expected(member, text, whole));
        }
        return duration;
    }

    private static Duration parsed(String member, String text, String expected) {
        try {
            var duration = DurationStyle.detectAndParse(text);
            // a bare number would be milliseconds, which is not intended here
            if (text.chars().anyMatch(Character::isLetter)) {
                return duration;
            }
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            throw new IllegalArgumentException(expected(member, text, expected), unreadable);
        }
        throw new IllegalArgumentException(expected(member, text, expected));
    }

    private static String expected(String member, String text, String expected) {
        return "%s = \"%s\" is not a duration (expected %s)".formatted(member, text, expected);
    }

    private static void checked(String member, Duration duration) {
        if (duration.isNegative() || !isWhole(duration)) {
            throw new IllegalArgumentException(
                    "%s is %s (expected whole seconds, such as 30s, 5m or 1d)"
                            .formatted(member, duration));
        }
    }

    private static boolean isWhole(Duration duration) {
        return duration.truncatedTo(ChronoUnit.SECONDS).equals(duration);
    }
}
