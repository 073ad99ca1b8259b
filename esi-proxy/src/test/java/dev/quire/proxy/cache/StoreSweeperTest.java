package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreSweeperTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final PageStore store =
            new PageStore(1 << 20, new InFlightBudget(1 << 20), () -> Instant.EPOCH);
    private final CountDownLatch failed = new CountDownLatch(1);
    private final CountDownLatch swept = new CountDownLatch(1);

    /** Keeps nothing. */
    private static final class EmptyLog implements InvalidationLog {
        @Override
        public void append(long number, InvalidationEntry entry) {}

        @Override
        public CompletionStage<Durability> sync() {
            return CompletableFuture.completedStage(Durability.DURABLE);
        }
    }

    private long oldest() {
        if (Thread.currentThread().getName().equals("quire-store-sweeper")) {
            if (failed.getCount() > 0) {
                failed.countDown();
                throw new IllegalStateException("for the test");
            }
            swept.countDown();
        }
        return Long.MAX_VALUE;
    }

    @Test
    void sweepsGoOnAfterOneThatFails() throws Exception {
        store.invalidations().logTo(new EmptyLog(), this::oldest);
        try (var sweeper = new StoreSweeper(store)) {
            sweeper.start();
            ban("first", sweeper);
            assertThat(failed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

            ban("next", sweeper);

            assertThat(swept.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    private void ban(String tag, StoreSweeper sweeper) {
        store.invalidations().ban(Bans.tag(tag));
        sweeper.wake();
    }
}
