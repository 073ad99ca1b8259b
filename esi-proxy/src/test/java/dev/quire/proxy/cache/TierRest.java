package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for the threads of a tier. */
final class TierRest {
    private TierRest() {}

    /** Waits until nothing waits to be written in {@code of}. */
    static void settle(CacheHouse of) {
        awaitWriter(of);
        of.time.pass(Duration.ofMillis(50));
        of.tier.inOrder(() -> {});
        await(() -> of.tier.waitingBytes() == 0);
        // The last response is let go.
        awaitWriter(of);
    }

    static void awaitWriter(CacheHouse of) {
        var done = new CountDownLatch(1);
        of.tier.inOrder(done::countDown);
        await(() -> done.getCount() == 0);
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(100_000);
        }
    }
}
