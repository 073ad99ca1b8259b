package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.StoreSweeper;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.handover.HandoverOffer.Successor;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.OperatorInvalidations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the log of the replaced process to that of the new one. */
class PassedInvalidationsTest {
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "news.example", "/a?x=1");
    private static final CacheKey URL_HERE = new CacheKey(Scheme.HTTP, "news.example", "/a");
    private static final BanCondition BAN =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a")));

    private final Time time = Time.system();
    private final PageStore replaced =
            new PageStore(1 << 20, new InFlightBudget(1 << 20), time::now);
    private final PageStore store = new PageStore(1 << 20, new InFlightBudget(1 << 20), time::now);
    private final List<InvalidationEntry> made = new ArrayList<>();
    private Durability durability = Durability.DURABLE;
    private boolean isOfFleet;

    @BeforeEach
    void connect() {
        store.invalidations()
                .logTo(
                        new InvalidationLog() {
                            @Override
                            public void append(long number, InvalidationEntry entry) {
                                made.add(entry);
                            }

                            @Override
                            public CompletionStage<Durability> sync() {
                                return CompletableFuture.completedStage(durability);
                            }
                        },
                        () -> 0);
        var passed =
                new PassedInvalidations(
                        new OperatorInvalidations(store, new Metrics(), new StoreSweeper(store)),
                        url -> Set.of(URL_HERE),
                        time);
        logTo(passed::receive);
    }

    private void logTo(Successor successor) {
        var log = new SuccessorLog(successor, time, () -> isOfFleet);
        replaced.invalidations().logTo(log, () -> Long.MAX_VALUE);
    }

    private Durability sync() {
        return replaced.invalidations().sync().toCompletableFuture().join();
    }

    @Test
    void allKindsReachTheNewProcess() {
        replaced.purge(new Purge(Set.of(URL), Set.of("t"), Set.of("h"), List.of()), true);
        replaced.invalidate(URL, null);
        replaced.invalidations().invalidateGroups(URL, Set.of("g"));
        replaced.invalidations().ban(BAN);

        assertThat(sync()).isEqualTo(Durability.DURABLE);
        assertThat(made).hasSize(5);
        assertThat(made.getFirst())
                .isInstanceOfSatisfying(
                        InvalidationEntry.PurgeEntry.class,
                        entry -> {
                            assertThat(entry.isSoft()).isTrue();
                            assertThat(entry.purge())
                                    .isEqualTo(
                                            new Purge(
                                                    Set.of(URL, URL_HERE),
                                                    Set.of("t"),
                                                    Set.of("h"),
                                                    List.of()));
                        });
        assertThat(made)
                .filteredOn(InvalidationEntry.UrlEntry.class::isInstance)
                .map(entry -> ((InvalidationEntry.UrlEntry) entry).url())
                .containsExactlyInAnyOrder(URL, URL_HERE);
        assertThat(made.get(3))
                .isInstanceOfSatisfying(
                        InvalidationEntry.GroupsEntry.class,
                        entry -> {
                            assertThat(entry.authority()).isEqualTo(URL.authority());
                            assertThat(entry.names()).containsExactly("g");
                        });
        assertThat(made.getLast())
                .isInstanceOfSatisfying(
                        InvalidationEntry.BanEntry.class,
                        entry -> assertThat(entry.condition()).isEqualTo(BAN));
    }

    @Test
    void endOfABanStaysInItsProcess() {
        long number = replaced.invalidations().ban(BAN).getAsLong();
        assertThat(sync()).isEqualTo(Durability.DURABLE);

        assertThat(replaced.invalidations().lift(number)).isTrue();

        assertThat(sync()).isEqualTo(Durability.NOT_DURABLE);
        assertThat(made).hasSize(1);
    }

    @Test
    void entriesOfTheFleetAreLeftToItsLog() {
        isOfFleet = true;
        replaced.invalidate(URL, null);
        isOfFleet = false;
        replaced.invalidations().ban(BAN);

        assertThat(sync()).isEqualTo(Durability.DURABLE);
        assertThat(made).hasSize(1).first().isInstanceOf(InvalidationEntry.BanEntry.class);
    }

    @Test
    void entriesAreAsDurableAsInTheNewProcess() {
        durability = Durability.NOT_DURABLE;
        replaced.invalidate(URL, null);

        assertThat(sync()).isEqualTo(Durability.NOT_DURABLE);
        assertThat(made).isNotEmpty();
    }

    @Test
    void newProcessThatDoesNotAnswerHoldsNothingUp() {
        logTo(message -> new CompletableFuture<>());
        assertThat(sync()).isEqualTo(Durability.DURABLE);
        replaced.invalidate(URL, null);
        long before = System.nanoTime();

        assertThat(sync()).isEqualTo(Durability.NOT_DURABLE);

        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(100), Duration.ofSeconds(10));
    }
}
