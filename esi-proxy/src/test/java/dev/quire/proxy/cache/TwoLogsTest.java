package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Invalidations with a log of their own and that of a fleet. */
class TwoLogsTest {
    private final Invalidations invalidations = Invalidations.empty(() -> Instant.EPOCH);
    private final Recorded own = new Recorded();
    private final Recorded fleet = new Recorded();

    /** A log in memory. */
    private static final class Recorded implements InvalidationLog {
        private final List<Long> numbers = new ArrayList<>();
        private final CompletableFuture<Durability> durability = new CompletableFuture<>();
        private long oldest;

        @Override
        public void append(long number, InvalidationEntry entry) {
            numbers.add(number);
        }

        @Override
        public CompletionStage<Durability> sync() {
            return durability;
        }
    }

    private void purge(String tag) {
        invalidations.purge(new Purge(Set.of(), Set.of(tag), Set.of(), List.of()), false, false);
    }

    private void begin() {
        invalidations.logTo(own, () -> own.oldest);
        invalidations.alsoLogTo(fleet, () -> fleet.oldest);
    }

    @Test
    void bothGetAllEntriesUntilTheyEnd() {
        begin();
        purge("a");
        invalidations.endLog(own);
        purge("b");
        invalidations.endLog(fleet);
        purge("c");

        assertThat(own.numbers).containsExactly(1L);
        assertThat(fleet.numbers).containsExactly(1L, 2L);
    }

    @Test
    void anotherLogOfItsOwnDoesNotEndThatOfTheFleet() {
        begin();
        invalidations.logTo(new Recorded(), () -> 0);
        invalidations.endLog();
        purge("a");

        assertThat(own.numbers).isEmpty();
        assertThat(fleet.numbers).containsExactly(1L);
    }

    @Test
    void bothAreAwaited() {
        begin();
        var synced = invalidations.sync().toCompletableFuture();

        own.durability.complete(Durability.DURABLE);
        assertThat(synced).isNotDone();
        fleet.durability.complete(Durability.NOT_DURABLE);

        assertThat(synced).isCompletedWithValue(Durability.NOT_DURABLE);
        assertThat(invalidations.undurable()).isEqualTo(1);
    }

    @Test
    void entryIsForgottenOnceNeitherNeedsIt() {
        begin();
        purge("a");
        own.oldest = 1;
        invalidations.complete(1);
        assertThat(invalidations.state().entries()).isEmpty();
        own.oldest = 0;
        assertThat(invalidations.state().entries()).hasSize(1);

        own.oldest = 1;
        fleet.oldest = 1;
        invalidations.complete(1);
        own.oldest = 0;

        assertThat(invalidations.state().entries()).isEmpty();
    }
}
