package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogNote.OwnId;
import dev.quire.proxy.cache.LogNotes;
import dev.quire.proxy.cache.LogState.Place;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.fleet.KnownEntries.Known;
import dev.quire.proxy.fleet.LogServer.Entry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
    private final StoreTime storeTime;
    private final Instant started;
    private final SourceCounts counts = new SourceCounts();

    /** Whether the log is known to go back to the start of this node, or not to do so. */
    private boolean isCompared;

    /** The numbers of the invalidation that is being made, or was made last. */
    private long[] made = {};

    // Read since the last note.
    private final List<Place> places = new ArrayList<>();
    private final List<OwnId> owns = new ArrayList<>();
    private long last = LogId.NONE;

    /** The purge of everything in place of those of them that are of another version. */
    private long[] unreadable = {};

    LogEntries(
            Invalidations invalidations,
            Predicate<InvalidationEntry> others,
            FleetPositions positions,
            KnownEntries known,
            StoreTime storeTime,
            Instant started) {
        this.invalidations = invalidations;
        this.others = others;
        this.positions = positions;
        this.known = known;
        this.storeTime = storeTime;
        this.started = started;
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
        hideAll(reason);
        positions.drop(made);
    }

    /** The same, for entries before {@code first}: no record of before it can be tested. */
    void missedBefore(long first, String reason) {
        hideAll(reason);
        // A record that is read meanwhile is tested against that purge, which has no id yet.
        positions.raise(first);
        positions.drop(made);
    }

    private void hideAll(String reason) {
        LOG.atWarn()
                .addKeyValue("event", "fleet-missed")
                .log("fleet: all stored responses are purged: {}", reason);
        hideAll();
    }

    /** Hides all that any node has: the others may have missed what this one has made. */
    void missedByAll() {
        // On another thread it is an invalidation of this node, which goes to the others.
        CompletableFuture.supplyAsync(() -> others.test(everything(storeTime.now())))
                .whenComplete((isMade, bug) -> {
                    if (bug != null) {
                        InternalErrors.log(
                                LOG,
                                bug,
                                "fleet: the other nodes are not told to purge everything");
                    }
                });
    }

    private void hideAll() {
        make(everything(storeTime.now()));
    }

    /** The log may not have what was made since this node stored its oldest responses. */
    void compareWithFormerRun(LogServer.Extent extent) {
        long since =
                notes().isPastUnknown()
                        ? 0
                        : started.plus(FleetLog.AGAIN).toEpochMilli() + storeTime.offsetMillis();
        if (!isCompared && LogId.millis(extent.first()) > since) {
            missed("the log begins after this node has stored responses");
        }
        isCompared = true;
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
                readUnknown(entry.id());
                yield null;
            }
            case FleetEntry.Begin begin -> {
                place(entry.id(), 0);
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
                    lift(ban);
                }
                if (old == null) {
                    counts.add(source);
                }
                place(entry.id(), note(entry, name).number);
                yield name;
            }
        };
    }

    /** Returns whether this node did not know it. */
    private boolean read(Entry entry, EntryName name, InvalidationEntry invalidation) {
        var old = known.get(name);
        if (old != null && old.isInLog) {
            place(entry.id(), 0);
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
        place(entry.id(), note(entry, name, numbers).number, numbers);
        return old == null;
    }

    /**
     * Purges everything in place of an entry of another version, once for all that are read
     * together. Until the next note, records of any position are tested against that purge.
     */
    private void readUnknown(long id) {
        if (unreadable.length == 0) {
            // First: no response of before it has the position of the entry.
            hideAll("entry " + LogId.text(id) + " is not of this version");
            unreadable = made;
        }
        positions.assignPending(id, unreadable);
        notePlace(id, 0, unreadable);
    }

    /** From now on the entry has that place; {@code own} is its number if this node has made it. */
    private void place(long id, long own, long... numbers) {
        positions.assign(id, numbers);
        notePlace(id, own, numbers);
    }

    private void notePlace(long id, long own, long... numbers) {
        if (numbers.length > 0) {
            places.add(new Place(id, numbers[0]));
        }
        if (own != 0) {
            owns.add(new OwnId(own, id));
        }
        last = id;
    }

    /** Notes the entries that were read since the last call. */
    void note(long epoch) {
        positions.drop(unreadable);
        unreadable = new long[0];
        if (last != LogId.NONE) {
            notes().add(new LogNote.Read(epoch, positions.floor(), last, places, owns));
            places.clear();
            owns.clear();
            last = LogId.NONE;
        }
    }

    private LogNotes notes() {
        return invalidations.notes();
    }

    /** From now on this node knows the entry. */
    private Known note(Entry entry, EntryName name, long... numbers) {
        var old = known.get(name);
        if (old == null) {
            old = new Known(name, entry.bytes(), storeTime.ticks(), 0, numbers);
            known.add(old);
        }
        // An own entry may have waited for long.
        old.atTicks = storeTime.ticks();
        old.numbers = numbers;
        old.isInLog = true;
        old.wasInLog = true;
        return old;
    }

    private boolean isAbsent(BanEntry ban) {
        return invalidations.activeBan(ban.condition()).isEmpty();
    }

    /** Unless the ban is one of this node that will be later in the log, or is a later one. */
    private void lift(BanEntry end) {
        invalidations.activeBan(end.condition()).stream()
                .filter(number -> !positions.isPending(number) && !wasMadeAfter(number, end))
                .forEach(invalidations::lift);
    }

    /** Whether that ban is known to be later: an end that is appended again is of a former one. */
    private boolean wasMadeAfter(long ban, BanEntry end) {
        var latest = end.since().plus(FleetEntry.CLOCK_TOLERANCE);
        var entry = known.ofNumber(ban);
        return entry != null
                && FleetEntry.read(entry.bytes, storeTime) instanceof FleetEntry.Made made
                && made.entry().since().isAfter(latest);
    }

    /** An epoch begins, without entries before {@code ticks}: those since then may be absent. */
    void again(LogNote.Begun begun, long ticks) {
        known.removeIf(each -> each.isInLog && each.atTicks - ticks < 0);
        notes().begin(
                        begun,
                        known.all().stream().map(each -> each.number).collect(toUnmodifiableSet()));
        known.all().forEach(this::enter);
    }

    /** It is not in the log. */
    void enter(Known each) {
        LongStream.of(each.numbers).forEach(positions::enter);
    }
}
