package dev.quire.proxy.config;

import dev.quire.core.http.FieldSyntax;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The syntax of one kind of value.
 *
 * @param expected completes "expected …" in error messages
 * @param reading returns the value, or nothing if the text is not valid
 */
record ValueParser<T>(String expected, Function<String, Optional<T>> reading) {

    /** The longest duration: deadlines are counted in nanoseconds elsewhere. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final long LARGEST_BYTES = 1L << 50;

    static final ValueParser<Boolean> TRUTH =
            new ValueParser<>(
                    "true or false",
                    text ->
                            switch (text) {
                                case "true" -> Optional.of(true);
                                case "false" -> Optional.of(false);
                                default -> Optional.empty();
                            });

    static final ValueParser<HostPort> ADDRESS =
            new ValueParser<>(HostPort.EXPECTED, HostPort::read);

    static final ValueParser<Network> NETWORK = new ValueParser<>(Network.EXPECTED, Network::read);

    static final ValueParser<URI> ORIGIN_URL =
            new ValueParser<>(
                    "http://HOST[:PORT] without a path; https is not supported",
                    ValueParser::originUrl);

    static final ValueParser<String> TARGET =
            new ValueParser<>(
                    "a path with an optional query, such as /actuator/health",
                    text ->
                            text.startsWith("/")
                                            && text.length() <= 512
                                            && text.chars()
                                                    .allMatch(c -> c > ' ' && c < 0x7f && c != '#')
                                    ? Optional.of(text)
                                    : Optional.empty());

    static final ValueParser<Integer> PERCENT =
            new ValueParser<>(
                    "a percentage from 0% to 100%",
                    text ->
                            text.endsWith("%")
                                    ? whole(text.substring(0, text.length() - 1))
                                            .filter(n -> n <= 100)
                                            .map(Math::toIntExact)
                                    : Optional.empty());

    static final ValueParser<String> AUTHORITY =
            new ValueParser<>(
                    "HOST or HOST:PORT",
                    text ->
                            Literal.isHost(text) || HostPort.read(text).isPresent()
                                    ? Optional.of(text.toLowerCase(Locale.ROOT))
                                    : Optional.empty());

    static final ValueParser<String> HOST_PATTERN =
            new ValueParser<>(
                    "* or a host name without a port, such as www.example.org or *.example.org",
                    text -> {
                        var name = text.startsWith("*.") ? text.substring(2) : text;
                        return text.equals("*") || Literal.isHost(name)
                                ? Optional.of(text.toLowerCase(Locale.ROOT))
                                : Optional.empty();
                    });

    static final ValueParser<String> PATH_PATTERN =
            new ValueParser<>(
                    "a path such as /news/** or /img/*.png, where ** is a whole segment; for {a,b}"
                            + " write two routes",
                    text -> isPathPattern(text) ? Optional.of(text) : Optional.empty());

    static final ValueParser<String> MEDIA_TYPE =
            new ValueParser<>(
                    "a media type without parameters, such as text/html",
                    text -> {
                        int slash = text.indexOf('/');
                        return slash > 0
                                        && FieldSyntax.isToken(text.substring(0, slash))
                                        && FieldSyntax.isToken(text.substring(slash + 1))
                                ? Optional.of(text.toLowerCase(Locale.ROOT))
                                : Optional.empty();
                    });

    /** Cookie names (RFC 6265 §4.1.1), with {@code *} as a wildcard. */
    static final ValueParser<String> COOKIE_PATTERN =
            new ValueParser<>(
                    "the name of a cookie, where * matches any characters",
                    text -> FieldSyntax.isToken(text) ? Optional.of(text) : Optional.empty());

    static final ValueParser<String> ARGUMENT_PREFIX =
            new ValueParser<>(
                    "1 to 64 letters, digits, -, . and _, such as esi_",
                    text ->
                            text.matches("[A-Za-z0-9._-]{1,64}")
                                    ? Optional.of(text)
                                    : Optional.empty());

    /** The name of an ESI variable. */
    static final ValueParser<String> VARIABLE =
            new ValueParser<>(
                    "a letter, then letters, digits and _, at most 256 characters",
                    text ->
                            text.matches("[A-Za-z][A-Za-z0-9_]{0,255}")
                                    ? Optional.of(text)
                                    : Optional.empty());

    static final ValueParser<String> VARIABLE_KEY =
            new ValueParser<>(
                    "1 to 256 characters, no control characters",
                    text ->
                            !text.isEmpty()
                                            && text.length() <= 256
                                            && text.chars().noneMatch(Character::isISOControl)
                                    ? Optional.of(text)
                                    : Optional.empty());

    static final ValueParser<String> TEXT = new ValueParser<>("text", Optional::of);

    /** A name chosen by the operator; used as a metric label. */
    static final ValueParser<String> NAME =
            new ValueParser<>(
                    "1 to 64 letters, digits, - and _",
                    text ->
                            text.matches("[A-Za-z0-9_-]{1,64}")
                                    ? Optional.of(text)
                                    : Optional.empty());

    /** A cookie name (RFC 6265 §4.1.1). */
    static final ValueParser<String> COOKIE =
            new ValueParser<>(
                    "the name of a cookie, such as esi-variant",
                    text ->
                            text.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
                                    ? Optional.of(text)
                                    : Optional.empty());

    static final ValueParser<LogConfig.Target> LOG_TARGET =
            new ValueParser<>(
                    "stderr, off or a path such as ./access.log in an existing directory",
                    ValueParser::logTarget);

    /** A key of a structured field dictionary (RFC 9651 §3.1.2). */
    static final ValueParser<String> DEVICE_TOKEN =
            new ValueParser<>(
                    "a lower-case letter, then lower-case letters, digits and _-.*, such as quire",
                    text ->
                            text.length() <= 64
                                            && !text.isEmpty()
                                            && isLower(text.charAt(0))
                                            && text.chars()
                                                    .allMatch(c ->
                                                            isLower(c)
                                                                    || Literal.isDigit(c)
                                                                    || "_-.*".indexOf(c) >= 0)
                                    ? Optional.of(text)
                                    : Optional.empty());

    /** A duration from {@code least} to one year. */
    static ValueParser<Duration> duration(Duration least) {
        return new ValueParser<>(
                "a duration such as 200ms, 15s, 5m or 1h"
                        + (least.isZero() ? "" : ", at least " + least.toMillis() + "ms"),
                text ->
                        duration(text)
                                .filter(d -> d.compareTo(least) >= 0)
                                .filter(d -> d.compareTo(LONGEST) <= 0));
    }

    /** A size from {@code least} to one pebibyte. */
    static ValueParser<Long> bytes(long least) {
        return new ValueParser<>(
                "a size such as 64KiB, 16MiB or 1GiB, at least " + least + "B",
                text -> bytes(text).filter(b -> b >= least && b <= LARGEST_BYTES));
    }

    /** A size from {@code least} to {@code most}. */
    static ValueParser<Integer> bytes(int least, int most) {
        return new ValueParser<>(
                "a size such as 64KiB, from " + least + "B to " + most + "B",
                text -> bytes(text).filter(b -> b >= least && b <= most).map(Math::toIntExact));
    }

    /** A number of bytes; 0 for no limit. */
    static final ValueParser<Long> LIMIT =
            new ValueParser<>(
                    "a size such as 64KiB, 16MiB or 1GiB, or 0 for no limit",
                    text ->
                            text.equals("0")
                                    ? Optional.of(0L)
                                    : bytes(text).filter(b -> b <= LARGEST_BYTES));

    /** Converts the value; the syntax is unchanged. */
    <U> ValueParser<U> map(Function<T, U> mapping) {
        return new ValueParser<>(expected, text -> reading.apply(text).map(mapping));
    }

    /** A whole number from {@code least} to {@code most}. */
    static ValueParser<Integer> number(int least, int most) {
        return new ValueParser<>(
                "a whole number from " + least + " to " + most,
                text -> whole(text).filter(n -> n >= least && n <= most).map(Math::toIntExact));
    }

    /** The kebab-case name of one of {@code values}. */
    static <E extends Enum<E>> ValueParser<E> oneOf(Class<E> values) {
        var constants = List.of(values.getEnumConstants());
        return new ValueParser<>(
                String.join(" | ", constants.stream().map(ValueParser::name).toList()),
                text -> constants.stream().filter(e -> name(e).equals(text)).findFirst());
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Optional<Duration> duration(String text) {
        int digits = leadingDigits(text);
        return whole(text.substring(0, digits))
                .flatMap(n ->
                        switch (text.substring(digits)) {
                            case "ms" -> Optional.of(Duration.ofMillis(n));
                            case "s" -> Optional.of(Duration.ofSeconds(n));
                            case "m" -> Optional.of(Duration.ofMinutes(n));
                            case "h" -> Optional.of(Duration.ofHours(n));
                            default -> Optional.empty();
                        });
    }

    private static Optional<Long> bytes(String text) {
        int digits = leadingDigits(text);
        return whole(text.substring(0, digits))
                .flatMap(n ->
                        switch (text.substring(digits)) {
                            case "B" -> Optional.of(n);
                            case "KiB" -> Optional.of(n << 10);
                            case "MiB" -> Optional.of(n << 20);
                            case "GiB" -> Optional.of(n << 30);
                            default -> Optional.empty();
                        });
    }

    /** At most ten digits, so that no unit causes an overflow. */
    private static Optional<Long> whole(String text) {
        return text.isEmpty() || text.length() > 10 || leadingDigits(text) < text.length()
                ? Optional.empty()
                : Optional.of(Long.parseLong(text));
    }

    private static int leadingDigits(String text) {
        int i = 0;
        while (i < text.length() && Literal.isDigit(text.charAt(i))) {
            i++;
        }
        return i;
    }

    private static Optional<URI> originUrl(String text) {
        try {
            var url = new URI(text);
            boolean plain =
                    "http".equalsIgnoreCase(url.getScheme())
                            && url.getHost() != null
                            && url.getPort() <= 65_535
                            && url.getPort() != 0
                            && url.getRawUserInfo() == null
                            && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"))
                            && url.getRawQuery() == null
                            && url.getRawFragment() == null;
            return plain
                    ? Optional.of(
                            URI.create("http://" + url.getRawAuthority().toLowerCase(Locale.ROOT)))
                    : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** A word without a slash or dot is more likely a mistake than a file. */
    private static Optional<LogConfig.Target> logTarget(String text) {
        return switch (text) {
            case "stderr" -> Optional.of(new LogConfig.Stderr());
            case "off" -> Optional.of(new LogConfig.Off());
            default -> {
                if (text.indexOf('/') < 0 && text.indexOf('.') < 0) {
                    yield Optional.empty();
                }
                try {
                    var path = Path.of(text);
                    var directory = path.toAbsolutePath().getParent();
                    yield directory == null
                                    || !Files.isDirectory(directory)
                                    || Files.isDirectory(path)
                            ? Optional.empty()
                            : Optional.of(new LogConfig.ToFile(path));
                } catch (InvalidPathException e) {
                    yield Optional.empty();
                }
            }
        };
    }

    private static boolean isPathPattern(String text) {
        return text.startsWith("/")
                && text.length() <= 512
                && text.chars().allMatch(c -> c > ' ' && c < 0x7f && "?#{}".indexOf(c) < 0)
                && Arrays.stream(text.split("/"))
                        .allMatch(segment -> segment.equals("**") || !segment.contains("**"));
    }

    private static boolean isLower(int c) {
        return c >= 'a' && c <= 'z';
    }
}
