package dev.quire.bench.kill;

import java.util.List;

/** Ways to invalidate responses, each of which must outlive a kill once it is answered. */
enum Purging {
    TAG,
    URL,
    HOST,
    BAN,
    /** The success of an unsafe request. */
    UNSAFE;

    static final List<Purging> ALL = List.of(values());

    /** Whether purging for {@code named} covers {@code other}. */
    boolean covers(CrashSite.Place named, CrashSite.Place other) {
        return switch (this) {
            case TAG -> other.tag().equals(named.tag());
            case URL, UNSAFE -> other.equals(named);
            case HOST -> other.host().equals(named.host());
            case BAN -> other.section().equals(named.section());
        };
    }

    /** The target of the admin API; an unsafe request is for the URL itself. */
    String target() {
        return this == BAN ? "/v1/bans" : "/v1/purge";
    }

    /** The JSON for the admin API. */
    String json(CrashSite.Place named) {
        return switch (this) {
            case TAG -> "{\"tags\":[\"%s\"],\"count\":false}".formatted(named.tag());
            case URL -> "{\"urls\":[\"http://%s\"]}".formatted(named.url());
            case HOST -> "{\"hosts\":[\"%s\"]}".formatted(named.host());
            case BAN -> "{\"path\":\"^%s/\"}".formatted(named.section());
            case UNSAFE -> "";
        };
    }
}
