package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FleetEntryTest {
    private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");
    private static final EntryName NAME = new EntryName("näme#0123", 42);
    private static final CacheKey URL = new CacheKey(Scheme.HTTPS, "news.example", "/a?b");
    private static final BanEntry BAN =
            new BanEntry(BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a"))), NOW);
    private static final PurgeEntry SOFT =
            new PurgeEntry(
                    new Purge(
                            Set.of(URL), Set.of("t"), Set.of("h"), List.of(new PathPattern("/p*"))),
                    true,
                    NOW);

    private static Time at(Duration ahead) {
        return new Time() {
            @Override
            public Instant now() {
                return NOW;
            }

            @Override
            public Instant wall() {
                return NOW.plus(ahead);
            }
        };
    }

    private static byte[] bytes(InvalidationEntry entry) {
        return FleetEntry.write(NAME, entry, false, at(Duration.ZERO));
    }

    @Test
    void entriesAreReadBack() {
        for (var entry :
                List.of(
                        new UrlEntry(URL, NOW),
                        new GroupsEntry(Scheme.HTTP, "h", Set.of("g"), NOW),
                        BAN)) {
            assertThat(FleetEntry.read(bytes(entry), at(Duration.ZERO)))
                    .isEqualTo(new FleetEntry.Made(NAME, entry));
        }
        assertThat(FleetEntry.read(FleetEntry.begin(), at(Duration.ZERO)))
                .isEqualTo(new FleetEntry.Begin());
    }

    @Test
    void endOfABanNamesItsCondition() {
        var bytes = FleetEntry.write(NAME, BAN, true, at(Duration.ZERO));

        assertThat(FleetEntry.read(bytes, at(Duration.ZERO)))
                .isEqualTo(new FleetEntry.Lifted(NAME, BAN));
    }

    @Test
    void softPurgeRemainsSoftWhereTheClockIsALittleBehind() {
        for (var behind : List.of(Duration.ZERO, Duration.ofMillis(3), Duration.ofMillis(999))) {
            assertThat(FleetEntry.read(bytes(SOFT), at(behind.negated())))
                    .isInstanceOfSatisfying(
                            FleetEntry.Made.class,
                            made ->
                                    assertThat(made.entry())
                                            .isInstanceOfSatisfying(
                                                    PurgeEntry.class,
                                                    purge -> {
                                                        assertThat(purge.isSoft()).isTrue();
                                                        assertThat(purge.since()).isEqualTo(NOW);
                                                    }));
        }
    }

    @Test
    void softPurgeOfAClockFarAheadIsHard() {
        assertThat(FleetEntry.read(bytes(SOFT), at(Duration.ofSeconds(-5))))
                .isInstanceOfSatisfying(
                        FleetEntry.Made.class,
                        made -> assertThat(((PurgeEntry) made.entry()).isSoft()).isFalse());
    }

    @Property(tries = 2_000)
    void otherBytesAreNotAnEntryOrAnotherOne(@ForAll long seed) {
        var random = new Random(seed);
        var entries = List.of(SOFT, BAN, new UrlEntry(URL, NOW));
        var bytes = bytes(entries.get(random.nextInt(entries.size())));
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 10));
        }

        var damaged = bytes;
        assertThatCode(() -> FleetEntry.read(damaged, at(Duration.ZERO)))
                .doesNotThrowAnyException();
    }
}
