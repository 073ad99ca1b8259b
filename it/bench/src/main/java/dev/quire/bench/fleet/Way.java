package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Effect;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** A way to invalidate responses. */
enum Way {
    URL(6, "/v1/purge", Effect.HARD),
    TAG(5, "/v1/purge", Effect.HARD),
    PATH(1, "/v1/purge", Effect.HARD),
    HOST(1, "/v1/purge", Effect.HARD),
    SOFT_URL(3, "/v1/purge", Effect.SOFT),
    SOFT_TAG(2, "/v1/purge", Effect.SOFT),
    BAN_OF_URL(2, "/v1/bans", Effect.HARD),
    BAN_OF_TAG(2, "/v1/bans", Effect.HARD),
    /** A ban that is lifted soon. */
    LIFTED_BAN(2, "/v1/bans", Effect.UNTIL_LIFTED),
    /** A POST to the URL, which makes a new version. */
    POST(4, "", Effect.HARD);

    private static final List<Way> ALL =
            Arrays.stream(values())
                    .flatMap(way -> Collections.nCopies(way.share, way).stream())
                    .toList();

    private final int share;
    private final String endpoint;
    private final Effect effect;

    Way(int share, String endpoint, Effect effect) {
        this.share = share;
        this.endpoint = endpoint;
        this.effect = effect;
    }

    /** Removes one from {@code coming}, to which all are added if it is empty. */
    static Way next(List<Way> coming, SplittableRandom random) {
        if (coming.isEmpty()) {
            coming.addAll(ALL);
        }
        return coming.remove(random.nextInt(coming.size()));
    }

    /** The name of the count of answers. */
    String count() {
        return "made " + name().toLowerCase(Locale.ROOT);
    }

    /** The target of the admin API. */
    String endpoint() {
        return endpoint;
    }

    Effect effect() {
        return effect;
    }

    /** The name that it covers, of those of {@code url}. */
    String name(String url) {
        return switch (this) {
            case URL, SOFT_URL, BAN_OF_URL, POST -> url;
            case TAG, SOFT_TAG, BAN_OF_TAG, LIFTED_BAN -> FleetSite.tag(url);
            case PATH -> FleetSite.pattern(url);
            case HOST -> FleetSite.host(url);
        };
    }

    /** The members of its JSON. */
    String json(String name) {
        return switch (this) {
            case URL -> "\"count\":false,\"urls\":[\"http://%s\"]".formatted(name);
            case TAG -> "\"count\":false,\"tags\":[\"%s\"]".formatted(name);
            case PATH -> "\"count\":false,\"paths\":[\"%s\"]".formatted(name);
            case HOST -> "\"count\":false,\"hosts\":[\"%s\"]".formatted(name);
            case SOFT_URL -> URL.json(name) + ",\"soft\":true";
            case SOFT_TAG -> TAG.json(name) + ",\"soft\":true";
            case BAN_OF_URL ->
                    "\"host\":\"%s\",\"path\":\"^%s$\""
                            .formatted(FleetSite.host(name), FleetSite.path(name));
            case BAN_OF_TAG -> "\"tag\":\"%s\"".formatted(name);
            // Another condition, so that its end concerns no ban that is to stay.
            case LIFTED_BAN -> BAN_OF_TAG.json(name) + ",\"status\":200";
            case POST -> "";
        };
    }
}
