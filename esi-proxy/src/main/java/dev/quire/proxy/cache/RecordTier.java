package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The tier below the memory: keeps responses as records in a {@link RecordLog}, and finds them
 * again. It can only find, or not: it never fails a request. Thread-safe; only its own threads wait
 * for the log.
 */
public final class RecordTier {

    /*
     * A response that is stored waits in the queue of the writer, and is held for readers. A request
     * that neither the memory nor a hold can answer asks the index of the log, and waits for a read
     * by another thread. A response that was found is put into memory, if that admits it, and held
     * until the request has looked again. Requests for one resource share a read.
     *
     * Of a long response that is only sent as it is, the memory gets the head: the body is sent from
     * the file. After the read, which has checked it, the next requests need no other for a while.
     *
     * No older response comes back: a newer one that is written replaces the record; a newer one
     * that is not written removes it. While a removal waits, nothing is found. A read that began
     * before is outdated. If too many wait, nothing at all is found until all records are removed.
     *
     * Purges and bans remove no records: each record has a position in the sequence of invalidations
     * and is tested against the later ones when it is read.
     */

    /** Reads that wait for a thread. */
    private static final int MAX_WAITING = 256;

    /** How long {@link #forEachOther} waits. */
    private static final Duration LONGEST_LISTING = Duration.ofSeconds(2);

    /**
     * The settings.
     *
     * @param minLifetime what has a shorter lifetime left is not written
     * @param writeBytes written in a second at most
     * @param queueBytes of the responses that wait to be written
     * @param threads that read
     * @param timeout how long a request waits for a read
     * @param fileFromBytes a record of so many bytes is sent from its file
     * @param headBytes of the memory for the heads of such records
     */
    public record Terms(
            Duration minLifetime,
            long writeBytes,
            long queueBytes,
            int threads,
            Duration timeout,
            long fileFromBytes,
            long headBytes) {

        /** Of a tier that is not in use. */
        static final Terms NONE =
                new Terms(Duration.ZERO, 0, 0, 1, Duration.ofMillis(100), Long.MAX_VALUE, 0);
    }

    /** Whether it is used. */
    public enum State {
        OFF,
        /** Responses wait to be written; nothing is found yet. */
        LOADING,
        ON
    }

    private final PageStore store;
    private final HeldResponses held;
    private final InFlightBudget transit;
    private final RecordCodec codec;
    private final Time time;
    private final TierCounts counts = new TierCounts();
    private final RecordWriter writer;
    private final FileHeads heads;
    private final ConcurrentMap<RecordHash, RecordRead> reads = new ConcurrentHashMap<>();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicBoolean hasStalled = new AtomicBoolean();
    private final ThreadPoolExecutor readers;

    private volatile Terms terms = Terms.NONE;
    private volatile State state = State.OFF;
    private volatile @Nullable RecordLog log;
    private volatile Consumer<String> emptying = reason -> {};
    private volatile LongConsumer waits = nanos -> {};

    /**
     * @param transit accounts for responses that are read and not in memory
     * @param rendering renders their heads
     */
    RecordTier(PageStore store, InFlightBudget transit, HeadBytes rendering, Time time) {
        this.store = store;
        this.transit = transit;
        this.held = store.held();
        this.time = time;
        this.codec = new RecordCodec(rendering, time, store.invalidations()::order);
        this.writer =
                new RecordWriter(
                        store,
                        codec,
                        time,
                        counts,
                        reason -> emptying.accept(reason),
                        this::outdate);
        this.heads = new FileHeads(this::isHit, writer::isRemoving, time::ticks);
        this.readers =
                new ThreadPoolExecutor(
                        1,
                        1,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(MAX_WAITING),
                        task -> {
                            var thread = new Thread(task, "quire-disk-reader");
                            thread.setDaemon(true);
                            return thread;
                        });
        readers.allowCoreThreadTimeOut(true);
    }

    private boolean isHit(StoredResponse head) {
        return head.freshness().isFreshAt(time.now()) && store.invalidations().isUsable(head);
    }

    /** Whether a long body leaves the memory once it is written, to be sent from its file. */
    public void longBodiesLeaveMemory(boolean leave) {
        writer.longBodiesLeaveMemory(leave);
    }

    /** Changes the settings. */
    public void limit(Terms next) {
        terms = next;
        writer.limit(next.queueBytes(), next.writeBytes(), next.fileFromBytes());
        heads.limit(next.headBytes());
        if (readers.getMaximumPoolSize() < next.threads()) {
            readers.setMaximumPoolSize(next.threads());
            readers.setCorePoolSize(next.threads());
        } else {
            readers.setCorePoolSize(next.threads());
            readers.setMaximumPoolSize(next.threads());
        }
    }

    /** Has {@code then} count how long each request waited for a search, in nanoseconds. */
    public void onWait(LongConsumer then) {
        waits = then;
    }

    /**
     * A log will be there soon: responses wait for it.
     *
     * @param whenLost removes all records, for a reason in the words of operators; called on the
     *     thread that writes if a removal was lost
     */
    public void expect(Consumer<String> whenLost) {
        emptying = whenLost;
        writer.expect();
        state = State.LOADING;
        store.hasDisk(true);
    }

    /** Uses {@code loaded} from now on. */
    public void use(RecordLog loaded) {
        log = loaded;
        writer.start(loaded);
        state = State.ON;
    }

    /** Runs {@code work} on the thread that writes, between two records. */
    public void inOrder(Runnable work) {
        writer.inOrder(work);
    }

    /**
     * Uses the log no more.
     *
     * @param most how long to write what waits; zero to forget it
     * @return whether no record is left that should be replaced or removed, and the log is not in
     *     use by any thread of this tier
     */
    public boolean end(Duration most) {
        log = null;
        // Removals are taken until then.
        boolean isEnded = writer.end(most);
        boolean isInVain = state == State.LOADING && writer.isWaiting();
        state = State.OFF;
        store.hasDisk(false);
        writer.clear();
        heads.clear();
        return isEnded && !isInVain;
    }

    public State state() {
        return state;
    }

    /** Whether there may be something to find. */
    public boolean isOn() {
        return log != null;
    }

    public long count(TierOutcome outcome) {
        return counts.of(outcome);
    }

    public long count(TierWrite outcome) {
        return counts.of(outcome);
    }

    /** The bytes of the responses that wait to be written. */
    public long waitingBytes() {
        return writer.waitingBytes();
    }

    /** Whether all threads that read wait for the log longer than requests wait. */
    public boolean isStalled() {
        return late.get() >= terms.threads();
    }

    /** Whether that was so at any time since the last call. */
    public boolean wasStalled() {
        return hasStalled.getAndSet(false) || isStalled();
    }

    /**
     * Returns the response to {@code request}, which the store does not have, if its body can be
     * sent from a file without a search; otherwise null. The caller owns a reference.
     *
     * @param rules of its route
     */
    public @Nullable StoredResponse inFile(
            CacheKey resource, RouteCacheRules rules, SentRequest request) {
        var storage = rules.storage();
        var found = storage == null || isStalled() ? null : heads.find(resource, storage, request);
        if (found != null) {
            counts.add(TierOutcome.HIT);
            waits.accept(0);
        }
        return found;
    }

    /**
     * Searches the response to a request that the store does not have. Returns false if it cannot
     * be found. Otherwise {@code sink} is told later, on its loop, to look into the store again.
     *
     * @param rules of its route
     * @param asked returns the URL before rules changed it
     */
    public boolean search(
            CacheKey resource,
            RouteCacheRules rules,
            UnaryOperator<CacheKey> asked,
            SearchSink sink) {
        var from = log;
        var storage = rules.storage();
        if (from == null || storage == null) {
            return false;
        }
        var key = RecordKey.of(resource, storage);
        if (!mayHave(from, key.hash()) || writer.isRemoving(key.hash())) {
            counts.add(TierOutcome.MISS);
            return false;
        }
        if (isStalled() || transit.isFull()) {
            counts.add(TierOutcome.REFUSED);
            return false;
        }
        var sent = sink.request();
        var wanted = new RecordCodec.Wanted(key, sent, rules.parsing());
        var seeker = new RecordRead.Seeker(sent, wanted, sink, sink.takesFiles(), time.ticks());
        while (true) {
            var mine = new RecordRead(key.hash(), new Source(from, key, rules, asked));
            mine.add(seeker);
            var under = reads.putIfAbsent(key.hash(), mine);
            if (under == null) {
                if (writer.isRemoving(key.hash())) {
                    mine.outdate();
                }
                return start(mine, sink);
            }
            if (under.add(seeker)) {
                return true;
            }
            reads.remove(key.hash(), under);
        }
    }

    /**
     * Passes the responses to {@code resource} that the log has and the store lacks to {@code
     * each}, on another thread and with empty values of their selecting fields. Blocks for {@link
     * #LONGEST_LISTING} at most; the rest is left out then.
     *
     * @param rules of its route
     */
    public void forEachOther(
            CacheKey resource, RouteCacheRules rules, Consumer<StoredResponse> each) {
        var from = log;
        var storage = rules.storage();
        if (from == null || storage == null) {
            return;
        }
        var key = RecordKey.of(resource, storage);
        if (mayHave(from, key.hash()) && !isStalled()) {
            var listing = new RecordListing(key, rules.parsing(), from, codec, store);
            try {
                CompletableFuture.runAsync(() -> listing.run(each), readers)
                        .orTimeout(LONGEST_LISTING.toNanos(), TimeUnit.NANOSECONDS)
                        .exceptionally(late -> null)
                        .join();
            } catch (RejectedExecutionException full) {
                counts.add(TierOutcome.REFUSED);
            }
            listing.end();
        }
    }

    private static boolean mayHave(RecordLog log, RecordHash key) {
        return log.has(key) || log.has(RecordVariants.listOf(key));
    }

    private boolean start(RecordRead read, SearchSink sink) {
        try {
            readers.execute(read);
        } catch (RejectedExecutionException | OutOfMemoryError full) {
            // There may be no memory for a thread.
            counts.add(TierOutcome.REFUSED);
            read.giveUp();
            return true;
        }
        read.endsBy(
                sink.loop()
                        .schedule(
                                () -> {
                                    int waited = read.giveUp();
                                    for (int i = 0; i < waited; i++) {
                                        counts.add(TierOutcome.TIMEOUT);
                                    }
                                },
                                terms.timeout().toNanos(),
                                TimeUnit.NANOSECONDS));
        return true;
    }

    /**
     * Writes {@code response}, which was just stored; otherwise removes what it would replace.
     *
     * @param rules of its route
     * @param isInMemory whether the memory has it too
     * @return whether it will be written, and readers find it until then
     */
    boolean offer(StoredResponse response, RouteCacheRules rules, boolean isInMemory) {
        var storage = rules.storage();
        if (state == State.OFF || storage == null) {
            return false;
        }
        boolean isWanted = isWanted(response);
        if (isWanted && writer.write(response, storage, !isInMemory)) {
            // It may be written, and no longer held, before an older one was read.
            if (!reads.isEmpty()) {
                outdate(RecordKey.of(response.key(), storage), storage);
            } else {
                heads.forget(response.key(), storage);
            }
            return true;
        }
        counts.add(isWanted ? TierWrite.DROPPED : TierWrite.REFUSED);
        held.drop(
                response.key(),
                each ->
                        RecordVariants.haveOnePlace(each, response)
                                && !each.isReceivedAfter(response)
                                && !Variants.areOne(each, response));
        remove(response, null, rules);
        return false;
    }

    private boolean isWanted(StoredResponse response) {
        var shortest = terms.minLifetime();
        var lifetime = response.freshness().remainingAt(time.now());
        return RecordCodec.mayBeWritten(response)
                && (shortest.isZero() || lifetime.compareTo(shortest) >= 0)
                && !response.head().fields().contains("Set-Cookie");
    }

    /**
     * Removes {@code response}, which is superseded.
     *
     * @param newer another variant that supersedes it, which may be written already; or null
     */
    void remove(StoredResponse response, @Nullable StoredResponse newer, RouteCacheRules rules) {
        var key = removable(response.key(), rules);
        if (key != null) {
            writer.remove(response, newer, key);
            outdate(key, rules.storage());
        }
    }

    /** Removes the response to {@code request}, which a newer one outdates that is not stored. */
    void outdate(CacheKey resource, SentRequest request, RouteCacheRules rules) {
        if (state == State.OFF) {
            return;
        }
        held.drop(resource, response -> request.isSelectedBy(response.selecting()));
        var key = removable(resource, rules);
        if (key != null) {
            writer.remove(request, key);
            outdate(key, rules.storage());
        }
    }

    /** Returns the key of {@code resource}, unless there is no record of it. */
    private @Nullable RecordKey removable(CacheKey resource, RouteCacheRules rules) {
        var storage = rules.storage();
        if (state == State.OFF || storage == null) {
            return null;
        }
        var key = RecordKey.of(resource, storage);
        var from = log;
        return from == null || mayHave(from, key.hash()) || from.mayHaveOthers() ? key : null;
    }

    private void outdate(RecordKey key, @Nullable RecordHash storage) {
        var read = reads.get(key.hash());
        if (read != null) {
            read.outdate();
        }
        if (storage != null) {
            heads.forget(key.resource(), storage);
        }
    }

    /** Ends its threads; {@link #end} was called before. */
    public void close() {
        readers.shutdown();
    }

    /** The records of one resource. */
    private final class Source implements RecordRead.Source {
        private final RecordLog from;
        private final RecordKey key;
        private final RouteCacheRules rules;
        private final UnaryOperator<CacheKey> asked;

        Source(
                RecordLog from,
                RecordKey key,
                RouteCacheRules rules,
                UnaryOperator<CacheKey> asked) {
            this.from = from;
            this.key = key;
            this.rules = rules;
            this.asked = asked;
        }

        @Override
        public @Nullable RecordVariants list(RecordHash resource) {
            return RecordVariants.in(from, resource);
        }

        @Override
        public @Nullable StoredResponse load(
                RecordHash id, RecordCodec.Wanted wanted, boolean takesFiles) {
            var shared = takesFiles ? ofOther(wanted) : null;
            if (shared != null) {
                return shared;
            }
            var place = from.find(id);
            var record = place == null ? null : place.read();
            if (place == null || record == null) {
                counts.add(TierOutcome.MISS);
                return null;
            }
            try {
                boolean isLong = record.readableBytes() >= terms.fileFromBytes();
                var inFile = takesFiles && isLong ? inFile(record, place, wanted) : null;
                return inFile == null ? inMemory(record, id, wanted) : inFile;
            } finally {
                record.release();
            }
        }

        /** Returns what another request has found meanwhile, if its body is in a file. */
        private @Nullable StoredResponse ofOther(RecordCodec.Wanted wanted) {
            var storage = rules.storage();
            var sent = wanted.sent();
            return storage == null || sent == null
                    ? null
                    : heads.find(key.resource(), storage, sent);
        }

        /** Returns the response if its body can be sent from the file; otherwise null. */
        private @Nullable StoredResponse inFile(
                ByteBuf record, RecordPlace place, RecordCodec.Wanted wanted) {
            var storage = rules.storage();
            if (storage == null
                    || !(codec.readHead(record, wanted) instanceof RecordCodec.Found found)
                    || !isHit(found.response())
                    || held.hasNewerThan(found.response())) {
                return null;
            }
            var opened = heads.add(storage, key, found, place);
            if (opened != null) {
                counts.add(TierOutcome.HIT);
            }
            return opened;
        }

        private @Nullable StoredResponse inMemory(
                ByteBuf record, RecordHash id, RecordCodec.Wanted wanted) {
            return switch (codec.readChecked(record, wanted, store.hasMemory())) {
                case RecordCodec.Found(var response, var bodyAt, var bytes) -> usable(response, id);
                case RecordMiss miss -> {
                    missed(miss, id);
                    yield null;
                }
            };
        }

        @Override
        public void outdated() {
            var storage = rules.storage();
            if (storage != null) {
                heads.forget(key.resource(), storage);
            }
        }

        private void missed(RecordMiss miss, RecordHash id) {
            switch (miss) {
                case KEY, VARIANT, SCHEMA -> counts.add(TierOutcome.MISS);
                case POSITION -> {
                    counts.add(TierOutcome.OUTDATED);
                    writer.inOrder(() -> from.remove(id));
                }
                case CHECKSUM, MALFORMED -> {
                    counts.add(TierOutcome.CORRUPT);
                    writer.inOrder(() -> from.remove(id));
                }
            }
        }

        /** Applies the invalidations; takes over the reference. */
        private @Nullable StoredResponse usable(StoredResponse response, RecordHash id) {
            var useful = store.useful(response);
            counts.add(useful == null ? TierOutcome.OUTDATED : TierOutcome.HIT);
            if (useful == null) {
                writer.inOrder(() -> from.remove(id));
            }
            return useful;
        }

        @Override
        public HeldResponses.Hold found(StoredResponse response) {
            return log == null ? held.held(response) : store.found(response, asked, rules.route());
        }

        @Override
        public void release(HeldResponses.Hold hold) {
            held.release(hold);
        }

        @Override
        public void closed(RecordRead read) {
            reads.remove(read.key(), read);
        }

        @Override
        public long waitedNanos(RecordRead.Seeker told) {
            long nanos = time.ticks() - told.sinceTicks();
            waits.accept(nanos);
            return nanos;
        }

        @Override
        public void late(boolean isBusy) {
            late.addAndGet(isBusy ? 1 : -1);
            if (isStalled()) {
                hasStalled.set(true);
            }
        }
    }
}
