package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The content of the origin: the same bytes for the same target on every machine and in every
 * process, so that a check can compute the expected response.
 *
 * <table>
 * <caption>Targets; DIALECT is esi or ssi</caption>
 * <tr><td>{@code /object/BYTES}</td><td>an image, cacheable for an hour</td></tr>
 * <tr><td>{@code /many/BYTES/N}</td><td>the same, with other bytes for each N</td></tr>
 * <tr><td>{@code /img/beach.jpg}, {@code /img/thumb.jpg}</td><td>objects of 100 and 5
 * KiB</td></tr>
 * <tr><td>{@code /page/DIALECT/N}</td><td>16 KiB of text with N fragments of 1 KiB</td></tr>
 * <tr><td>{@code /pages/DIALECT/N}</td><td>the same for each N, with ten fragments of its
 * own</td></tr>
 * <tr><td>{@code /personal/DIALECT/N}</td><td>the same with {@code /mine} in the middle</td></tr>
 * <tr><td>{@code /late/DIALECT/N}</td><td>4 KiB with N uncacheable fragments</td></tr>
 * <tr><td>{@code /news/DIALECT/...}</td><td>{@code front}, {@code live/N}, {@code topic/N},
 * {@code article/N}: 36, 24, 24 and 16 KiB with four shared fragments</td></tr>
 * <tr><td>{@code /brief/N}</td><td>1 KiB, cacheable for 9 s</td></tr>
 * <tr><td>{@code /outage/N}</td><td>1 KiB, cacheable for 5 s, and for an hour if the origin
 * fails</td></tr>
 * <tr><td>{@code /fragment/NAME}</td><td>1 KiB, cacheable for an hour</td></tr>
 * <tr><td>{@code /mine}</td><td>1 KiB for the cookie {@code user}, private, after 5 ms</td></tr>
 * <tr><td>{@code /late-fragment/N}</td><td>1 KiB, uncacheable, after 50 ms</td></tr>
 * <tr><td>{@code /packed/...}</td><td>pages and fragments as above; the prefix tells targets to
 * cache them compressed if they need a separate configuration for it</td></tr>
 * </table>
 */
public final class Site {
    /** Size of fragments and private parts. */
    static final int FRAGMENT_BYTES = 1 << 10;

    /** Number of articles. */
    static final int ARTICLES = 20_000;

    static final int ARTICLE_BYTES = 16 << 10;
    static final int LIVE_BYTES = 24 << 10;
    static final int FRONT_BYTES = 36 << 10;
    static final int SHARED_FRAGMENTS = 4;

    /** Prefix of targets that may be cached compressed. */
    static final String PACKED = "/packed";

    private static final int PAGE_BYTES = 16 << 10;
    private static final int LATE_PAGE_BYTES = 4 << 10;
    private static final int LARGEST_OBJECT_BYTES = 16 << 20;
    private static final int MOST_FRAGMENTS = 1000;
    private static final int OWN_FRAGMENTS = 10;

    private static final int MOST_OBJECTS = 2000;

    /** By which the bytes of two objects of one size differ. */
    private static final int SHIFT_BYTES = 512;

    private static final Duration PRIVATE_DELAY = Duration.ofMillis(5);
    private static final Duration LATE_DELAY = Duration.ofMillis(50);
    private static final String KEPT = "max-age=3600";
    private static final String BRIEF = "max-age=9";
    private static final String OUTAGE = "max-age=5, stale-if-error=3600";
    private static final String NOT_KEPT = "private, no-store";
    private static final Pattern COOKIE = Pattern.compile("(?:^|;\\s*)user=([^;]*)");
    private static final Pattern INCLUDE =
            Pattern.compile(
                    "<esi:include src=\"([^\"]+)\"/>|<!--# include virtual=\"([^\"]+)\" -->");
    private static final List<String> SHARED = List.of("header", "most-read", "results", "footer");

    private static final byte[] TEXT = text();
    private static final byte[] NOISE = noise();

    private Site() {}

    /**
     * The response for a target.
     *
     * @param assembled whether it is a page to assemble
     * @param body one character per byte (ISO 8859-1)
     * @param delay the origin's response time
     */
    record Served(
            String contentType,
            String cacheControl,
            boolean assembled,
            String body,
            Duration delay) {}

    /** Returns the response to GET {@code target} with this value of Cookie; empty is a 404. */
    static Optional<Served> serve(String target, String cookie) {
        boolean packed = target.startsWith(PACKED + "/");
        var path = packed ? target.substring(PACKED.length()) : target;
        var steps = Arrays.asList(path.substring(1).split("/", -1));
        var within = packed ? PACKED : "";
        try {
            return switch (steps.getFirst()) {
                case "object" -> steps.size() == 2 ? object(steps.get(1), 0) : Optional.empty();
                case "many" -> object(steps.get(1), count(steps, MOST_OBJECTS));
                case "img" -> image(steps.getLast());
                case "page" -> page(steps, target, PAGE_BYTES, fragments(within, count(steps)));
                case "pages" -> {
                    var own = within + "/fragment/" + count(steps) + "-";
                    yield page(steps, target, PAGE_BYTES, numbered(own, OWN_FRAGMENTS));
                }
                case "personal" ->
                        page(steps, target, PAGE_BYTES, withMine(fragments(within, count(steps))));
                case "late" ->
                        page(
                                steps,
                                target,
                                LATE_PAGE_BYTES,
                                numbered("/late-fragment/", count(steps)));
                case "news" -> news(steps, target, within);
                case "fragment" -> Optional.of(html(fill(target, FRAGMENT_BYTES), false));
                case "brief" -> Optional.of(lasting(target, BRIEF));
                case "outage" -> Optional.of(lasting(target, OUTAGE));
                case "late-fragment" ->
                        Optional.of(unkept(fill(target, FRAGMENT_BYTES), LATE_DELAY));
                case "mine" ->
                        Optional.of(
                                unkept(
                                        fill("reader " + user(cookie), FRAGMENT_BYTES),
                                        PRIVATE_DELAY));
                default -> Optional.empty();
            };
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the expected body at the client: with all fragments in place. */
    public static byte[] assembled(String target, String cookie) {
        var page =
                serve(target, cookie)
                        .orElseThrow(() -> new IllegalArgumentException("not found: " + target));
        if (!page.assembled()) {
            return page.body().getBytes(ISO_8859_1);
        }
        var out = new ByteArrayOutputStream();
        for (var piece : pieces(page.body())) {
            switch (piece) {
                case Literal literal -> out.writeBytes(literal.text().getBytes(ISO_8859_1));
                case Include include -> out.writeBytes(assembled(include.source(), cookie));
            }
        }
        return out.toByteArray();
    }

    /** A part of a page. */
    sealed interface Piece {}

    /** Text that is copied, one character per byte. */
    record Literal(String text) implements Piece {}

    /** The include of the fragment at {@code source}. */
    record Include(String source) implements Piece {}

    /** Cuts a page at its tags, of any dialect. */
    static List<Piece> pieces(String page) {
        var found = INCLUDE.matcher(page);
        var pieces = new ArrayList<Piece>();
        int from = 0;
        while (found.find()) {
            pieces.add(new Literal(page.substring(from, found.start())));
            pieces.add(new Include(found.group(1) != null ? found.group(1) : found.group(2)));
            from = found.end();
        }
        pieces.add(new Literal(page.substring(from)));
        return pieces;
    }

    private static Optional<Served> object(String size, int number) {
        int bytes = Integer.parseInt(size);
        if (bytes < 0 || bytes > LARGEST_OBJECT_BYTES) {
            return Optional.empty();
        }
        var body = new byte[bytes];
        int from = number * SHIFT_BYTES;
        for (int at = 0; at < bytes; from = 0) {
            int length = Math.min(NOISE.length - from, bytes - at);
            System.arraycopy(NOISE, from, body, at, length);
            at += length;
        }
        return Optional.of(
                new Served("image/jpeg", KEPT, false, new String(body, ISO_8859_1), Duration.ZERO));
    }

    private static Optional<Served> image(String name) {
        return switch (name) {
            case "beach.jpg" -> object("102400", 0);
            case "thumb.jpg" -> object("5120", 0);
            default -> Optional.empty();
        };
    }

    private static Optional<Served> news(List<String> steps, String target, String within) {
        if (steps.size() < 3) {
            return Optional.empty();
        }
        var shared = SHARED.stream().map(name -> within + "/fragment/" + name).toList();
        int bytes =
                switch (steps.get(2)) {
                    case "front" -> FRONT_BYTES;
                    case "live", "topic" -> LIVE_BYTES;
                    case "article" -> ARTICLE_BYTES;
                    default -> 0;
                };
        return bytes == 0 ? Optional.empty() : page(steps, target, bytes, shared);
    }

    private static Optional<Served> page(
            List<String> steps, String name, int bytes, List<String> sources) {
        for (var dialect : List.of(Dialect.ESI, Dialect.SSI)) {
            if (steps.size() > 1 && steps.get(1).equals(dialect.word())) {
                return Optional.of(html(page(dialect, name, bytes, sources), true));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns {@code bytes} of text with evenly spaced tags. The text is the same for all dialects.
     */
    private static byte[] page(Dialect dialect, String name, int bytes, List<String> sources) {
        var out = new ByteArrayOutputStream();
        var stem = name.replaceFirst("/(esi|ssi)/", "/");
        int parts = sources.size() + 1;
        for (int i = 0; i < parts; i++) {
            int from = (int) ((long) bytes * i / parts);
            int to = (int) ((long) bytes * (i + 1) / parts);
            out.writeBytes(fill(stem + '#' + i, to - from));
            if (i < sources.size()) {
                out.writeBytes(dialect.include(sources.get(i)).getBytes(ISO_8859_1));
            }
        }
        return out.toByteArray();
    }

    private static int count(List<String> steps) {
        return count(steps, MOST_FRAGMENTS);
    }

    private static int count(List<String> steps, int most) {
        int count = Integer.parseInt(steps.getLast());
        if (steps.size() != 3 || count < 0 || count > most) {
            throw new NumberFormatException(
                    "expected a number of fragments or of an object, found " + steps);
        }
        return count;
    }

    private static List<String> fragments(String within, int count) {
        return numbered(within + "/fragment/", count);
    }

    private static List<String> numbered(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static List<String> withMine(List<String> sources) {
        var all = new ArrayList<>(sources);
        all.add(sources.size() / 2, "/mine");
        return all;
    }

    private static Served html(byte[] body, boolean assembled) {
        return new Served(
                "text/html; charset=utf-8",
                KEPT,
                assembled,
                new String(body, ISO_8859_1),
                Duration.ZERO);
    }

    private static Served lasting(String target, String cacheControl) {
        return new Served(
                "text/html; charset=utf-8",
                cacheControl,
                false,
                new String(fill(target, FRAGMENT_BYTES), ISO_8859_1),
                Duration.ZERO);
    }

    private static Served unkept(byte[] body, Duration delay) {
        return new Served(
                "text/html; charset=utf-8", NOT_KEPT, false, new String(body, ISO_8859_1), delay);
    }

    private static String user(String cookie) {
        var found = COOKIE.matcher(cookie);
        return found.find() ? found.group(1) : "nobody";
    }

    /** Returns {@code bytes} of text that is unique for the name: the name, then random words. */
    private static byte[] fill(String name, int bytes) {
        var filled = new byte[bytes];
        int from = Math.floorMod(name.hashCode() * 31, TEXT.length - bytes);
        System.arraycopy(TEXT, from, filled, 0, bytes);
        var title = ("<p>" + name + ": ").getBytes(ISO_8859_1);
        System.arraycopy(title, 0, filled, 0, Math.min(title.length, bytes));
        return filled;
    }

    /** Words without tags, so that the text can be cut anywhere. */
    private static byte[] text() {
        var words =
                """
                the of and to in a is that for was on are with as they be at one have this from by
                vote votes counted ballot district candidate party lead result results report live
                turnout percent region station city county minister parliament campaign debate poll
                analysis editor reader photo video weather sport culture economy market science
                morning evening tonight yesterday tomorrow announced according expected reported\
                """
                        .split("\\s+", -1);
        var random = new Random(20_000);
        var text = new StringBuilder();
        while (text.length() < 1 << 20) {
            text.append(words[random.nextInt(words.length)])
                    .append(random.nextInt(15) == 0 ? ".\n" : " ");
            if (random.nextInt(12) == 0) {
                text.append(random.nextInt(100_000)).append(' ');
            }
        }
        return text.toString().getBytes(ISO_8859_1);
    }

    private static byte[] noise() {
        var noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        return noise;
    }
}
