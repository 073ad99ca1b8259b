package dev.quire.bench.kill;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The URLs that are requested from proxies that are killed. */
final class CrashSite {
    private static final List<String> HOSTS = List.of("a.example", "b.example", "c.example");
    private static final int SECTIONS = 8;
    private static final int TAGS = 10;
    private static final int EACH = 60;
    private static final int LEAST_BYTES = 100;
    private static final int MOST_BYTES = 40_000;

    static final List<Place> PLACES = places();

    private static final Map<String, Place> BY_URL =
            PLACES.stream().collect(Collectors.toMap(Place::url, Function.identity()));

    private CrashSite() {}

    /**
     * A resource.
     *
     * @param section the start of its path
     */
    record Place(String host, String section, int number) {
        String target() {
            return section + "/" + number;
        }

        String url() {
            return host + target();
        }

        String tag() {
            return "tag-" + number % TAGS;
        }

        int bytes() {
            return LEAST_BYTES + Math.floorMod(url().hashCode(), MOST_BYTES - LEAST_BYTES);
        }
    }

    private static List<Place> places() {
        var places = new ArrayList<Place>();
        for (var host : HOSTS) {
            for (int number = 0; number < EACH; number++) {
                places.add(new Place(host, "/section-" + number * 7 % SECTIONS, number));
            }
        }
        return List.copyOf(places);
    }

    static StampedOrigin.Resource resource(String url) {
        var place = BY_URL.get(url);
        if (place == null) {
            throw new IllegalArgumentException("not a URL of the site: " + url);
        }
        return new StampedOrigin.Resource(place.bytes(), place.tag());
    }
}
