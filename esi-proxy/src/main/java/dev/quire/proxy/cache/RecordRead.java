package dev.quire.proxy.cache;

import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One search for the records of a resource, with all requests that wait for it. The requests are
 * told on their loops when it has ended, and look into the store again.
 */
final class RecordRead implements Runnable {

    /**
     * A request that waits.
     *
     * @param sent as it would be sent to the origin
     * @param wanted the same, for a record
     * @param takesFiles whether the body may be in a file
     * @param sinceTicks when it began to wait
     */
    record Seeker(
            SentRequest sent,
            RecordCodec.Wanted wanted,
            SearchSink sink,
            boolean takesFiles,
            long sinceTicks) {}

    /** The tier that is read. */
    interface Source {
        /**
         * Returns the response in the record {@code id}, or null; the caller owns a reference.
         *
         * @param takesFiles whether the body may be in a file
         */
        @Nullable StoredResponse load(RecordHash id, RecordCodec.Wanted wanted, boolean takesFiles);

        /** The records that were read may be replaced. */
        void outdated();

        /** Returns the list of variants; null without one. */
        @Nullable RecordVariants list(RecordHash key);

        /** Makes {@code response} available to readers; takes over the reference. */
        HeldResponses.Hold found(StoredResponse response);

        void release(HeldResponses.Hold hold);

        /** The read does not join others any more. */
        void closed(RecordRead read);

        /** Returns how long {@code told} has waited, and counts it. */
        long waitedNanos(Seeker told);

        /** The reading thread was late, and is now {@code isBusy} or free again. */
        void late(boolean isBusy);
    }

    private final RecordHash key;
    private final Source source;

    // Guarded by this object.
    private final List<Seeker> seekers = new ArrayList<>(1);
    private boolean isReading;
    private boolean isClosed;
    private boolean isAnswered;
    private boolean isOutdated;
    private @Nullable ScheduledFuture<?> timer;

    /** The responses so far, by record; null for those without one. Of the reading thread. */
    private final SequencedMap<RecordHash, @Nullable StoredResponse> loaded = new LinkedHashMap<>();

    /** The responses of which the bodies are in files, by request. Of the reading thread. */
    private final Map<SearchSink, StoredResponse> inFiles = new HashMap<>(1);

    RecordRead(RecordHash key, Source source) {
        this.key = key;
        this.source = source;
    }

    RecordHash key() {
        return key;
    }

    /** Adds a request. Returns false if it is too late. */
    synchronized boolean add(Seeker seeker) {
        if (isClosed) {
            return false;
        }
        seekers.add(seeker);
        return true;
    }

    /** Ends the wait by {@code timer}. */
    synchronized void endsBy(ScheduledFuture<?> given) {
        timer = given;
        if (isAnswered) {
            given.cancel(false);
        }
    }

    /** The records that it reads are replaced or outdated: it finds nothing. */
    synchronized void outdate() {
        isOutdated = true;
    }

    @Override
    public void run() {
        synchronized (this) {
            if (isAnswered) {
                return;
            }
            isReading = true;
        }
        try {
            int done = 0;
            for (var next = after(done); next != null; next = after(done)) {
                look(next);
                done++;
            }
        } finally {
            answer();
        }
    }

    /** Returns the next request; null, and admits no more, after the last one. */
    private synchronized @Nullable Seeker after(int done) {
        if (done < seekers.size() && !isAnswered) {
            return seekers.get(done);
        }
        isClosed = true;
        return null;
    }

    private void look(Seeker seeker) {
        var list = source.list(key);
        // The newest first.
        var ids = list == null ? List.of(key) : list.of(seeker.sent());
        for (int i = 0; i < ids.size() && !inFiles.containsKey(seeker.sink()); i++) {
            load(ids.get(i), seeker, i == 0);
        }
    }

    private void load(RecordHash id, Seeker seeker, boolean isNewest) {
        if (loaded.containsKey(id)) {
            return;
        }
        var response = source.load(id, seeker.wanted(), isNewest && seeker.takesFiles());
        if (response != null && response.file() != null) {
            inFiles.put(seeker.sink(), response);
        } else {
            loaded.put(id, response);
        }
    }

    private void answer() {
        List<Seeker> waiting;
        boolean isUseful;
        boolean isReplaced;
        synchronized (this) {
            isClosed = true;
            isReplaced = isOutdated;
            if (isAnswered) {
                source.late(false);
            }
            waiting = isAnswered ? List.of() : List.copyOf(seekers);
            isUseful = !isAnswered && !isOutdated;
            isAnswered = true;
            if (timer != null) {
                timer.cancel(false);
            }
        }
        if (isReplaced) {
            source.outdated();
        }
        if (!isUseful) {
            inFiles.values().forEach(StoredResponse::release);
            inFiles.clear();
        }
        var holds = new ArrayList<HeldResponses.Hold>();
        try {
            // The newest last: of two that a request selects, readers find the one that came last.
            for (var response : loaded.sequencedValues().reversed()) {
                if (response != null && isUseful) {
                    holds.add(source.found(response));
                } else {
                    release(response);
                }
            }
        } finally {
            source.closed(this);
            tell(waiting, !holds.isEmpty(), inFiles, () -> holds.forEach(source::release));
        }
    }

    /** Gives up: what is still read comes too late. Returns how many requests waited. */
    int giveUp() {
        List<Seeker> waiting;
        synchronized (this) {
            if (isAnswered) {
                return 0;
            }
            isClosed = true;
            isAnswered = true;
            waiting = List.copyOf(seekers);
            if (isReading) {
                source.late(true);
            }
        }
        source.closed(this);
        tell(waiting, false, Map.of(), () -> {});
        return waiting.size();
    }

    private static void release(@Nullable StoredResponse response) {
        if (response != null) {
            response.release();
        }
    }

    /**
     * @param inFiles passes on the references
     */
    private void tell(
            List<Seeker> waiting,
            boolean isFound,
            Map<SearchSink, StoredResponse> inFiles,
            Runnable then) {
        var left = new AtomicInteger(waiting.size());
        Consumer<Seeker> told =
                seeker -> {
                    var inFile = inFiles.get(seeker.sink());
                    var tier = isFound || inFile != null ? TierSearch.DISK : null;
                    try {
                        seeker.sink()
                                .searched(inFile, new TierSearch(tier, source.waitedNanos(seeker)));
                    } catch (RuntimeException | Error bug) {
                        seeker.sink().failed(bug);
                    } finally {
                        if (left.decrementAndGet() == 0) {
                            then.run();
                        }
                    }
                };
        if (waiting.isEmpty()) {
            then.run();
        }
        for (var seeker : waiting) {
            if (!FetchSubscription.call(seeker.sink().loop(), () -> told.accept(seeker))) {
                release(inFiles.get(seeker.sink()));
                if (left.decrementAndGet() == 0) {
                    then.run();
                }
            }
        }
    }
}
