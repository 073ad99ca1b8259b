package dev.quire.proxy;

import dev.quire.proxy.admin.Tiers;
import dev.quire.proxy.cache.RecordTier;
import dev.quire.proxy.cache.TierOutcome;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.SharedParts;
import dev.quire.proxy.store.Lease;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The state of the storage tiers for operators, and the changes that they make. Thread-safe. */
final class StorageTiers {

    /** Whether a tier is in use. */
    private enum State {
        ON(0),
        /** Its index is being read; responses wait to be written. */
        LOADING(1),
        OFF(2),
        /** All its threads wait for the disk, so it is not searched. */
        STALLED(2),
        /** Not in use; it is tried again every 20 s, from empty. */
        FAILED(2);

        final int number;

        /**
         * @param number in metrics
         */
        State(int number) {
            this.number = number;
        }
    }

    private final SharedParts shared;
    private final RecordTier tier;
    private final DiskStorage storage;
    private final Supplier<Configuration> current;
    private volatile @Nullable Supplier<StoreState> sharedStore;
    private volatile ToLongFunction<TierWrite> writtenToStore = outcome -> 0;

    /** Registers the metrics, if there is a disk tier. */
    StorageTiers(SharedParts shared, DiskStorage storage, Supplier<Configuration> current) {
        this.shared = shared;
        this.tier = shared.tiers().disk();
        this.storage = storage;
        this.current = current;
        if (current.get().disk().isOn()) {
            var metrics = shared.metrics().tiers();
            showMemory();
            metrics.show(
                    TierSearch.DISK,
                    () -> isPaused() ? State.LOADING.number : diskState().number,
                    log(stats -> stats.log().objects()),
                    log(stats -> stats.log().bytes()));
            metrics.showRequests(TierSearch.DISK, tier::count, tier::count);
            tier.onWait(metrics.waits(TierSearch.DISK));
            metrics.showDisk(
                    log(stats -> stats.log().segments()),
                    log(stats -> stats.log().indexBytes()),
                    log(DiskTier.Stats::journalBytes),
                    log(stats -> stats.log().reinserted()),
                    log(stats -> stats.log().damaged()),
                    () -> {
                        var seconds = storage.startSeconds();
                        return seconds == null ? 0 : seconds;
                    });
        }
    }

    private void showMemory() {
        shared.metrics()
                .tiers()
                .show(
                        TierSearch.MEMORY,
                        () -> memoryState().number,
                        () -> shared.store().size(),
                        () -> shared.store().weightBytes());
    }

    /**
     * Shows the shared tier, also in metrics; once.
     *
     * @param written counts records by the answer of the store
     * @param leases counts leases by the answer of the store
     */
    void showShared(
            Supplier<StoreState> state,
            ToLongFunction<TierWrite> written,
            ToLongFunction<Lease> leases) {
        writtenToStore = written;
        sharedStore = state;
        if (!current.get().disk().isOn()) {
            showMemory();
        }
        var metrics = shared.metrics().tiers();
        var found = shared.tiers().shared();
        metrics.showState(TierSearch.SHARED, () -> state.get().circuit());
        metrics.showRequests(TierSearch.SHARED, found::count, this::writtenToStore);
        metrics.showWaiting(TierSearch.SHARED, () -> state.get().waiting());
        found.onWait(metrics.waits(TierSearch.SHARED));
        for (var outcome : Lease.values()) {
            shared.metrics().fleet().showLeases(outcome, () -> leases.applyAsLong(outcome));
        }
    }

    private LongSupplier log(ToLongFunction<DiskTier.Stats> figure) {
        return () -> storage.stats().map(figure::applyAsLong).orElse(0L);
    }

    /** Returns the tiers as they are now. Never blocks. */
    Tiers now() {
        return new Tiers(
                memory(),
                current.get().disk().isOn() ? Optional.of(disk()) : Optional.empty(),
                Optional.ofNullable(sharedStore).map(store -> shared(store.get())));
    }

    /** Changes the disk tier. Blocks. Returns why it cannot, or nothing. */
    Optional<String> change(Tiers.Change change) {
        if (!current.get().disk().isOn()) {
            return Optional.of("there is no disk tier (expected disk.path in the configuration)");
        }
        return switch (change) {
            case ON -> storage.switchOn();
            case OFF -> storage.switchOff();
            case DROP -> storage.drop();
        };
    }

    private Tiers.Memory memory() {
        return new Tiers.Memory(
                Metrics.label(memoryState()),
                shared.store().size(),
                shared.store().weightBytes(),
                current.get().cache().memoryBytes());
    }

    private State memoryState() {
        return current.get().cache().memoryBytes() == 0 ? State.OFF : State.ON;
    }

    private Tiers.Disk disk() {
        var config = current.get().disk();
        var stats = storage.stats();
        return new Tiers.Disk(
                Metrics.label(diskState()),
                storage.failure().orElse(null),
                isPaused(),
                stats.map(each -> each.log().failure()).orElse(null),
                config.path().map(path -> path.toAbsolutePath().normalize() + "").orElse(""),
                stats.map(each -> each.log().objects()).orElse(0L),
                stats.map(each -> each.log().bytes()).orElse(0L),
                config.sizeBytes(),
                tier.waitingBytes(),
                counts(TierOutcome.values(), tier::count),
                counts(TierWrite.values(), tier::count),
                stats.map(each -> each.log().segments()).orElse(0),
                stats.map(each -> each.log().indexBytes()).orElse(0L),
                stats.map(DiskTier.Stats::journalBytes).orElse(0L),
                stats.map(each -> each.log().reinserted()).orElse(0L),
                stats.map(each -> each.log().damaged()).orElse(0L),
                storage.startSeconds(),
                storage.emptied().orElse(null));
    }

    private Tiers.Shared shared(StoreState store) {
        var found = shared.tiers().shared();
        return new Tiers.Shared(
                store.name(),
                store.failure(),
                store.servers(),
                store.connections(),
                store.waiting(),
                found.waitingBytes(),
                counts(TierOutcome.values(), found::count),
                counts(TierWrite.values(), this::writtenToStore));
    }

    /** Only the store knows what it has stored. */
    private long writtenToStore(TierWrite outcome) {
        long answered = writtenToStore.applyAsLong(outcome);
        return outcome == TierWrite.STORED
                ? answered
                : answered + shared.tiers().shared().count(outcome);
    }

    private static <E extends Enum<E>> Map<String, Long> counts(
            E[] outcomes, ToLongFunction<E> count) {
        var counts = new LinkedHashMap<String, Long>();
        for (var outcome : outcomes) {
            counts.put(Metrics.label(outcome), count.applyAsLong(outcome));
        }
        return counts;
    }

    private boolean isPaused() {
        return storage.stats().map(stats -> stats.log().isPaused()).orElse(false);
    }

    private State diskState() {
        if (storage.failure().isPresent()) {
            return State.FAILED;
        }
        if (storage.isLoading()) {
            return State.LOADING;
        }
        if (storage.stats().isEmpty() || tier.state() == RecordTier.State.OFF) {
            return State.OFF;
        }
        return tier.isStalled() ? State.STALLED : State.ON;
    }
}
