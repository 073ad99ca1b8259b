package dev.quire.proxy.cache;

import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.cache.LogState.Place;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds up {@link LogNote}s, in memory and when a journal is read. Not thread-safe. */
public final class LogFold {

    /*
     * A journal that was written anew begins with a state, and some of the notes behind it are in
     * that state already. They lead to it again: entries up to the last one that was read have their
     * places, the last note of an own entry counts, and the begin of an epoch is before all notes of
     * it.
     */

    static final int MAX_PLACES = 65_536;

    /** Own entries in the log. */
    static final int MAX_LOGGED = 10_000;

    /**
     * Ids of the log are milliseconds and 20 bits. An entry is not appended again after a minute.
     */
    static final long MINUTE = 60_000L << 20;

    private final int maxPlaces;
    private final TreeMap<Long, Own> own = new TreeMap<>();

    /** The numbers of own entries by their ids. */
    private final TreeMap<Long, Long> logged = new TreeMap<>();

    private ArrayDeque<Place> places = new ArrayDeque<>();
    private long epoch;
    private long floor;
    private long applied;

    public LogFold() {
        this(MAX_PLACES);
    }

    LogFold(int maxPlaces) {
        this.maxPlaces = maxPlaces;
    }

    static LogFold of(LogState state) {
        var fold = new LogFold();
        state.notes().forEach(fold::accept);
        return fold;
    }

    /** Adds {@code note}. */
    public void accept(LogNote note) {
        switch (note) {
            case LogNote.Begun begun -> {
                epoch = begun.epoch();
                floor = begun.floor();
                applied = begun.applied();
                places.clear();
                logged.clear();
                own.replaceAll((number, each) -> each.with(0));
            }
            case LogNote.Made(var made) -> {
                remove(made.number());
                own.put(made.number(), made);
                noteLogged(made);
            }
            case LogNote.Read read -> {
                read.own().forEach(this::accept);
                forget(read.applied() - MINUTE);
                if (epoch != 0 && read.epoch() == epoch) {
                    accept(read);
                }
            }
        }
    }

    private void accept(LogNote.OwnId place) {
        var former = remove(place.number());
        if (former != null && place.id() != 0) {
            var next = former.with(place.id());
            own.put(place.number(), next);
            noteLogged(next);
        }
    }

    private @Nullable Own remove(long number) {
        var former = own.remove(number);
        if (former != null) {
            logged.remove(former.id(), number);
        }
        return former;
    }

    private void noteLogged(Own each) {
        if (!each.isPending()) {
            logged.put(each.id(), each.number());
        }
    }

    /** Forgets own entries in the log before {@code id}, and those that are too many. */
    private void forget(long id) {
        while (!logged.isEmpty() && (logged.firstKey() < id || logged.size() > MAX_LOGGED)) {
            own.remove(logged.pollFirstEntry().getValue());
        }
    }

    private void accept(LogNote.Read read) {
        for (var place : read.places()) {
            if (place.id() > applied) {
                add(place);
            }
        }
        applied = Math.max(applied, read.applied());
        floor = Math.max(floor, read.floor());
        while (!places.isEmpty() && places.getFirst().id() <= floor) {
            places.removeFirst();
        }
        if (places.size() > maxPlaces) {
            merge();
        }
    }

    private void add(Place place) {
        while (!places.isEmpty() && places.getLast().number() >= place.number()) {
            places.removeLast();
        }
        if (places.isEmpty() || places.getLast().id() < place.id()) {
            places.addLast(place);
        }
    }

    /** Entries that come later in the log are tested against more. */
    private void merge() {
        var merged = new ArrayDeque<Place>();
        while (places.size() > 1) {
            var first = places.removeFirst();
            merged.addLast(new Place(places.removeFirst().id(), first.number()));
        }
        merged.addAll(places);
        places = merged;
    }

    /**
     * The number up to which any record was tested at least; {@link Long#MAX_VALUE} without any.
     */
    long oldest() {
        long first = places.isEmpty() ? Long.MAX_VALUE : places.getFirst().number() - 1;
        for (var each : own.values()) {
            if (each.isPending() && each.numbers().length > 0) {
                first = Math.min(first, each.numbers()[0] - 1);
            }
        }
        return first;
    }

    boolean isEmpty() {
        return epoch == 0 && own.isEmpty();
    }

    /** Returns the sum so far. */
    public LogState state() {
        return new LogState(epoch, floor, applied, List.copyOf(places), List.copyOf(own.values()));
    }
}
