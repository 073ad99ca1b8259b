package dev.quire.proxy.disk;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.Purge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Entries of every kind, and their clocks. */
final class Entries {
    static final Clocks CLOCKS =
            new Clocks(Instant.ofEpochSecond(1_000), Instant.parse("2026-11-20T12:00:00Z"));
    static final Instant SINCE = CLOCKS.now().minusSeconds(7);
    static final CacheKey URL = new CacheKey(Scheme.HTTPS, "news.example", "/a?b=\u00e4");

    private Entries() {}

    static List<InvalidationEntry> all() {
        return List.of(
                new InvalidationEntry.PurgeEntry(
                        new Purge(
                                Set.of(URL),
                                Set.of("poll", "\ud800 alone"),
                                Set.of("news.example"),
                                List.of(
                                        new PathPattern("/a%2525/*"),
                                        new PathPattern("/\u00e4**"))),
                        false,
                        SINCE),
                new InvalidationEntry.PurgeEntry(
                        new Purge(Set.of(), Set.of("poll"), Set.of(), List.of()), true, SINCE),
                new InvalidationEntry.UrlEntry(URL, SINCE),
                new InvalidationEntry.GroupsEntry(
                        Scheme.HTTP, "news.example", Set.of("g", "h"), SINCE),
                new InvalidationEntry.BanEntry(
                        new BanCondition(
                                Optional.of(new HostPattern("*.example")),
                                Optional.of(SearchPattern.of("^/a.*b$", 1_000)),
                                Optional.of("poll"),
                                Optional.of("image/*"),
                                Optional.of(404),
                                Optional.of(Duration.ofMillis(1_500))),
                        SINCE),
                new InvalidationEntry.BanEntry(
                        BanCondition.of(
                                BanPatterns.of(
                                        Fields.of(
                                                "X-Host",
                                                "News",
                                                "X-Url",
                                                "^/x",
                                                "X-Content-Type",
                                                "html",
                                                "X-Cache-Tags",
                                                "(^|,)(a|b)(,|$)"))),
                        SINCE),
                new InvalidationEntry.BanEntry(
                        BanCondition.of(BanPatterns.of(Fields.of("X-Url", ".*"))), SINCE),
                new InvalidationEntry.LiftEntry(5, SINCE));
    }

    /** A state with all of them. */
    static InvalidationState state() {
        var numbered = new ArrayList<InvalidationState.Numbered>();
        for (var entry : all()) {
            numbered.add(new InvalidationState.Numbered(10 + numbered.size(), entry));
        }
        return new InvalidationState(
                11,
                -13,
                List.of(new InvalidationState.Epoch(-1, 0), new InvalidationState.Epoch(7, 10)),
                18,
                3,
                numbered,
                List.of(new InvalidationState.Position(0xfffff, 12)),
                logState());
    }

    /** With an entry that is in the log, and two that wait for it. */
    static LogState logState() {
        return new LogState(
                -5,
                7,
                30L << 20,
                List.of(new LogState.Place(20L << 20, 12), new LogState.Place(30L << 20, 14)),
                List.of(
                        new LogState.Own(12, 20L << 20, new long[] {12}, new byte[] {1, 2}),
                        new LogState.Own(15, 0, new long[] {15, 17}, new byte[] {3}),
                        new LogState.Own(17, 0, new long[0], new byte[] {-1, 0, 4})));
    }
}
