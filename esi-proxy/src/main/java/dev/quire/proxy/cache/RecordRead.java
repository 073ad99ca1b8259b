package dev.quire.proxy.cache;

import dev.quire.core.policy.SentRequest;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
     * @param sinceTicks when it began to wait
     */
    record Seeker(SentRequest sent, RecordCodec.Wanted wanted, AnswerSink sink, long sinceTicks) {}

    /** The tier that is read. */
    interface Source {
        /** Returns the response in the record {@code id}, or null; the caller owns a reference. */
        @Nullable StoredResponse load(RecordHash id, RecordCodec.Wanted wanted);

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
        if (list == null) {
            load(key, seeker);
        } else {
            list.of(seeker.sent()).forEach(id -> load(id, seeker));
        }
    }

    private void load(RecordHash id, Seeker seeker) {
        if (!loaded.containsKey(id)) {
            loaded.put(id, source.load(id, seeker.wanted()));
        }
    }

    private void answer() {
        List<Seeker> waiting;
        boolean isUseful;
        synchronized (this) {
            isClosed = true;
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
        var holds = new ArrayList<HeldResponses.Hold>();
        try {
            // The newest last: of two that a request selects, readers find the one that came last.
            for (var response : loaded.sequencedValues().reversed()) {
                if (response != null && isUseful) {
                    holds.add(source.found(response));
                } else if (response != null) {
                    response.release();
                }
            }
        } finally {
            source.closed(this);
            boolean isFound = !holds.isEmpty();
            tell(waiting, isFound, () -> holds.forEach(source::release));
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
        tell(waiting, false, () -> {});
        return waiting.size();
    }

    private void tell(List<Seeker> waiting, boolean isFound, Runnable then) {
        var left = new AtomicInteger(waiting.size());
        Consumer<Seeker> told =
                seeker -> {
                    try {
                        seeker.sink().searched(isFound, source.waitedNanos(seeker));
                    } catch (RuntimeException bug) {
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
            if (!FetchSubscription.call(seeker.sink().loop(), () -> told.accept(seeker))
                    && left.decrementAndGet() == 0) {
                then.run();
            }
        }
    }
}
