package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Read;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The URLs that are requested from the nodes of a fleet: items, pages, and the fragments of pages.
 * Each has a tag that it shares with others of its kind. Some have variants, others only at times.
 */
final class FleetSite {
    static final String HOST = "fleet.example";

    /** Another host, with few items. */
    static final String SMALL_HOST = "small.example";

    /** The values of the request field that selects a variant. */
    static final List<String> VARIANTS = List.of("a", "b", "c");

    private static final int ITEMS = 120;
    private static final int SMALL_ITEMS = 10;
    private static final int PAGES = 24;
    private static final int FRAGMENTS = 48;
    private static final int FRAGMENTS_EACH = 4;
    private static final int TAGS = 12;

    /** One of so many resources has a short lifetime. */
    private static final int SHORT = 5;

    /** One of so many resources is answered late, so that purges meet fetches in flight. */
    private static final int SLOW = 7;

    private static final Duration DELAY = Duration.ofMillis(120);

    /** Of so many items or fragments one has variants, and one has them in every other version. */
    private static final int VARYING = 4;

    private static final int LEAST_BYTES = 200;
    private static final int MOST_BYTES = 20_000;

    private FleetSite() {}

    /** The URLs that clients ask for. */
    static final List<String> ASKED = asked();

    /** All URLs, also those of fragments. */
    static final List<String> URLS = urls();

    private static List<String> asked() {
        var urls = new ArrayList<String>();
        IntStream.range(0, ITEMS).forEach(i -> urls.add(HOST + "/item/" + i));
        IntStream.range(0, PAGES).forEach(i -> urls.add(HOST + "/page/" + i));
        // Not the last ones, which are asked for least.
        IntStream.range(0, SMALL_ITEMS)
                .forEach(i -> urls.add(i * VARYING, SMALL_HOST + "/item/" + i));
        return List.copyOf(urls);
    }

    private static List<String> urls() {
        var urls = new ArrayList<>(ASKED);
        IntStream.range(0, FRAGMENTS).forEach(i -> urls.add(HOST + "/fragment/" + i));
        return List.copyOf(urls);
    }

    private static String kind(String url) {
        return url.substring(url.indexOf('/') + 1, url.lastIndexOf('/'));
    }

    private static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }

    static String tag(String url) {
        return kind(url) + "-" + number(url) % TAGS;
    }

    static String host(String url) {
        return url.substring(0, url.indexOf('/'));
    }

    static String path(String url) {
        return url.substring(url.indexOf('/'));
    }

    /** A pattern of paths that few URLs have, of any host. */
    static String pattern(String url) {
        var path = path(url);
        return path.substring(0, path.lastIndexOf('/') + 2) + "*";
    }

    /** The names under which a URL is purged. */
    static List<String> names(String url) {
        return List.of(url, tag(url), host(url), pattern(url));
    }

    /** The URLs with a name. */
    static List<String> named(String name) {
        return URLS.stream().filter(url -> names(url).contains(name)).toList();
    }

    /** The URL of a response that contains that of {@code url}. */
    static String asked(String url) {
        return kind(url).equals("fragment")
                ? HOST + "/page/" + number(url) / FRAGMENTS_EACH % PAGES
                : url;
    }

    private static boolean varies(String url, long version) {
        int kind = kind(url).equals("page") ? 0 : number(url) % VARYING;
        return kind == 1 || (kind == 2 && version % 2 == 0);
    }

    /** Whether {@code url} has variants in every other version. */
    static boolean variesAtTimes(String url) {
        return varies(url, 0) && !varies(url, 1);
    }

    static Resource resource(String url) {
        int bytes = LEAST_BYTES + Math.floorMod(url.hashCode(), MOST_BYTES - LEAST_BYTES);
        var caching =
                number(url) % SHORT == 0
                        ? "max-age=2, stale-while-revalidate=4, stale-if-error=60"
                        : "max-age=3600";
        return new Resource(
                bytes,
                tag(url),
                caching,
                includes(url),
                number(url) % SLOW == 0 ? DELAY : Duration.ZERO,
                version -> varies(url, version));
    }

    /** The targets of the fragments of a page. */
    private static List<String> includes(String url) {
        if (!kind(url).equals("page")) {
            return List.of();
        }
        int first = number(url) * FRAGMENTS_EACH;
        return IntStream.range(first, first + FRAGMENTS_EACH)
                .mapToObj(i -> "/fragment/" + i % FRAGMENTS)
                .toList();
    }

    /** Returns the version of the body of a URL for a request, or {@link Read#WRONG}. */
    private static long version(String url, String variant, byte[] body) {
        long common = StampedBody.version(url, body).orElse(Read.WRONG);
        long own =
                StampedBody.version(StampedOrigin.variant(url, variant), body).orElse(Read.WRONG);
        long version = Math.max(common, own);
        return version > 0 && varies(url, version) == (own > 0) ? version : Read.WRONG;
    }

    /**
     * Returns what a client has read: the response for {@code asked} itself, and its fragments.
     *
     * @param whole the read of the whole response; its version is not known yet
     */
    static List<Read> read(byte[] body, Read whole) {
        var urls = new ArrayList<>(List.of(whole.url()));
        includes(whole.url()).forEach(include -> urls.add(HOST + include));
        boolean isPage = urls.size() > 1;
        var reads = new ArrayList<Read>();
        int from = 0;
        for (var url : urls) {
            int rest = body.length - from;
            boolean isLast = url.equals(urls.getLast());
            int length =
                    isLast ? rest : Math.min(rest, StampedBody.length(body, from).orElse(rest));
            reads.add(
                    new Read(
                            whole.node(),
                            url,
                            whole.variant(),
                            version(
                                    url,
                                    whole.variant(),
                                    Arrays.copyOfRange(body, from, from + length)),
                            isPage ? OptionalLong.empty() : whole.age(),
                            whole.source(),
                            isPage || whole.isStale(),
                            whole.started(),
                            whole.ended()));
            from += length;
        }
        return reads;
    }
}
