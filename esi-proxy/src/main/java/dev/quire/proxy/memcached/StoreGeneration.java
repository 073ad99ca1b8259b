package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedPositions;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.memcached.MetaReply.Kind;
import dev.quire.proxy.store.StoreServer;
import io.netty.channel.EventLoop;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The generation of the records in memcached: one item, which each purge of a proxy replaces by
 * another random number. No proxy uses records of another generation. Thread-safe.
 */
public final class StoreGeneration implements SharedPositions, InvalidationLog, AutoCloseable {

    /*
     * The generation is read twice in each bound, and is known for one bound after it was asked for.
     * So all others know of a change a bound after it was confirmed.
     *
     * The responses that the change of another proxy covers are not known. So the adoption of a
     * generation is an entry in it, without an effect: a response whose fetch began before that entry
     * may be older than the purge, and is not written. A record of the generation was fetched after
     * the last time when the store had another one; it is tested against our own entries since then.
     * One that this process has written itself says up to which entry it was tested: its position
     * has a number that names the process.
     *
     * An own purge is pending until the store has confirmed another generation. Meanwhile no
     * generation is known. Each attempt has a random number of its own and is sent once: one that is
     * executed late brings back no former generation.
     *
     * An unsafe request changes no generation: the record of its URL is removed, as soon as the
     * generation is known.
     *
     * The item ends some time after the last proxy has read it. So a number does not come back after
     * purges that were made while other servers, or none, were used.
     *
     * The steps run on one event loop, which also owns the fields that are not volatile.
     */

    private static final int RETRIES_A_BOUND = 10;
    private static final Duration LONGEST_RETRY = Duration.ofMillis(200);

    /** In bounds: the item ends if no proxy reads it for so long. */
    private static final int LIFETIME = 10;

    private static final long LEAST_LIFETIME_SECONDS = 600;

    /** Longer times would be dates. */
    private static final long LONGEST_LIFETIME_SECONDS = 2_592_000;

    private static final Duration LONGEST_CLOSE = Duration.ofMillis(500);
    private static final int MOST_URLS = 1_000;
    private static final int DIGITS = 16;
    private static final int NUMBER_BITS = 40;
    private static final long NUMBERS = (1L << NUMBER_BITS) - 1;

    private final StoreServer<MetaConnection> home;
    private final EventLoop loop;
    private final Invalidations invalidations;
    private final Time time;
    private final byte[] key;
    private final Duration bound;
    private final String lifetime;
    private final SecureRandom random = new SecureRandom();

    /** Names this process, above the number of an entry. */
    private final long process = (random.nextLong() >>> 1) & ~NUMBERS;

    private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
    private final Predicate<CacheKey> removal;
    private volatile Duration patience;
    private volatile @Nullable Present present;

    /** The newest own entry that needs another generation, and the newest one that has it. */
    private final AtomicLong wanted = new AtomicLong();

    private volatile long confirmed;

    /** No record that can be used was tested less. */
    private volatile long oldest;

    // Confined to the loop.
    /** Our newest entry when the store was last asked with success. */
    private long seen;

    private boolean isAsking;

    /** One retry waits at most. */
    private boolean isRetrying;

    /** Those whose records are to be removed. */
    private final Queue<CacheKey> urls = new ArrayDeque<>();

    private boolean isClosed;

    /**
     * The generation as it was read last.
     *
     * @param testedFrom our newest entry that is known to be before all of its records
     * @param begunFrom the entry of its adoption
     * @param sentTicks when it was asked for
     */
    private record Present(long number, long testedFrom, long begunFrom, long sentTicks) {}

    /** An answer that waits until the entries so far are confirmed. */
    private record Wait(long upTo, CompletableFuture<Durability> done) {}

    /**
     * @param loop one of those of {@code servers}
     * @param bound how long a generation is known after it was asked for
     * @param patience how long an answer waits for a change
     * @param removal removes the record of a URL; returns false if that is not possible now
     */
    public StoreGeneration(
            MetaServers servers,
            EventLoop loop,
            Invalidations invalidations,
            Time time,
            Duration bound,
            Duration patience,
            Predicate<CacheKey> removal) {
        var name = servers.settings().namespace() + ":generation";
        this.home = servers.of(name);
        this.key = name.getBytes(US_ASCII);
        this.loop = loop;
        this.invalidations = invalidations;
        this.time = time;
        this.bound = bound;
        this.lifetime =
                "T"
                        + Math.clamp(
                                LIFETIME * bound.toSeconds(),
                                LEAST_LIFETIME_SECONDS,
                                LONGEST_LIFETIME_SECONDS);
        this.patience = patience;
        this.removal = removal;
        this.seen = invalidations.floor();
        this.oldest = seen;
    }

    /** Begins to read it, in the background. */
    public void start() {
        invalidations.alsoLogTo(this, () -> oldest);
        loop.execute(this::everyTick);
    }

    /** Changes how long an answer waits for a change. */
    public void limit(Duration longest) {
        patience = longest;
    }

    /** The present one; 0 if it is not known yet. */
    public long number() {
        var known = present;
        return known == null ? 0 : known.number();
    }

    /** Whether a purge of this proxy waits for its change. */
    public boolean isPending() {
        return wanted.get() > confirmed;
    }

    @Override
    public boolean isKnown() {
        return !isPending() && isRecent(present);
    }

    private boolean isRecent(@Nullable Present known) {
        return known != null && time.ticks() - known.sentTicks() <= bound.toNanos();
    }

    @Override
    public @Nullable RecordPosition position(long tested, long begun) {
        var known = present;
        return known == null || isPending() || !isRecent(known) || begun < known.begunFrom()
                ? null
                : new RecordPosition(known.number(), process | (tested & NUMBERS));
    }

    @Override
    public long of(RecordPosition position) {
        // First: a change replaces the present one before it is confirmed.
        boolean isPending = isPending();
        var known = present;
        if (isPending || known == null || !isRecent(known) || position.epoch() != known.number()) {
            return UNKNOWN;
        }
        boolean isOwn =
                (position.number() & ~NUMBERS) == process
                        && (position.number() & NUMBERS) <= invalidations.newest();
        return isOwn
                ? Math.max(known.testedFrom(), position.number() & NUMBERS)
                : known.testedFrom();
    }

    @Override
    public long aheadMillis() {
        return 0;
    }

    @Override
    public void append(long number, InvalidationEntry entry) {
        switch (entry) {
            case PurgeEntry purge -> change(number);
            case BanEntry ban -> change(number);
            case GroupsEntry groups -> change(number);
            case UrlEntry(var url, var since) -> run(() -> remove(url, number));
            case LiftEntry lift -> {}
        }
    }

    private void change(long number) {
        wanted.accumulateAndGet(number, Math::max);
        run(this::ask);
    }

    private void run(Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException ended) {
            // The process ends.
        }
    }

    private void remove(CacheKey url, long number) {
        if (urls.size() == MOST_URLS) {
            urls.clear();
            change(number);
            return;
        }
        urls.add(url);
        removeRecords();
    }

    private void removeRecords() {
        while (!urls.isEmpty() && isKnown() && removal.test(urls.element())) {
            urls.remove();
        }
    }

    /** {@inheritDoc} Durable is what the store has confirmed: no process uses an older record. */
    @Override
    public CompletionStage<Durability> sync() {
        return sync(patience);
    }

    private CompletionStage<Durability> sync(Duration longest) {
        long upTo = wanted.get();
        if (confirmed < upTo && !home.isUsable()) {
            return CompletableFuture.completedStage(Durability.NOT_DURABLE);
        }
        var wait = new Wait(upTo, new CompletableFuture<>());
        waits.add(wait);
        if (confirmed >= upTo) {
            answer();
        }
        return wait.done()
                .completeOnTimeout(Durability.NOT_DURABLE, longest.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((durability, fault) -> waits.remove(wait))
                .minimalCompletionStage();
    }

    private void answer() {
        for (var wait : waits) {
            if (wait.upTo() <= confirmed) {
                wait.done().complete(Durability.DURABLE);
            }
        }
    }

    private void everyTick() {
        if (isClosed) {
            return;
        }
        loop.schedule(this::everyTick, bound.toNanos() / 2, TimeUnit.NANOSECONDS);
        if (invalidations.floor() > oldest) {
            // Records of this generation cannot be tested any more.
            wanted.accumulateAndGet(invalidations.newest(), Math::max);
        }
        ask();
    }

    private void ask() {
        if (isAsking) {
            return;
        }
        isAsking = true;
        boolean isAsked = false;
        try {
            if (isPending()) {
                long upTo = wanted.get();
                set("MS", upTo, Math.max(upTo, invalidations.newest()));
            } else {
                read();
            }
            isAsked = true;
        } finally {
            if (!isAsked) {
                next(true);
            }
        }
    }

    /** The next step after one that has ended. */
    private void next(boolean hasFailed) {
        isAsking = false;
        if (hasFailed) {
            retryLater();
        } else if (isPending()) {
            ask();
        }
    }

    private void retryLater() {
        if (!isRetrying) {
            isRetrying = true;
            long nanos = Math.min(bound.toNanos() / RETRIES_A_BOUND, LONGEST_RETRY.toNanos());
            loop.schedule(this::retry, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void retry() {
        isRetrying = false;
        if (!isClosed) {
            ask();
        }
    }

    private void read() {
        long newest = invalidations.newest();
        long sentTicks = time.ticks();
        send(
                new MetaRequest().line("mg", key, "v " + lifetime),
                answer -> {
                    var value = answer.first().value();
                    if (value == null) {
                        present = null;
                        set("ME", confirmed, newest);
                        return;
                    }
                    var text = value.toString(US_ASCII);
                    value.release();
                    if (text.length() != DIGITS || !text.chars().allMatch(HexFormat::isHexDigit)) {
                        present = null;
                        set("MS", confirmed, newest);
                        return;
                    }
                    adopt(HexFormat.fromHexDigitsToLong(text), seen, sentTicks);
                    seen = newest;
                    next(false);
                });
    }

    /**
     * Sets another generation.
     *
     * @param mode of the command: in any case, or if it is absent
     * @param upTo the entries that it covers
     * @param newest our newest entry
     */
    private void set(String mode, long upTo, long newest) {
        long number = random.nextLong();
        long sentTicks = time.ticks();
        send(
                new MetaRequest()
                        .set(
                                key,
                                lifetime + " " + mode,
                                HexFormat.of().toHexDigits(number).getBytes(US_ASCII)),
                answer -> {
                    if (answer.first().kind() == Kind.DONE) {
                        adopt(number, newest, sentTicks);
                        seen = newest;
                        confirmed = Math.max(confirmed, upTo);
                        answer();
                    }
                    // Otherwise another proxy has set one meanwhile.
                    next(answer.first().kind() != Kind.DONE);
                });
    }

    /** Receives a complete answer, and goes on. */
    private interface Step {
        void take(MetaAnswer.Replies answer);
    }

    private void send(MetaRequest request, Step then) {
        if (!home.isUsable()) {
            next(true);
            return;
        }
        home.connection(loop).send(request, answer -> take(answer, then), () -> {});
    }

    private void take(MetaAnswer answer, Step then) {
        boolean isTaken = false;
        try {
            if (answer instanceof MetaAnswer.Replies replies) {
                then.take(replies);
                isTaken = true;
            }
        } finally {
            if (!isTaken) {
                // Purges must not wait for ever.
                next(true);
            }
        }
    }

    private void adopt(long number, long testedFrom, long sentTicks) {
        var former = present;
        if (former != null && former.number() == number) {
            present = new Present(number, former.testedFrom(), former.begunFrom(), sentTicks);
        } else {
            present = new Present(number, testedFrom, invalidations.mark(), sentTicks);
            oldest = testedFrom;
        }
        removeRecords();
    }

    /** Confirms what is pending if that takes only a moment, and reads no more. */
    @Override
    public void close() {
        invalidations.endLog(this);
        sync(LONGEST_CLOSE).toCompletableFuture().join();
        try {
            loop.execute(() -> isClosed = true);
        } catch (RejectedExecutionException ended) {
            // It reads no more.
        }
    }
}
