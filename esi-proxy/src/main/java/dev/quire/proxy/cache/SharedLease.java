package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The right of one fetch to ask the origin, among several proxies. A fetch that does not get it
 * waits until another one has written its response, failed, or lost the lease. On the loop of the
 * fetch, except {@link #end}.
 */
final class SharedLease implements BodyFlow {

    /** Between two questions to the store. */
    private static final int LEAST_PAUSE_MILLIS = 20;

    private static final int MOST_PAUSE_MILLIS = 30;

    /** Records that were of no use, before the fetch goes on without a lease. */
    private static final int MOST_RECORDS = 6;

    /** The fetch. */
    interface Fetch {
        /** Nothing newer was found: it asks the origin. */
        void leased();

        /** Another proxy has fetched {@code response}, which is fresh; takes over the reference. */
        void foundElsewhere(StoredResponse response);

        /** The fetch of another proxy has failed just now. */
        void failedElsewhere();

        /** Runs {@code step} in a task. If it fails, all who wait learn of it. */
        void later(Runnable step);
    }

    /** Reads records. */
    interface Reader {
        /**
         * Returns the places of the variants that the request may select.
         *
         * @param record what there is in place of the response, or null
         */
        List<SharedRecords.Place> places(@Nullable ByteBuf record);

        /** Returns the response in {@code record} if it is of any use; else null. */
        @Nullable StoredResponse read(ByteBuf record, SharedRecords.Place place);

        /** Whether {@code response} is a hit that needs no validation. */
        boolean isHit(StoredResponse response);
    }

    /** The response that the fetch validates. */
    interface Validated {
        /** Returns it; null for none. */
        @Nullable StoredResponse stale();

        /** Validates {@code newer} instead, which another proxy has stored; takes it over. */
        void replacedBy(StoredResponse newer);
    }

    private final SharedTier.Use from;
    private final EventLoop loop;
    private final Validated validated;
    private final Reader reader;
    private final long sinceNanos;

    private @Nullable Fetch fetch;
    private SharedRecords.Place place;
    private SharedRecords.@Nullable Version seen;
    private int records;
    private @Nullable StoredResponse found;
    private @Nullable ScheduledFuture<?> pause;
    private volatile boolean isHeld;
    private volatile boolean isOver;

    /** Whether the store has not answered. */
    private volatile boolean isUnanswered;

    SharedLease(
            SharedTier.Use from,
            RecordHash resource,
            EventLoop loop,
            Validated validated,
            Reader reader) {
        this.from = from;
        this.loop = loop;
        this.validated = validated;
        this.reader = reader;
        this.sinceNanos = loop.ticker().nanoTime();
        this.place = new SharedRecords.Place(resource, null);
    }

    /** Asks for it; {@code then} is told later. */
    void begin(Fetch then) {
        fetch = then;
        at(reader.places(null));
        ask();
    }

    private void at(List<SharedRecords.Place> places) {
        if (!places.isEmpty()) {
            place = places.getFirst();
            seen = null;
        }
    }

    private void ask() {
        pause = null;
        if (isOver) {
            return;
        }
        from.records().lease(place, seen, loop, answer -> guarded(() -> take(answer)));
    }

    /** Runs a step that is called directly by the loop: a bug in it ends the fetch. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            var told = fetch;
            if (told != null) {
                told.later(() -> {
                    throw bug;
                });
            }
        }
    }

    private void take(SharedRecords.Answer answer) {
        switch (answer) {
            case SharedRecords.Value(var record) -> {
                try {
                    taken(record);
                } finally {
                    record.release();
                }
            }
            case SharedRecords.Absent granted -> fetchWithLease();
            case SharedRecords.Taken taken -> askLater();
            case SharedRecords.Failed failed -> {
                var told = fetch;
                if (!isOver && told != null) {
                    told.failedElsewhere();
                }
            }
            case SharedRecords.Uncacheable uncacheable -> fetchNow();
            case SharedRecords.None(var reason) -> {
                isUnanswered = true;
                if (reason == SharedRecords.Reason.TIMEOUT) {
                    // The lease may be granted later, and has no effect if it is not.
                    fetchWithLease();
                } else {
                    fetchNow();
                }
            }
        }
    }

    private void fetchWithLease() {
        isHeld = true;
        if (isOver) {
            release(SharedRecords.Ending.NONE);
        }
        fetchNow();
    }

    private void fetchNow() {
        var told = fetch;
        if (!isOver && told != null) {
            told.leased();
        }
    }

    private void askLater() {
        long waited = loop.ticker().nanoTime() - sinceNanos;
        if (isOver) {
            return;
        }
        if (waited > from.terms().patience().toNanos()) {
            fetchNow();
            return;
        }
        int millis = ThreadLocalRandom.current().nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS + 1);
        pause = loop.schedule(() -> guarded(this::ask), millis, TimeUnit.MILLISECONDS);
    }

    private void taken(ByteBuf record) {
        if (isOver) {
            return;
        }
        records++;
        if (records > MOST_RECORDS) {
            fetchNow();
            return;
        }
        List<SharedRecords.Place> variants;
        StoredResponse response;
        try {
            variants = place.variant() == null ? reader.places(record) : List.of();
            response = variants.isEmpty() ? reader.read(record, place) : null;
        } catch (RuntimeException | Error unreadable) {
            // Those who wait for the fetch must be told.
            fetchNow();
            return;
        }
        if (!variants.isEmpty()) {
            at(variants);
            ask();
            return;
        }
        if (response != null && reader.isHit(response) && isNewer(response)) {
            found = response;
            var told = fetch;
            if (told != null) {
                told.foundElsewhere(response);
            }
            return;
        }
        if (response != null) {
            validate(response);
        }
        seen = RecordHeader.version(record);
        ask();
    }

    private boolean isNewer(StoredResponse response) {
        var stale = validated.stale();
        return stale == null || (response.isReceivedAfter(stale) && response.isSameVariant(stale));
    }

    /** Has {@code response}, of which it takes over the reference, validated if it is newer. */
    private void validate(StoredResponse response) {
        var stale = validated.stale();
        if (stale != null && Variants.isLater(response, stale) && response.isSameVariant(stale)) {
            validated.replacedBy(response);
        } else {
            response.release();
        }
    }

    /** Whether {@code response} was written by another proxy. */
    boolean hasFound(StoredResponse response) {
        return response.equals(found);
    }

    /** Whether the store has answered, or may still do so. */
    boolean isAsked() {
        return !isUnanswered;
    }

    /** The place of the lease, and of the record that is expected. */
    SharedRecords.Place place() {
        return place;
    }

    /** Returns the lease, if it is held; only the first call counts. Thread-safe. */
    void end(SharedRecords.Ending ending) {
        isOver = true;
        release(ending);
    }

    /** The record was written, which has returned the lease. Thread-safe. */
    void written() {
        isOver = true;
        isHeld = false;
    }

    private synchronized void release(SharedRecords.Ending ending) {
        if (isHeld) {
            isHeld = false;
            from.records().release(place, ending);
        }
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public void cancel() {
        isOver = true;
        var waiting = pause;
        if (waiting != null) {
            waiting.cancel(false);
        }
        release(SharedRecords.Ending.NONE);
    }
}
