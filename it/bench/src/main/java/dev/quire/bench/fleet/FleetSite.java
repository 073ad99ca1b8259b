package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Read;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The URLs that are requested from the nodes of a fleet: items, pages, and the fragments of pages.
 * Each has a tag that it shares with others of its kind.
 */
final class FleetSite {
    static final String HOST = "fleet.example";

    private static final int ITEMS = 120;
    private static final int PAGES = 24;
    private static final int FRAGMENTS = 48;
    private static final int FRAGMENTS_EACH = 4;
    private static final int TAGS = 12;

    /** One of so many resources has a short lifetime. */
    private static final int SHORT = 5;

    private static final int LEAST_BYTES = 200;
    private static final int MOST_BYTES = 20_000;

    private FleetSite() {}

    /** The targets that clients ask for. */
    static final List<String> TARGETS =
            IntStream.range(0, ITEMS + PAGES)
                    .mapToObj(i -> i < ITEMS ? "/item/" + i : "/page/" + (i - ITEMS))
                    .toList();

    /** All URLs, also those of fragments. */
    static final List<String> URLS = urls();

    private static List<String> urls() {
        var urls = new ArrayList<String>();
        TARGETS.forEach(target -> urls.add(HOST + target));
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

    /** The names under which a URL is purged. */
    static List<String> names(String url) {
        return List.of(url, tag(url));
    }

    /** The URLs with a tag. */
    static List<String> tagged(String tag) {
        return URLS.stream().filter(url -> tag(url).equals(tag)).toList();
    }

    /** A target whose response contains that of {@code url}. */
    static String target(String url) {
        return kind(url).equals("fragment")
                ? "/page/" + number(url) / FRAGMENTS_EACH % PAGES
                : url.substring(HOST.length());
    }

    static Resource resource(String url) {
        int bytes = LEAST_BYTES + Math.floorMod(url.hashCode(), MOST_BYTES - LEAST_BYTES);
        var caching =
                number(url) % SHORT == 0
                        ? "max-age=2, stale-while-revalidate=4, stale-if-error=60"
                        : "max-age=3600";
        return new Resource(bytes, tag(url), caching, includes(url), Duration.ZERO);
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

    /**
     * Returns what a client has read: the response for {@code target} itself, and its fragments.
     *
     * @param age of the whole response
     * @param source of the whole response
     */
    static List<Read> read(
            int node,
            String target,
            byte[] body,
            OptionalLong age,
            String source,
            long started,
            long ended) {
        var urls = new ArrayList<>(List.of(HOST + target));
        includes(HOST + target).forEach(include -> urls.add(HOST + include));
        boolean isPage = urls.size() > 1;
        var reads = new ArrayList<Read>();
        int from = 0;
        for (var url : urls) {
            int rest = body.length - from;
            boolean isLast = url.equals(urls.getLast());
            int length =
                    isLast ? rest : Math.min(rest, StampedBody.length(body, from).orElse(rest));
            long version =
                    StampedBody.version(url, Arrays.copyOfRange(body, from, from + length))
                            .orElse(Read.WRONG);
            reads.add(
                    new Read(
                            node,
                            url,
                            version,
                            isPage ? OptionalLong.empty() : age,
                            source,
                            started,
                            ended));
            from += length;
        }
        return reads;
    }
}
