package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LowerTiers;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.RecordTier;
import dev.quire.proxy.config.DiskConfig;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.disk.FaultyDisk;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.log.RecordedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails or hangs while the proxy runs. */
@Timeout(60)
class DiskStorageTest {
    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration PATIENT = Duration.ofSeconds(30);

    @TempDir Path temporary;

    private final Time time = Time.system();
    private final InFlightBudget transit = new InFlightBudget(1 << 20);
    private final PageStore store = new PageStore(1 << 20, transit, time::now);
    private final RecordTier tier =
            new LowerTiers(store, transit, new StoredHeads(() -> Compression.ESI), time).disk();
    private final HeldFiles opener = new HeldFiles(store);
    private final RecordedLog log = new RecordedLog();
    private DiskStorage storage = new DiskStorage(tier, opener, PATIENT, OFTEN, log);

    /** Real files; opening them waits. */
    private final class HeldFiles implements DiskStorage.Opener {
        private final DiskStorage.Opener system;
        final CountDownLatch hang = new CountDownLatch(1);
        final AtomicInteger renewals = new AtomicInteger();
        volatile boolean isHanging;

        /** The disk of the first tier; null for that of the system. */
        volatile @Nullable FaultyDisk faulty;

        HeldFiles(PageStore store) {
            system = DiskStorage.Opener.of(store, time);
        }

        @Override
        public DiskTier open(DiskTier.Terms terms, DiskTier.Entry entry) throws IOException {
            var disk = faulty;
            if (disk != null) {
                return disk.open(terms, store.invalidations(), time);
            }
            return system.open(
                    terms,
                    change -> {
                        if (isHanging) {
                            awaitEnd();
                        }
                        return entry.enter(change);
                    });
        }

        private void awaitEnd() {
            try {
                hang.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public DiskTier renew(DiskTier.Terms terms) throws IOException {
            renewals.incrementAndGet();
            return system.renew(terms);
        }

        @Override
        public void goWithout() {
            system.goWithout();
        }
    }

    private Path directory() {
        return temporary.resolve("tier");
    }

    private void open() {
        storage.open(config());
    }

    private DiskConfig config() {
        return new DiskConfig(
                Optional.of(directory()),
                16 << 20,
                1 << 20,
                Duration.ZERO,
                64 << 20,
                1,
                Duration.ofMillis(100),
                64 << 10);
    }

    private DiskTier otherTier() throws IOException {
        return DiskTier.open(
                new DiskTier.Terms(directory(), 16 << 20, 1 << 20),
                Invalidations.empty(time::now),
                () -> Long.MAX_VALUE,
                (id, record) -> null,
                time);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private boolean isUsed() {
        return tier.state() == RecordTier.State.ON;
    }

    private Durability purge() {
        store.purge(new Purge(Set.of(), Set.of("tag"), Set.of(), List.of()), false);
        return store.invalidations().sync().toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        storage.close();
        assertThat(tier.state()).isEqualTo(RecordTier.State.OFF);
        tier.close();
    }

    @Test
    void directoryThatIsReplacedByAFileIsUsedAgainAfterwards() throws IOException {
        open();
        await(this::isUsed);
        Files.move(directory(), temporary.resolve("moved"));
        Files.createFile(directory());
        await(() -> storage.failure().isPresent());
        assertThat(storage.failure()).get().asString().contains("removed or replaced");
        assertThat(isUsed()).isFalse();
        int before = opener.renewals.get();
        await(() -> opener.renewals.get() > before + 1);
        assertThat(purge()).isEqualTo(Durability.NOT_DURABLE);

        Files.delete(directory());

        await(this::isUsed);
        await(() -> storage.failure().isEmpty());
        assertThat(purge()).isEqualTo(Durability.DURABLE);
        assertThat(directory().resolve("format")).exists();
    }

    @Test
    void directoryOfAnotherTierIsUsedOnceThatHasEnded() throws IOException {
        try (var other = otherTier()) {
            open();

            assertThat(storage.failure()).get().asString().contains("another");
            assertThat(purge()).isEqualTo(Durability.NOT_DURABLE);
            assertThat(other.failure().toCompletableFuture()).isNotDone();
        }

        await(this::isUsed);
        assertThat(purge()).isEqualTo(Durability.DURABLE);
    }

    @Test
    void startDoesNotWaitForADiskThatHangs() {
        open();
        await(this::isUsed);
        storage.close();
        storage = new DiskStorage(tier, opener, OFTEN, OFTEN, log);
        opener.isHanging = true;

        open();

        assertThat(storage.failure()).get().asString().contains("no answer from the disk");
        assertThat(isUsed()).isFalse();
        assertThat(storage.isAwaited()).isFalse();
        long floor = store.invalidations().state().newest();
        assertThat(purge()).isEqualTo(Durability.NOT_DURABLE);
        // Its files are read too late to change anything.
        opener.hang.countDown();
        await(this::isUsed);
        assertThat(opener.renewals).hasPositiveValue();
        assertThat(store.invalidations().state().newest()).isEqualTo(floor + 1);
        assertThat(purge()).isEqualTo(Durability.DURABLE);
    }

    @Test
    void tierWhoseWriterHangsAtTheEndIsNotUsedByTheNextProcess() throws IOException {
        open();
        await(this::isUsed);
        tier.inOrder(opener::awaitEnd);

        storage.close();

        assertThat(directory().resolve("format")).doesNotExist();
        opener.hang.countDown();
        // The directory is unlocked.
        otherTier().close();
    }

    @Test
    void tierThatEndsInTimeIsUsedByTheNextProcess() {
        open();
        await(this::isUsed);

        storage.close();

        assertThat(directory().resolve("format")).exists();
    }

    @Test
    void indexIsAwaitedButOnlyForAMoment() {
        var disk = new FaultyDisk();
        opener.faulty = disk;
        var end = new CountDownLatch(1);
        disk.loadAfter(end);
        open();

        storage.awaitIndex(OFTEN);
        assertThat(storage.isLoading()).isTrue();
        end.countDown();
        storage.awaitIndex(PATIENT);

        assertThat(isUsed()).isTrue();
    }

    @Test
    void faultOfTheDiskIsLoggedOnce() {
        var disk = new FaultyDisk();
        opener.faulty = disk;
        open();
        await(this::isUsed);
        disk.failWrites("no space left on device");

        assertThat(storage.drop()).isEmpty();

        await(() -> !log.lines().isEmpty());
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("WARN disk-paused ")
                .contains(directory().toString(), "no space left on device");
    }

    @Test
    void tierThatOpensAfterTheEndIsClosed() {
        storage = new DiskStorage(tier, opener, OFTEN, OFTEN, log);
        opener.isHanging = true;
        open();

        storage.close();
        opener.hang.countDown();

        await(() -> {
            try {
                // Locked until then.
                otherTier().close();
                return true;
            } catch (IOException locked) {
                return false;
            }
        });
        assertThat(isUsed()).isFalse();
    }
}
