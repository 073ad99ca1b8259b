package dev.quire.proxy.config;

import dev.quire.core.http.DurationText;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.text.Literal;
import dev.quire.core.text.Network;
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
 * @param writing returns a text of the value
 * @param form of the texts
 * @param fault returns the first mistake in a text that is not valid; nothing if {@code expected}
 *     says it all
 */
record ValueParser<T>(
        String expected,
        Function<String, Optional<T>> reading,
        Function<T, String> writing,
        ValueForm form,
        Function<String, Optional<SyntaxError>> fault) {

    ValueParser(
            String expected,
            Function<String, Optional<T>> reading,
            Function<T, String> writing,
            ValueForm form) {
        this(expected, reading, writing, form, text -> Optional.empty());
    }

    /** Converts a text, or reports its first mistake. */
    @FunctionalInterface
    interface Compiler<T> {
        T compile(String text) throws SyntaxError;
    }

    /** Text whose form has no pattern. */
    ValueParser(String expected, Function<String, Optional<T>> reading) {
        this(expected, reading, String::valueOf, ValueForm.text(expected));
    }

    /** The longest duration: deadlines are counted in nanoseconds elsewhere. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final long LARGEST_BYTES = 1L << 50;

    private static final String PER_SECOND = "/s";

    static final ValueParser<Boolean> TRUTH =
            new ValueParser<>(
                    "true or false",
                    text ->
                            switch (text) {
                                case "true" -> Optional.of(true);
                                case "false" -> Optional.of(false);
                                default -> Optional.empty();
                            },
                    String::valueOf,
                    ValueForm.TRUTH);

    static final ValueParser<Boolean> SWITCH = eitherOf("on", "off");

    static final ValueParser<HostPort> ADDRESS =
            matching("address", HostPort.EXPECTED, ".+:[0-9]{1,5}", HostPort::read);

    static final ValueParser<ListenAddress> LISTEN_ADDRESS =
            matching(
                    "address",
                    ListenAddress.EXPECTED,
                    "unix:/[^\\s]+|.+:[0-9]{1,5}",
                    text ->
                            text.startsWith(UnixPath.PREFIX)
                                    ? UnixPath.read(text).map(path -> path)
                                    : HostPort.read(text).map(address -> address));

    static final ValueParser<Optional<HostPort>> ADDRESS_OR_OFF =
            matching(
                            "address",
                            HostPort.EXPECTED + ", or off",
                            "off|.+:[0-9]{1,5}",
                            orNothing("off", HostPort::read))
                    .writing(address -> address.map(HostPort::toString).orElse("off"));

    static final ValueParser<Network> NETWORK =
            matching("network", Network.EXPECTED, "[0-9A-Fa-f:.]+(/[0-9]{1,3})?", Network::read);

    static final ValueParser<URI> ORIGIN_URL =
            matching(
                    "URL",
                    "http://HOST[:PORT] or https://HOST[:PORT] without a path, or unix:/PATH",
                    "[hH][tT][tT][pP][sS]?://[^/?#@]+/?|unix:/[^?#]+",
                    ValueParser::originUrl);

    static final ValueParser<String> TARGET =
            matching(
                    "path",
                    "a path with an optional query, such as /actuator/health",
                    "/[!-~]{0,511}",
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
                                    : Optional.empty(),
                    percent -> percent + "%",
                    ValueForm.PERCENTAGE);

    static final ValueParser<String> AUTHORITY =
            scalar(
                    "host",
                    "HOST or HOST:PORT",
                    "[^/?#@]+",
                    text ->
                            Literal.isHost(text) || HostPort.read(text).isPresent()
                                    ? Optional.of(text.toLowerCase(Locale.ROOT))
                                    : Optional.empty());

    /** The Host of requests to an origin; empty for that of the client. */
    static final ValueParser<Optional<String>> SENT_HOST =
            scalar(
                            "host",
                            "keep, HOST or HOST:PORT",
                            "[^/?#@]+",
                            orNothing("keep", AUTHORITY.reading()))
                    .writing(host -> host.orElse("keep"));

    static final ValueParser<String> HOST_PATTERN =
            scalar(
                    "host pattern",
                    "* or a host name without a port, such as www.example.org or *.example.org",
                    "[*]|([*][.])?[A-Za-z0-9._-]{1,253}",
                    text -> {
                        var name = text.startsWith("*.") ? text.substring(2) : text;
                        return text.equals("*") || Literal.isHost(name)
                                ? Optional.of(text.toLowerCase(Locale.ROOT))
                                : Optional.empty();
                    });

    static final ValueParser<String> PATH_PATTERN =
            matching(
                    "path pattern",
                    "a path such as /news/** or /img/*.png, where ** is a whole segment; for {a,b}"
                            + " write two routes",
                    "/[!-~]{0,511}",
                    text -> isPathPattern(text) ? Optional.of(text) : Optional.empty());

    static final ValueParser<String> MEDIA_TYPE =
            matching(
                    "media type",
                    "a media type without parameters, such as text/html",
                    "[!-.0-~]+/[!-.0-~]+",
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
            scalar(
                    "cookie pattern",
                    "the name of a cookie, where * matches any characters",
                    "[!-~]+",
                    text -> FieldSyntax.isToken(text) ? Optional.of(text) : Optional.empty());

    static final ValueParser<String> ARGUMENT_PREFIX =
            word(
                    "prefix",
                    "1 to 64 letters, digits, -, . and _, such as esi_",
                    "[A-Za-z0-9._-]{1,64}");

    /** The name of an ESI variable. */
    static final ValueParser<String> VARIABLE =
            word(
                    "name",
                    "a letter, then letters, digits and _, at most 256 characters",
                    "[A-Za-z][A-Za-z0-9_]{0,255}");

    static final ValueParser<String> VARIABLE_KEY =
            matching(
                    "name",
                    "1 to 256 characters, no control characters",
                    ".{1,256}",
                    text ->
                            !text.isEmpty()
                                            && text.length() <= 256
                                            && text.chars().noneMatch(Character::isISOControl)
                                    ? Optional.of(text)
                                    : Optional.empty());

    static final ValueParser<String> TEXT = new ValueParser<>("text", Optional::of);

    /** A name chosen by the operator; used as a metric label. */
    static final ValueParser<String> NAME =
            word("name", "1 to 64 letters, digits, - and _", "[A-Za-z0-9_-]{1,64}");

    /** A cookie name (RFC 6265 §4.1.1). */
    static final ValueParser<String> COOKIE =
            word(
                    "cookie",
                    "the name of a cookie, such as esi-variant",
                    "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");

    static final ValueParser<LogConfig.Target> LOG_TARGET =
            scalar(
                            "file",
                            "stderr, off or a path such as ./access.log in an existing directory",
                            "stderr|off|.*[/.].*",
                            ValueParser::logTarget)
                    .writing(ValueParser::logTargetText);

    /** A key of a structured field dictionary (RFC 9651 §3.1.2). */
    static final ValueParser<String> DEVICE_TOKEN =
            scalar(
                    "name",
                    "a lower-case letter, then lower-case letters, digits and _-.*, such as quire",
                    "[a-z][a-z0-9_.*-]{0,63}",
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

    /**
     * A directory, which need not exist; its path may be relative to {@code base}. A word without a
     * slash or dot is more likely a mistake.
     */
    static ValueParser<Path> directory(Path base) {
        return scalar(
                "directory",
                "the path of a directory, such as /var/cache/quire or ./cache",
                ".*[/.].*",
                text -> directory(base, text));
    }

    /** A duration from {@code least} to one year. */
    static ValueParser<Duration> duration(Duration least) {
        return new ValueParser<>(
                "a duration such as 200ms, 15s, 5m, 1h or 7d"
                        + (least.isZero() ? "" : ", at least " + least.toMillis() + "ms"),
                text ->
                        duration(text)
                                .filter(d -> d.compareTo(least) >= 0)
                                .filter(d -> d.compareTo(LONGEST) <= 0),
                DurationText::of,
                ValueForm.duration(least, LONGEST));
    }

    /** A size from {@code least} to one pebibyte. */
    static ValueParser<Long> bytes(long least) {
        return new ValueParser<>(
                "a size such as 64KiB, 16MiB or 1GiB, at least " + least + "B",
                text -> bytes(text).filter(b -> b >= least && b <= LARGEST_BYTES),
                ValueParser::bytesText,
                ValueForm.size("at least " + bytesText(least)));
    }

    /** A size from {@code least} to {@code most}. */
    static ValueParser<Integer> bytes(int least, int most) {
        return new ValueParser<>(
                "a size such as 64KiB, from " + least + "B to " + most + "B",
                text -> bytes(text).filter(b -> b >= least && b <= most).map(Math::toIntExact),
                ValueParser::bytesText,
                ValueForm.size(bytesText(least) + " to " + bytesText(most)));
    }

    /**
     * Like {@link #bytes(long)}, or 0.
     *
     * @param when 0 is valid
     */
    static ValueParser<Long> bytesOrZero(long least, String when) {
        var sizes = bytes(least);
        return new ValueParser<>(
                sizes.expected() + ", or 0 " + when,
                text ->
                        LIMIT.reading()
                                .apply(text)
                                .filter(b -> b == 0 || sizes.reading().apply(text).isPresent()),
                LIMIT.writing(),
                sizes.form().orZero(sizes.form().range() + ", or 0 " + when));
    }

    /** Bytes in a second, from {@code least} to one pebibyte. */
    static ValueParser<Long> byteRate(long least) {
        return new ValueParser<>(
                "bytes in a second such as 64MiB/s, at least " + least + "B/s",
                text ->
                        text.endsWith(PER_SECOND)
                                ? bytes(text.substring(0, text.length() - PER_SECOND.length()))
                                        .filter(b -> b >= least && b <= LARGEST_BYTES)
                                : Optional.empty(),
                rate -> bytesText(rate) + PER_SECOND,
                ValueForm.byteRate("at least " + bytesText(least) + PER_SECOND));
    }

    /** A number of bytes; 0 for no limit. */
    static final ValueParser<Long> LIMIT =
            new ValueParser<>(
                    "a size such as 64KiB, 16MiB or 1GiB, or 0 for no limit",
                    text ->
                            text.equals("0")
                                    ? Optional.of(0L)
                                    : bytes(text).filter(b -> b <= LARGEST_BYTES),
                    value -> value == 0 ? "0" : bytesText(value),
                    ValueForm.size("").orZero("0 for no limit"));

    /** Reads {@code word} as nothing, and any other text by {@code reading}. */
    static <T> Function<String, Optional<Optional<T>>> orNothing(
            String word, Function<String, Optional<T>> reading) {
        return text -> {
            if (text.equals(word)) {
                return Optional.of(Optional.empty());
            }
            var value = reading.apply(text);
            return value.isEmpty() ? Optional.empty() : Optional.of(value);
        };
    }

    /** Converts the value; the syntax is unchanged. */
    <U> ValueParser<U> map(Function<T, U> mapping) {
        return new ValueParser<>(
                expected, text -> reading.apply(text).map(mapping), String::valueOf, form, fault);
    }

    /** Changes how values are written. */
    ValueParser<T> writing(Function<T, String> text) {
        return new ValueParser<>(expected, reading, text, form, fault);
    }

    /** A text whose mistakes have a position in it. */
    static <T> ValueParser<T> compiled(String type, String expected, Compiler<T> compiler) {
        return new ValueParser<>(
                expected,
                text -> {
                    try {
                        return Optional.of(compiler.compile(text));
                    } catch (SyntaxError e) {
                        return Optional.empty();
                    }
                },
                String::valueOf,
                ValueForm.text(type, expected),
                text -> {
                    try {
                        compiler.compile(text);
                        return Optional.empty();
                    } catch (SyntaxError e) {
                        return Optional.of(e);
                    }
                });
    }

    /** A text that matches {@code pattern} (ECMA-262), and is checked by {@code reading}. */
    static <T> ValueParser<T> matching(
            String type, String expected, String pattern, Function<String, Optional<T>> reading) {
        return new ValueParser<>(
                expected, reading, String::valueOf, ValueForm.matching(type, expected, pattern));
    }

    /** Like {@link #matching}, if a number or {@code true} is such a text. */
    static <T> ValueParser<T> scalar(
            String type, String expected, String pattern, Function<String, Optional<T>> reading) {
        return new ValueParser<>(
                expected, reading, String::valueOf, ValueForm.scalar(type, expected, pattern));
    }

    /** A text that matches {@code pattern}. */
    private static ValueParser<String> word(String type, String expected, String pattern) {
        return scalar(
                type,
                expected,
                pattern,
                text -> Optional.of(text).filter(it -> it.matches(pattern)));
    }

    /** One of two words, for true and for false. */
    static ValueParser<Boolean> eitherOf(String yes, String no) {
        return new ValueParser<>(
                yes + " | " + no,
                text ->
                        text.equals(yes)
                                ? Optional.of(true)
                                : Optional.of(false).filter(value -> text.equals(no)),
                value -> value ? yes : no,
                ValueForm.oneOf(List.of(yes, no)));
    }

    /** A whole number from {@code least} to {@code most}. */
    static ValueParser<Integer> number(int least, int most) {
        return new ValueParser<>(
                "a whole number from " + least + " to " + most,
                text -> whole(text).filter(n -> n >= least && n <= most).map(Math::toIntExact),
                String::valueOf,
                ValueForm.number(least, most));
    }

    /** The kebab-case name of one of {@code values}. */
    static <E extends Enum<E>> ValueParser<E> oneOf(Class<E> values) {
        var constants = List.of(values.getEnumConstants());
        var names = constants.stream().map(ValueParser::name).toList();
        return new ValueParser<>(
                String.join(" | ", names),
                text -> constants.stream().filter(e -> name(e).equals(text)).findFirst(),
                ValueParser::name,
                ValueForm.oneOf(names));
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
                            case "d" -> Optional.of(Duration.ofDays(n));
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

    /** A size in its largest unit. */
    private static String bytesText(long bytes) {
        if (bytes == 0 || bytes % 1024 != 0) {
            return bytes + "B";
        }
        long kib = bytes >> 10;
        if (kib % 1024 != 0) {
            return kib + "KiB";
        }
        long mib = kib >> 10;
        return mib % 1024 == 0 ? (mib >> 10) + "GiB" : mib + "MiB";
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
            if (text.startsWith("unix:/") && !text.startsWith("unix://")) {
                return Optional.of(url)
                        .filter(it -> it.getRawQuery() == null && it.getRawFragment() == null);
            }
            var scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
            boolean plain =
                    (scheme.equals("http") || scheme.equals("https"))
                            && url.getHost() != null
                            && url.getPort() <= 65_535
                            && url.getPort() != 0
                            && url.getRawUserInfo() == null
                            && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"))
                            && url.getRawQuery() == null
                            && url.getRawFragment() == null;
            return plain
                    ? Optional.of(
                            URI.create(
                                    scheme
                                            + "://"
                                            + url.getRawAuthority().toLowerCase(Locale.ROOT)))
                    : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static Optional<Path> directory(Path base, String text) {
        if (isWord(text)) {
            return Optional.empty();
        }
        try {
            return Optional.of(base.resolve(text))
                    .filter(path -> Files.isDirectory(path) || !Files.exists(path));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** A word without a slash or dot is more likely a mistake than a file. */
    private static boolean isWord(String text) {
        return text.indexOf('/') < 0 && text.indexOf('.') < 0;
    }

    private static Optional<LogConfig.Target> logTarget(String text) {
        return switch (text) {
            case "stderr" -> Optional.of(new LogConfig.Stderr());
            case "off" -> Optional.of(new LogConfig.Off());
            default -> {
                if (isWord(text)) {
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

    private static String logTargetText(LogConfig.Target target) {
        return switch (target) {
            case LogConfig.Stderr() -> "stderr";
            case LogConfig.Off() -> "off";
            case LogConfig.ToFile(var path) -> path.toString();
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
