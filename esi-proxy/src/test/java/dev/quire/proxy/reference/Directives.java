package dev.quire.proxy.reference;

import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The directives of a response's {@code Cache-Control} (RFC 9111 §5.2); the first of two with the
 * same name counts.
 *
 * @param arguments by name in lower case, without quotes; empty if absent
 */
record Directives(Map<String, Optional<String>> arguments) {
    /** The longest time; longer ones are reduced to it (RFC 9111 §1.2.2). */
    static final Duration LONGEST = Duration.ofSeconds(1L << 31);

    private static final Set<String> QUALIFIABLE = Set.of("no-cache", "private");
    private static final String QUALIFIED = " of some fields";

    static Directives of(Lines fields) {
        var arguments = new LinkedHashMap<String, Optional<String>>();
        for (var member : fields.members("Cache-Control")) {
            int equals = member.indexOf('=');
            if (equals < 0) {
                arguments.putIfAbsent(member.toLowerCase(Locale.ROOT), Optional.empty());
                continue;
            }
            var name = member.substring(0, equals);
            var argument = member.substring(equals + 1);
            // With white space around its = it is not a directive.
            if (name.equals(name.strip()) && argument.equals(argument.strip())) {
                arguments.putIfAbsent(known(name), Optional.of(plain(argument)));
            }
        }
        return new Directives(arguments);
    }

    /** The two forms have different meanings and are separate directives. */
    private static String known(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return QUALIFIABLE.contains(lower) ? lower + QUALIFIED : lower;
    }

    private static String plain(String argument) {
        boolean isQuoted =
                argument.length() > 1 && argument.startsWith("\"") && argument.endsWith("\"");
        return isQuoted ? argument.substring(1, argument.length() - 1) : argument;
    }

    boolean has(String name) {
        return arguments.containsKey(name);
    }

    /** The fields listed by {@code name}, in lower case. */
    List<String> fieldsOf(String name) {
        var argument = arguments.getOrDefault(name + QUALIFIED, Optional.empty());
        return argument.map(list -> Lines.members(list.toLowerCase(Locale.ROOT), false))
                .orElse(List.of());
    }

    /** The time given by {@code name}; an argument that is not only digits counts as zero. */
    Optional<Duration> time(String name) {
        var argument = arguments.get(name);
        return argument == null
                ? Optional.empty()
                : Optional.of(argument.flatMap(Directives::seconds).orElse(Duration.ZERO));
    }

    /** A number of seconds, only digits. */
    static Optional<Duration> seconds(String text) {
        if (!text.matches("[0-9]+")) {
            return Optional.empty();
        }
        var seconds = new BigInteger(text);
        boolean isLonger = seconds.bitLength() > 31;
        return Optional.of(isLonger ? LONGEST : Duration.ofSeconds(seconds.longValueExact()));
    }

    /** These override any permission: a stale response must not be used (RFC 9111 §4.2.4). */
    boolean forbidStale() {
        return has("no-cache")
                || has("must-revalidate")
                || has("proxy-revalidate")
                || has("s-maxage");
    }
}
