package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Readers on three loops that request the same two pages, origins that respond in every way, and
 * purges from outside. The actions are derived from a seed; their order is up to the threads.
 * Violations of the cache's guarantees are recorded.
 */
final class Crowd {

    /** The outcomes of a reader, to check that all of them occur. */
    enum Way {
        FOUND,
        WHOLE,
        PIECEMEAL,
        REST,
        ALONE,
        AGAIN,
        FAILED,
        LEFT
    }

    private enum Leaving {
        NEVER,
        AT_ONCE,
        SOON,
        AT_HEAD
    }

    private static final StoredHeads HEADS = new StoredHeads(() -> Compression.ESI);
    private static final int LOOPS = 3;
    private static final int MOST_READERS = 16;
    private static final Duration LIFETIME = Duration.ofSeconds(60);
    private static final long DEADLINE_SECONDS = 60;

    /** About three responses: there is always something to evict. */
    private static final long STORE_BYTES = 8_000;

    private final MockTicker ticker = Ticker.newMockTicker();
    private final HandSetTime time = new HandSetTime();
    private final List<EventLoop> loops = new ArrayList<>();
    private final InFlightBudget transit = new InFlightBudget(100_000_000);
    private final PageStore store = new PageStore(STORE_BYTES, transit, time::now);
    private final AtomicInteger joined = new AtomicInteger();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Set<Way> ways = ConcurrentHashMap.newKeySet();
    private final Queue<ByteBuf> lent = new ConcurrentLinkedQueue<>();
    private final AtomicInteger talking = new AtomicInteger();
    private final AtomicLong editions = new AtomicLong();
    private final List<Place> places = List.of(new Place("/one"), new Place("/two"));
    private final long directBytesBefore = directBytes();
    private final Coalescer coalescer =
            new Coalescer(
                    store,
                    new LowerTiers(store, transit, HEADS, time),
                    new HitForMiss(Duration.ofMinutes(2), time::now),
                    transit,
                    HEADS,
                    time,
                    new Events());
    private long round;

    Crowd() {
        for (int i = 0; i < LOOPS; i++) {
            loops.add(loop());
        }
    }

    /** Starts all readers at once, and waits until all have been answered or have left. */
    void round(long seed) throws InterruptedException {
        round = seed;
        var random = new Random(seed);
        if (random.nextInt(3) == 0) {
            time.pass(LIFETIME);
        }
        int count = 4 + random.nextInt(MOST_READERS - 3);
        var start = new CountDownLatch(1);
        var done = new CountDownLatch(count);
        loops.forEach(loop -> loop.execute(() -> await(start)));
        for (int i = 0; i < count; i++) {
            var reader = new Reader(new Random(random.nextLong()), done);
            reader.loop().execute(reader::look);
        }
        start.countDown();
        for (int i = random.nextInt(3); i > 0; i--) {
            var place = places.get(random.nextInt(places.size()));
            long after = random.nextInt(300_000);
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < after) {
                Thread.onSpinWait();
            }
            place.purge(random.nextBoolean());
        }
        if (!done.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            fault(done.getCount() + " readers are still waiting");
        }
        await(() -> talking.get() == 0, "origins are still talking");
        settle();
        if (coalescer.waiting() != 0) {
            fault(coalescer.waiting() + " are counted as waiting");
        }
        if (lent.stream().anyMatch(buffer -> buffer.refCnt() != 0)) {
            fault("what came from an origin was not released");
        }
        lent.clear();
    }

    /** The violations, each with the seed of its round. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    Set<Way> ways() {
        return ways;
    }

    int joined() {
        return joined.get();
    }

    /** Ends the loops, and checks that nothing leaks. */
    void disband() throws InterruptedException {
        settle();
        store.invalidations().ban(ofTag());
        store.sweep(Integer.MAX_VALUE, () -> {});
        // A ban stays active while a fetch is in flight that began before it.
        assertThat(store.invalidations().banCount()).isZero();
        store.close();
        for (var loop : loops) {
            var stopped = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            while (!stopped.awaitUninterruptibly(1)) {
                ticker.advance(1, TimeUnit.SECONDS);
            }
        }
        assertThat(transit.usedBytes()).isZero();
        // Threads of other tests may release their memory late.
        await(() -> directBytes() <= directBytesBefore, "direct memory is not back");
        assertThat(faults).isEmpty();
    }

    private static BanCondition ofTag() {
        return new BanCondition(
                Optional.empty(),
                Optional.empty(),
                Optional.of("any"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private void settle() throws InterruptedException {
        for (int i = 0; i < LOOPS; i++) {
            for (var loop : loops) {
                if (!loop.submit(() -> {}).await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                    fault("a loop is stuck");
                }
            }
        }
    }

    private void await(BooleanSupplier condition, String otherwise) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fault(otherwise);
                return;
            }
            LockSupport.parkNanos(50_000);
        }
    }

    private static void await(CountDownLatch start) {
        try {
            start.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void fault(String what) {
        faults.add("round " + round + ": " + what);
    }

    private ByteBuf lend(String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        var buffer = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
        lent.add(buffer);
        return buffer;
    }

    private EventLoop loop() {
        return new DefaultEventLoop() {
            @Override
            public Ticker ticker() {
                return ticker;
            }
        };
    }

    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    private static <T> T oneOf(T[] all, Random random) {
        return all[random.nextInt(all.length)];
    }

    /** A page, and the fetch of it from its origin. */
    private final class Place {
        private final CacheKey key;
        private final AtomicInteger shared = new AtomicInteger();

        /** From now on no request may see this edition or an older one. */
        private final AtomicLong purged = new AtomicLong();

        Place(String target) {
            key = new CacheKey(Scheme.HTTP, "news.example", target);
        }

        void purge(boolean isByWalk) {
            long made = editions.get();
            if (isByWalk) {
                store.purge(Purge.of(key), false);
            } else {
                store.invalidate(key, CacheHouse.request("POST"));
            }
            purged.accumulateAndGet(made, Math::max);
        }

        RequestHead request(int variant) {
            return new RequestHead(
                    "GET",
                    key.scheme(),
                    key.authority(),
                    key.target(),
                    Fields.of("X-Ed", Integer.toString(variant)));
        }
    }

    /** The way an origin responds. */
    private enum Mood {
        STORABLE,
        STORABLE_TOO,
        UNCACHEABLE,
        TOO_LARGE,
        UNREACHABLE,
        TRUNCATED
    }

    /** One request to an origin. Its response is sent step by step, each in its own task. */
    private final class Talk implements BodyFlow {
        private final Place place;
        private final EventLoop loop;
        private final ResponseSink sink;
        private final ArrayDeque<Runnable> steps = new ArrayDeque<>();
        private boolean isShared;
        private boolean isPaused;
        private boolean isHeldUp;
        private boolean isOver;

        /**
         * @param isShared whether it is the coalesced fetch, of which there is only one at a time
         */
        Talk(
                Place place,
                int variant,
                EventLoop loop,
                boolean isShared,
                Random random,
                Fields conditions,
                ResponseSink sink) {
            this.place = place;
            this.loop = loop;
            this.isShared = isShared;
            this.sink = sink;
            talking.incrementAndGet();
            if (isShared && place.shared.incrementAndGet() != 1) {
                fault("a second fetch of " + place.key.target() + " beside the first");
            }
            script(editions.incrementAndGet(), variant, random, conditions);
            loop.execute(this::step);
        }

        private void script(long edition, int variant, Random random, Fields conditions) {
            var condition = conditions.first("If-None-Match");
            if (random.nextInt(5) == 0) {
                steps.add(() -> sink.interim(new ResponseHead(103, "", Fields.EMPTY)));
            }
            if (condition != null && random.nextInt(3) > 0) {
                var tag = random.nextInt(5) == 0 ? "\"another\"" : condition;
                last(() -> {
                    sink.head(head(304, edition, tag, "max-age=60"), this);
                    sink.end();
                });
                return;
            }
            var mood = oneOf(Mood.values(), random);
            if (mood == Mood.UNREACHABLE) {
                fails();
                return;
            }
            var tag = "\"" + edition + " " + variant + "\"";
            int length = mood == Mood.TOO_LARGE ? 3_000 : 20 + random.nextInt(800);
            var body = body(tag, length);
            var control = mood == Mood.UNCACHEABLE ? "no-store" : "max-age=60";
            steps.add(() -> {
                if (mood == Mood.UNCACHEABLE || mood == Mood.TOO_LARGE) {
                    isForOneFromNowOn();
                }
                sink.head(head(200, edition, tag, control), this);
            });
            for (int from = 0; from < length; ) {
                int to = Math.min(length, from + 1 + random.nextInt(length));
                var piece = body.substring(from, to);
                steps.add(() -> sink.data(lend(piece)));
                from = to;
            }
            if (mood == Mood.TRUNCATED) {
                fails();
            } else {
                last(sink::end);
            }
        }

        private void fails() {
            last(() ->
                    sink.failed(
                            new Failure(
                                    Failure.Side.ORIGIN, Failure.Kind.UNREACHABLE, "scripted")));
        }

        /** Ended before the call: the sink may start the next fetch from within it. */
        private void last(Runnable what) {
            steps.add(() -> {
                over();
                what.run();
            });
        }

        private void step() {
            if (isOver) {
                return;
            }
            if (isPaused) {
                isHeldUp = true;
                return;
            }
            var next = steps.poll();
            if (next != null) {
                next.run();
                loop.execute(this::step);
            }
        }

        @Override
        public void pause() {
            isPaused = true;
        }

        @Override
        public void resume() {
            isPaused = false;
            if (isHeldUp) {
                isHeldUp = false;
                loop.execute(this::step);
            }
        }

        @Override
        public void cancel() {
            over();
        }

        private void over() {
            isForOneFromNowOn();
            if (!isOver) {
                isOver = true;
                talking.decrementAndGet();
            }
        }

        private void isForOneFromNowOn() {
            if (isShared) {
                isShared = false;
                place.shared.decrementAndGet();
            }
        }

        private ResponseHead head(int status, long edition, String tag, String control) {
            return new ResponseHead(
                    status,
                    "",
                    Fields.of(
                            "Cache-Control",
                            control,
                            "ETag",
                            tag,
                            "Vary",
                            "X-Ed",
                            "X-Edition",
                            Long.toString(edition)));
        }
    }

    private static String body(String tag, int length) {
        return (tag + "#".repeat(length)).substring(0, length - 1) + ".";
    }

    /**
     * A reader, confined to its own loop. Checks that calls come in order, and the last one once.
     */
    private final class Reader implements AnswerSink {

        private enum Stage {
            LOOKING,
            WAITING,
            READING,
            ANSWERED,
            GONE
        }

        private final Random random;
        private final CountDownLatch done;
        private final EventLoop loop;
        private final Place place;
        private final int variant;
        private final boolean wantsWhole;
        private final boolean isSlow;
        private final Leaving leaving;
        private final StringBuilder text = new StringBuilder();
        private Stage stage = Stage.LOOKING;
        private long purgedBefore;
        private String tag = "";
        private @Nullable FetchSubscription subscription;

        Reader(Random random, CountDownLatch done) {
            this.random = random;
            this.done = done;
            this.loop = loops.get(random.nextInt(LOOPS));
            this.place = places.get(random.nextInt(places.size()));
            this.variant = 1 + random.nextInt(2);
            this.wantsWhole = random.nextBoolean();
            this.isSlow = random.nextBoolean();
            this.leaving = random.nextBoolean() ? Leaving.NEVER : oneOf(Leaving.values(), random);
        }

        /** Like the start of a request: uses the stored response, or else fetches. */
        void look() {
            if (stage != Stage.LOOKING) {
                return;
            }
            purgedBefore = place.purged.get();
            var found = store.find(place.key, CacheHouse.variant(head()));
            if (found != null && found.freshness().isFreshAt(time.now())) {
                isToldWhole(Way.FOUND, found, found.body().toString(StandardCharsets.US_ASCII));
                return;
            }
            if (found != null && random.nextInt(3) == 0) {
                coalescer.refreshLater(
                        place.key, request(), loop, fetch(true), CacheHouse.RULES, found);
                isToldWhole(Way.FOUND, found, found.body().toString(StandardCharsets.US_ASCII));
                return;
            }
            stage = Stage.WAITING;
            boolean isNew = found == null;
            subscription = null;
            var joined =
                    coalescer.join(
                            place.key,
                            fetch(true),
                            CacheHouse.RULES,
                            found,
                            () -> isNew && isThereNow(),
                            this);
            if (subscription == null) {
                // Otherwise it was sent on at once, and already has another subscription.
                subscription = joined;
            }
            switch (leaving) {
                case AT_ONCE -> leave();
                case SOON -> later(1 + random.nextInt(4), this::leave);
                case NEVER, AT_HEAD -> {}
            }
        }

        private boolean isThereNow() {
            var found = store.find(place.key, CacheHouse.variant(head()));
            if (found != null) {
                found.release();
            }
            return found != null;
        }

        private PreparedFetch fetch(boolean isShared) {
            var moods = new Random(random.nextLong());
            return (conditions, sink) ->
                    new Talk(place, variant, loop, isShared, moods, conditions, sink);
        }

        private void leave() {
            var mine = subscription;
            if (mine != null && (stage == Stage.WAITING || stage == Stage.READING)) {
                mine.leave();
                ends(Stage.GONE, Way.LEFT);
            }
        }

        private void later(int tasks, Runnable what) {
            loop.execute(tasks == 0 ? what : () -> later(tasks - 1, what));
        }

        private void ends(Stage last, Way way) {
            ways.add(way);
            stage = last;
            done.countDown();
        }

        /** Whether {@code what} may be called now. */
        private boolean mayHear(String what, Stage first, Stage... others) {
            if (!loop.inEventLoop()) {
                fault(what + " on a foreign loop");
                return false;
            }
            if (!EnumSet.of(first, others).contains(stage)) {
                fault("a reader who was " + stage + " was told " + what);
                return false;
            }
            return true;
        }

        @Override
        public EventLoop loop() {
            return loop;
        }

        @Override
        public SentRequest request() {
            return SentRequest.of(head());
        }

        private RequestHead head() {
            return place.request(variant);
        }

        @Override
        public boolean wantsWhole() {
            return wantsWhole;
        }

        @Override
        public void interim(ResponseHead head) {
            mayHear("interim", Stage.WAITING);
        }

        @Override
        public void head(ResponseHead head, BodyFlow flow) {
            if (!mayHear("head", Stage.WAITING)) {
                return;
            }
            stage = Stage.READING;
            check(head);
            if (leaving == Leaving.AT_HEAD) {
                leave();
            } else if (isSlow) {
                flow.pause();
                later(
                        1 + random.nextInt(12),
                        () -> {
                            if (stage == Stage.READING) {
                                flow.resume();
                            }
                        });
            }
        }

        @Override
        public void data(ByteBuf data) {
            if (mayHear("data", Stage.READING)) {
                text.append(data.toString(StandardCharsets.US_ASCII));
            }
            data.release();
        }

        @Override
        public void end() {
            if (mayHear("end", Stage.READING)) {
                check(text.toString());
                ends(Stage.ANSWERED, Way.PIECEMEAL);
            }
        }

        @Override
        public void stored(StoredResponse response) {
            if (mayHear("stored", Stage.WAITING)) {
                isToldWhole(
                        Way.WHOLE, response, response.body().toString(StandardCharsets.US_ASCII));
            } else {
                response.release();
            }
        }

        @Override
        public void remainder(StoredResponse response, int from) {
            if (from != text.length()) {
                fault("the rest from " + from + " to a reader who had " + text.length());
            }
            if (mayHear("rest", Stage.READING)) {
                var body = response.body().toString(StandardCharsets.US_ASCII);
                isToldWhole(Way.REST, response, text + body.substring(from));
            } else {
                response.release();
            }
        }

        private void isToldWhole(Way way, StoredResponse response, String body) {
            check(response.head());
            check(body);
            if (!request().isSelectedBy(response.selecting())) {
                fault("a reader was given another's variant");
            }
            response.release();
            ends(Stage.ANSWERED, way);
        }

        @Override
        public void failed(Failure failure) {
            if (failure.kind() != Failure.Kind.UNREACHABLE
                    && failure.kind() != Failure.Kind.TOO_LARGE) {
                fault("failed: " + failure);
            }
            if (mayHear("failed", Stage.WAITING, Stage.READING)) {
                ends(Stage.ANSWERED, Way.FAILED);
            }
        }

        @Override
        public void fetchSeparately() {
            if (mayHear("alone", Stage.WAITING)) {
                ways.add(Way.ALONE);
                purgedBefore = place.purged.get();
                subscription =
                        coalescer.fetchUncoalesced(place.key, fetch(false), CacheHouse.RULES, this);
            }
        }

        @Override
        public void searched(@Nullable StoredResponse inFile, TierSearch search) {
            throw new IllegalStateException("there is no lower tier");
        }

        @Override
        public void retryLookup() {
            if (mayHear("again", Stage.WAITING)) {
                ways.add(Way.AGAIN);
                stage = Stage.LOOKING;
                loop.execute(this::look);
            }
        }

        @Override
        public void failed(Throwable bug) {
            fault("a bug: " + bug);
        }

        private void check(ResponseHead head) {
            tag = String.valueOf(head.fields().first("ETag"));
            long edition = Long.parseLong(String.valueOf(head.fields().first("X-Edition")));
            if (edition <= purgedBefore) {
                fault(
                        "edition "
                                + edition
                                + " after a purge of all up to "
                                + purgedBefore
                                + ", to a reader "
                                + stage);
            }
            if (!tag.endsWith(" " + variant + "\"")) {
                fault("variant " + tag + " to a reader of " + variant);
            }
        }

        private void check(String body) {
            if (!body.equals(body(tag, body.length()))) {
                fault("of " + tag + " a reader was given " + body);
            }
        }
    }

    private final class Events implements CacheEvents {
        @Override
        public void judged(String route, StampStatus stampStatus) {}

        @Override
        public void uncacheable(StorageRefusal reason) {}

        @Override
        public void parsed(CacheKey key, ParsedPage page, boolean isStrict) {}

        @Override
        public void coalesced() {
            joined.incrementAndGet();
        }

        @Override
        public void bug(CacheKey key, Throwable bug) {
            fault("a bug: " + bug);
        }

        @Override
        public void refreshed(Refresh outcome) {}
    }
}
