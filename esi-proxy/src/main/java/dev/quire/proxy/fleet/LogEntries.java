package dev.quire.proxy.fleet;

import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import dev.quire.proxy.fleet.LogServer.Entry;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the invalidations of the log in this node, in the order of the log. Confined to the loop.
 */
final class LogEntries {
    private static final Logger LOG = LoggerFactory.getLogger(LogEntries.class);

    private static final Purge EVERYTHING =
            new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern("/**")));

    private final Invalidations invalidations;
    private final Predicate<InvalidationEntry> others;
    private final FleetPositions positions;
    private final KnownEntries known;
    private final Time storeTime;
    private final SourceCounts counts = new SourceCounts();

    /** The numbers of the invalidation that is being made, or was made last. */
    private long[] made = {};

    LogEntries(
            Invalidations invalidations,
            Predicate<InvalidationEntry> others,
            FleetPositions positions,
            KnownEntries known,
            Time storeTime) {
        this.invalidations = invalidations;
        this.others = others;
        this.positions = positions;
        this.known = known;
        this.storeTime = storeTime;
    }

    /**
     * The number of invalidations by the way they came. Thread-safe.
     *
     * @param own of those that were made here
     */
    Map<EntrySource, Long> counts(long own) {
        return counts.with(own);
    }

    static PurgeEntry everything(Instant since) {
        return new PurgeEntry(EVERYTHING, false, since);
    }

    /** The invalidation that is being made has this number here, perhaps beside others. */
    void made(long number) {
        made = Arrays.copyOf(made, made.length + 1);
        made[made.length - 1] = number;
    }

    /** Hides all that this node has, in any tier. */
    void missed(String reason) {
        LOG.atWarn()
                .addKeyValue("event", "fleet-missed")
                .log("fleet: all stored responses are purged: {}", reason);
        hideAll();
        positions.drop(made);
    }

    private void hideAll() {
        make(everything(storeTime.now()));
    }

    /** Makes an invalidation; {@link #made} are its numbers. */
    private boolean make(InvalidationEntry entry) {
        made = new long[0];
        return others.test(entry);
    }

    /** Makes the next entry, unless this node knows it; returns its name, or null. */
    @Nullable EntryName read(Entry entry, EntrySource source) {
        return switch (FleetEntry.read(entry.bytes(), storeTime)) {
            case null -> {
                missed("entry " + LogId.text(entry.id()) + " is not of this version");
                positions.assign(entry.id());
                yield null;
            }
            case FleetEntry.Begin begin -> {
                positions.assign(entry.id());
                yield null;
            }
            case FleetEntry.Made(var name, var made) -> {
                if (read(entry, name, made)) {
                    counts.add(source);
                }
                yield name;
            }
            case FleetEntry.Lifted(var name, var ban) -> {
                var old = known.get(name);
                if (old == null || !old.wasInLog) {
                    lift(ban.condition());
                }
                if (old == null) {
                    counts.add(source);
                }
                note(entry, name);
                positions.assign(entry.id());
                yield name;
            }
        };
    }

    /** Returns whether this node did not know it. */
    private boolean read(Entry entry, EntryName name, InvalidationEntry invalidation) {
        var old = known.get(name);
        if (old != null && old.isInLog) {
            positions.assign(entry.id());
            return false;
        }
        var numbers = old == null ? new long[0] : old.numbers;
        // A ban of this node may have been lifted by an entry before it.
        if (old == null
                || (!old.wasInLog && invalidation instanceof BanEntry ban && isAbsent(ban))) {
            if (!make(invalidation)) {
                hideAll();
            }
            numbers = LongStream.concat(LongStream.of(numbers), LongStream.of(made)).toArray();
        }
        note(entry, name, numbers);
        positions.assign(entry.id(), numbers);
        return old == null;
    }

    /** From now on this node knows the entry. */
    private void note(Entry entry, EntryName name, long... numbers) {
        var old = known.get(name);
        if (old == null) {
            old = new Known(name, entry.bytes(), storeTime.ticks(), numbers);
            known.add(old);
        }
        old.numbers = numbers;
        old.isInLog = true;
        old.wasInLog = true;
    }

    private boolean isAbsent(BanEntry ban) {
        return invalidations.activeBan(ban.condition()).isEmpty();
    }

    /** Unless the ban is one of this node that will be later in the log. */
    private void lift(BanCondition condition) {
        invalidations.activeBan(condition).stream()
                .filter(number -> !positions.isPending(number))
                .forEach(invalidations::lift);
    }

    /** Entries since {@code ticks} may not be in a new epoch. */
    void again(long ticks) {
        known.removeIf(each -> each.isInLog && each.atTicks - ticks < 0);
        for (var each : known.all()) {
            LongStream.of(each.numbers).forEach(positions::enter);
        }
    }
}
