package dev.quire.proxy.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordRetest;
import dev.quire.proxy.cache.RecordTier;
import dev.quire.proxy.config.DiskConfig;
import dev.quire.proxy.disk.DiskTier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A disk tier, with threads of its own, below a memory that stores nothing. */
final class OwnTier implements AutoCloseable {

    /** How long a response is held after it was written. */
    static final Duration OVERLAP = Duration.ofMillis(50);

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final RecordTier tier;
    private final DiskTier disk;

    OwnTier(SharedParts shared, DiskConfig config) {
        tier = shared.tiers().disk();
        var invalidations = shared.store().invalidations();
        try {
            disk =
                    DiskTier.open(
                            new DiskTier.Terms(
                                    config.path().orElseThrow(),
                                    config.sizeBytes(),
                                    config.indexBytes()),
                            invalidations,
                            () -> Long.MAX_VALUE,
                            RecordRetest.of(shared.store(), shared.time()),
                            shared.time());
            tier.limit(
                    new RecordTier.Terms(
                            config.minLifetime(),
                            config.writeBytes(),
                            config.queueBytes(),
                            config.threads(),
                            config.timeout(),
                            config.fileFromBytes(),
                            config.headBytes()));
            tier.expect(reason -> {
                throw new AssertionError("removals were lost: " + reason);
            });
            tier.use(disk.load());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The configuration of one in {@code directory} for responses of any lifetime. */
    static DiskConfig in(Path directory) {
        var defaults = DiskConfig.DEFAULTS;
        return new DiskConfig(
                Optional.of(directory),
                16 << 20,
                1 << 20,
                Duration.ZERO,
                defaults.writeBytes(),
                defaults.threads(),
                defaults.timeout(),
                defaults.fileFromBytes());
    }

    /** Waits until all is written and removed that waited for it. */
    void awaitWrites() {
        var done = new CountDownLatch(1);
        tier.inOrder(done::countDown);
        try {
            assertThat(done.await(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until nothing is held for readers, {@link #OVERLAP} after it was written. */
    void awaitReleases() {
        long end = System.nanoTime() + DEADLINE.toNanos();
        do {
            // Has the writer look at the clock.
            awaitWrites();
            assertThat(System.nanoTime()).as("released in time").isLessThan(end);
        } while (tier.waitingBytes() > 0);
        awaitWrites();
    }

    /** Writes what waits, as at the end of the process. */
    @Override
    public void close() {
        assertThat(tier.end(DEADLINE)).as("whether the writer ended").isTrue();
        tier.close();
        disk.close();
    }
}
