package dev.quire.core.rule;

import dev.quire.core.expression.Query;
import dev.quire.core.http.Scheme;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The structured conditions of rules: each tests one value against alternatives. */
public final class Matchers {
    private Matchers() {}

    /** A condition on {@code inputs}. */
    private record Matcher(Set<Input> inputs, Predicate<RuleValues> test) implements Condition {
        @Override
        public boolean holds(RuleValues values) {
            return test.test(values);
        }
    }

    /** A condition on the lines of the request's field {@code name}. */
    private record OfHeader(String name, Predicate<String> line) implements Condition {
        @Override
        public boolean holds(RuleValues values) {
            return values.request().fields().any(name, line);
        }

        @Override
        public Set<Input> inputs() {
            return EnumSet.of(Input.HEADER);
        }

        @Override
        public Set<String> headers() {
            return Set.of(name.toLowerCase(Locale.ROOT));
        }
    }

    /** A condition on a variable that an earlier rule assigned. */
    private record OfVariable(String name, List<TextPattern> patterns) implements Condition {
        @Override
        public boolean holds(RuleValues values) {
            var value = values.variable(name);
            return value != null && patterns.stream().anyMatch(each -> each.matches(value));
        }

        @Override
        public Set<Input> inputs() {
            return EnumSet.of(Input.VARIABLE);
        }

        @Override
        public Set<String> variables() {
            return Set.of(name);
        }
    }

    /**
     * The path matches one of {@code patterns} or, decoded, one of {@code searches}: {@linkplain
     * dev.quire.core.http.UriPath#simplified simplified}, unless the pattern has {@code ;} or
     * {@code //}.
     */
    public static Condition path(List<PathPattern> patterns, List<TextPattern> searches) {
        var globs = patterns.toArray(PathPattern[]::new);
        var others = searches.toArray(TextPattern[]::new);
        return of(
                Input.PATH,
                values -> {
                    for (var glob : globs) {
                        if (glob.matches(values.path(), values.simplifiedPath())) {
                            return true;
                        }
                    }
                    for (var other : others) {
                        if (other.matches(other.pathOf(values))) {
                            return true;
                        }
                    }
                    return false;
                });
    }

    /** The host matches one of {@code patterns}. */
    public static Condition host(List<HostPattern> patterns) {
        if (patterns.stream().anyMatch(pattern -> pattern.text().equals("*"))) {
            return Condition.ALWAYS;
        }
        var hosts = patterns.toArray(HostPattern[]::new);
        return of(
                Input.HOST,
                values -> {
                    for (var host : hosts) {
                        if (host.matches(values.request().authority())) {
                            return true;
                        }
                    }
                    return false;
                });
    }

    public static Condition method(List<String> methods) {
        var names = methods.toArray(String[]::new);
        return of(
                Input.METHOD,
                values -> {
                    for (var name : names) {
                        if (name.equals(values.request().method())) {
                            return true;
                        }
                    }
                    return false;
                });
    }

    public static Condition scheme(Scheme scheme) {
        return of(Input.SCHEME, values -> values.request().scheme() == scheme);
    }

    /** A line of the request's field {@code name} matches one of {@code patterns}. */
    public static Condition header(String name, List<TextPattern> patterns) {
        return new OfHeader(name, anyOf(patterns));
    }

    /** A line of the response's field {@code name} matches one of {@code patterns}. */
    public static Condition response(String name, List<TextPattern> patterns) {
        var line = anyOf(patterns);
        return of(
                Input.RESPONSE,
                values -> {
                    var head = values.response();
                    return head != null && head.fields().any(name, line);
                });
    }

    /** The first argument {@code name} of the query, decoded, matches one of {@code patterns}. */
    public static Condition query(String name, List<TextPattern> patterns) {
        return text(
                Input.QUERY,
                patterns,
                values -> Query.firstDecodedOf(values.request().target(), name));
    }

    /** The first cookie {@code name} matches one of {@code patterns}. */
    public static Condition cookie(String name, List<TextPattern> patterns) {
        var line = CookieLines.hasName(name);
        return text(
                Input.COOKIE,
                patterns,
                values -> {
                    var fields = values.request().fields();
                    return fields.any("Cookie", line) ? CookieLines.first(fields, name) : null;
                });
    }

    /** A cookie has a name that matches one of {@code names}. */
    public static Condition cookieNamed(List<TextPattern> names) {
        var alternatives = names.toArray(TextPattern[]::new);
        var hasName =
                CookieLines.hasName((text, start, end) -> {
                    for (var pattern : alternatives) {
                        if (pattern.matches(text, start, end)) {
                            return true;
                        }
                    }
                    return false;
                });
        Predicate<String> line =
                text -> {
                    for (var pattern : alternatives) {
                        if (pattern.mayBeIn(text)) {
                            return hasName.test(text);
                        }
                    }
                    return false;
                };
        return of(Input.COOKIE, values -> values.request().fields().any("Cookie", line));
    }

    /** The address of the client is accepted by {@code networks}. */
    public static Condition client(Predicate<InetAddress> networks) {
        return of(Input.CLIENT, values -> networks.test(values.client()));
    }

    /** The client belongs to {@code share}. */
    public static Condition share(Share share) {
        return of(Input.CLIENT, values -> share.contains(values.client()));
    }

    /** The first cookie {@code name} has a value that belongs to {@code share}. */
    public static Condition share(Share share, String name) {
        return of(
                Input.COOKIE,
                values -> {
                    var value = CookieLines.first(values.request().fields(), name);
                    return value != null && share.contains(value);
                });
    }

    /** Whether the client's connection is from a trusted peer. */
    public static Condition trusted(boolean isTrusted) {
        return of(Input.CLIENT, values -> values.isTrusted() == isTrusted);
    }

    /** The variable {@code name} matches one of {@code patterns}. */
    public static Condition variable(String name, List<TextPattern> patterns) {
        return new OfVariable(name, List.copyOf(patterns));
    }

    /** The status is in one of {@code ranges}. */
    public static Condition status(List<StatusRange> ranges) {
        return new OfStatus(List.copyOf(ranges));
    }

    /** The media type without parameters, in lower case, matches one of {@code patterns}. */
    public static Condition type(List<TextPattern> patterns) {
        return text(
                Input.TYPE,
                patterns,
                values -> {
                    var head = values.response();
                    return head == null ? null : head.mediaType();
                });
    }

    /** The outcome for the client is one of {@code outcomes}. */
    public static Condition outcome(List<String> outcomes) {
        var known = Set.copyOf(outcomes);
        return of(Input.OUTCOME, values -> known.contains(values.outcome()));
    }

    /** A range of status codes, such as 404 to 404 or 500 to 599. */
    public record StatusRange(int first, int last) {
        public boolean contains(int status) {
            return status >= first && status <= last;
        }
    }

    /** A condition on the status of a response. */
    public record OfStatus(List<StatusRange> ranges) implements Condition {
        @Override
        public boolean holds(RuleValues values) {
            var head = values.response();
            return head != null && contains(head.status());
        }

        /** Whether a range contains {@code status}. */
        public boolean contains(int status) {
            for (int i = 0; i < ranges.size(); i++) {
                if (ranges.get(i).contains(status)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public Set<Input> inputs() {
            return EnumSet.of(Input.STATUS);
        }
    }

    private static Condition text(
            Input input,
            List<TextPattern> patterns,
            Function<RuleValues, @Nullable String> reading) {
        var alternatives = patterns.toArray(TextPattern[]::new);
        return of(input, values -> anyMatches(alternatives, reading.apply(values)));
    }

    private static Condition of(Input input, Predicate<RuleValues> test) {
        return new Matcher(EnumSet.of(input), test);
    }

    private static Predicate<String> anyOf(List<TextPattern> patterns) {
        var alternatives = patterns.toArray(TextPattern[]::new);
        return value -> anyMatches(alternatives, value);
    }

    private static boolean anyMatches(TextPattern[] patterns, @Nullable String value) {
        if (value == null) {
            return false;
        }
        for (var pattern : patterns) {
            if (pattern.matches(value)) {
                return true;
            }
        }
        return false;
    }
}
