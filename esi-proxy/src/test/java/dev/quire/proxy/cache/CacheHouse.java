package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A whole cache with two loops and a manual clock. Closing it checks that nothing leaks. */
final class CacheHouse implements AutoCloseable {
    private static final StoredHeads HEADS = new StoredHeads(() -> Compression.ESI);
    static final CacheKey PAGE = new CacheKey(Scheme.HTTP, "news.example", "/page");
    static final long MAX_OBJECT_BYTES = 1_000;
    static final long MAX_DOCUMENT_BYTES = 2_000;
    static final int MAX_INCLUDES = 20;

    /** The hash of the settings that decide the requests to the origin. */
    static final RecordHash REQUESTS = RecordHash.of(List.of("requests"));

    static final RouteCacheRules RULES = rules(EsiProcessing.AUTO);

    private static final long DEADLINE_SECONDS = 30;

    /** One event loop, run on the thread of the test. */
    record Loop(EventLoop events) {

        void run(Runnable what) {
            call(() -> {
                what.run();
                return true;
            });
        }

        <T> T call(Callable<T> what) {
            try {
                return events.inEventLoop()
                        ? what.call()
                        : events.submit(what).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException failed) {
                throw new AssertionError("failed on the loop", failed.getCause());
            } catch (InterruptedException | TimeoutException late) {
                throw new AssertionError("the loop is stuck", late);
            } catch (RuntimeException | Error failed) {
                throw failed;
            } catch (Exception failed) {
                throw new AssertionError(failed);
            }
        }
    }

    final MockTicker ticker = Ticker.newMockTicker();
    final Loop here = new Loop(loop());
    final Loop there = new Loop(loop());
    final HandSetTime time = new HandSetTime();
    final CountedEvents events = new CountedEvents();
    final PageStore store;
    final HitForMiss hitForMiss = new HitForMiss(Duration.ofMinutes(2), time::now);
    final InFlightBudget transit;
    final LowerTiers tiers;
    final RecordTier tier;
    final Coalescer coalescer;

    static {
        try {
            // Has a constant buffer. It must not count as one that a test left behind.
            Class.forName("dev.quire.proxy.gzip.GzipHeader");
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private final long directBytesBefore = directBytes();
    private final Queue<ByteBuf> lent = new ConcurrentLinkedQueue<>();

    CacheHouse() {
        this(1_000_000, 100_000);
    }

    CacheHouse(long storeBytes, long transitBytes) {
        this(storeBytes, transitBytes, false);
    }

    /**
     * @param isBySize whether the store admits responses by their size
     */
    CacheHouse(long storeBytes, long transitBytes, boolean isBySize) {
        transit = new InFlightBudget(transitBytes);
        store = new PageStore(storeBytes, isBySize, transit, time::now, time::ticks);
        tiers = new LowerTiers(store, transit, HEADS, time);
        tier = tiers.disk();
        coalescer = new Coalescer(store, tiers, hitForMiss, transit, HEADS, time, events);
    }

    static RouteCacheRules rules(EsiProcessing esi) {
        return rules(esi, Settings.DEFAULT);
    }

    static RouteCacheRules rules(EsiProcessing esi, Settings settings) {
        return new RouteCacheRules(settings, esi, documents(false), MAX_OBJECT_BYTES);
    }

    static DocumentRules documents(boolean isStrict) {
        return documents(isStrict, MAX_DOCUMENT_BYTES);
    }

    static DocumentRules documents(boolean isStrict, long maxBytes) {
        return new DocumentRules(
                Set.of("text/html"),
                ReferenceResolver.OWN_AUTHORITY,
                maxBytes,
                MAX_INCLUDES,
                ParseOptions.STANDARD,
                isStrict);
    }

    /**
     * Settings under which a 5xx response may be replaced by one that is stale for {@code time}.
     */
    static Settings staleIfError(Duration time) {
        return new Settings(Duration.ZERO, time, time, true, false, "quire");
    }

    static RequestHead get(String... fields) {
        return get(Fields.of(fields));
    }

    static VariantRequest variant(RequestHead request) {
        return SentRequest.of(request)::isSelectedBy;
    }

    static RequestHead get(Fields fields) {
        return new RequestHead("GET", PAGE.scheme(), PAGE.authority(), PAGE.target(), fields);
    }

    static RequestHead request(String method) {
        return new RequestHead(
                method, PAGE.scheme(), PAGE.authority(), PAGE.target(), Fields.EMPTY);
    }

    FetchResources surroundings() {
        return new FetchResources(
                store,
                tiers,
                hitForMiss,
                new RefreshPauses(time::now),
                transit,
                HEADS,
                time,
                events);
    }

    /** Bytes as from a socket; they must be released before this closes. */
    ByteBuf bytes(String text) {
        return bytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    ByteBuf bytes(byte[] bytes) {
        var lend = Unpooled.directBuffer(Math.max(bytes.length, 1)).writeBytes(bytes);
        lent.add(lend);
        return lend;
    }

    Taker reader(Loop loop, String... fields) {
        return new Taker(loop, get(fields), false);
    }

    Taker fragment(Loop loop, String... fields) {
        return new Taker(loop, get(fields), true);
    }

    ScriptedOrigin origin() {
        return new ScriptedOrigin(this, here);
    }

    FetchSubscription join(PreparedFetch origin, Taker taker) {
        return join(RULES, origin, null, taker);
    }

    FetchSubscription join(
            RouteCacheRules rules,
            PreparedFetch origin,
            @Nullable StoredResponse stale,
            Taker taker) {
        return new Loop(taker.loop())
                .call(() -> coalescer.join(PAGE, origin, rules, stale, () -> false, taker));
    }

    FetchSubscription fetchUncoalesced(PreparedFetch origin, Taker taker) {
        return new Loop(taker.loop())
                .call(() -> coalescer.fetchUncoalesced(PAGE, origin, RULES, taker));
    }

    FetchSubscription pass(RouteCacheRules rules, PreparedFetch origin, Taker taker) {
        return new Loop(taker.loop()).call(() -> coalescer.pass(PAGE, origin, rules, taker));
    }

    void leave(FetchSubscription subscription) {
        new Loop(subscription.loop()).run(subscription::leave);
        settle();
    }

    /** Stores the origin's response to {@code request}. */
    void stored(RouteCacheRules rules, String text, Fields request, String... head) {
        assertThat(fetched(rules, text, request, head).heard())
                .containsExactly("whole 200 " + text);
    }

    /** A stored ESI document consists of its text and its plan. */
    void storedDocument(String document, String... head) {
        var taker = fetched(rules(EsiProcessing.ON), document, Fields.EMPTY, head);
        assertThat(taker.stored().compiled()).isNotNull();
    }

    private Taker fetched(RouteCacheRules rules, String text, Fields request, String... head) {
        var origin = origin();
        var taker = new Taker(here, get(request), true);
        here.run(() -> coalescer.fetchUncoalesced(PAGE, origin, rules, taker));
        origin.attempt().head(200, head).data(text).end();
        return taker;
    }

    void stored(RouteCacheRules rules, String text, String... head) {
        stored(rules, text, Fields.EMPTY, head);
    }

    /** The stored response for {@code fields}; the caller owns one reference. */
    StoredResponse found(String... fields) {
        var found = store.find(PAGE, variant(get(fields)));
        if (found == null) {
            throw new AssertionError("nothing is stored");
        }
        return found;
    }

    /** The text stored for {@code fields}, or null. */
    @Nullable String textOf(String... fields) {
        var found = store.find(PAGE, variant(get(fields)));
        if (found == null) {
            return null;
        }
        var text = found.body().toString(StandardCharsets.ISO_8859_1);
        found.release();
        return text;
    }

    void refresh(RouteCacheRules rules, PreparedFetch origin) {
        here.run(() -> {
            var stale = found();
            coalescer.refreshLater(
                    PAGE, SentRequest.of(get()), here.events(), origin, rules, stale);
            stale.release();
        });
    }

    /** Fetches for {@code request} as in the background, with a lease if that is granted. */
    void fetch(RouteCacheRules rules, ScriptedOrigin origin, SentRequest request) {
        here.run(() -> {
            var order =
                    new FetchOrder(
                            PAGE,
                            request,
                            here.events(),
                            origin,
                            rules,
                            FetchOrder.Sharing.COALESCED,
                            true);
            new CoalescedFetch(order, null, surroundings(), closed -> {}).start(null);
        });
        settle();
    }

    /** Advances the loops' own clock and runs due timers. */
    void passOnLoops(Duration time) {
        ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
        settle();
    }

    /** Runs the tasks of both loops until idle. */
    void settle() {
        for (int i = 0; i < 3; i++) {
            here.run(() -> {});
            there.run(() -> {});
        }
    }

    /** It also waits for its own clock. */
    private void shutDown(Loop loop) {
        var stopped = loop.events().shutdownGracefully(0, 1, TimeUnit.SECONDS);
        while (!stopped.awaitUninterruptibly(1)) {
            ticker.advance(1, TimeUnit.SECONDS);
        }
    }

    private EventLoop loop() {
        return new DefaultEventLoop() {
            @Override
            public Ticker ticker() {
                return ticker;
            }
        };
    }

    /**
     * All tests share one counter, and threads of earlier tests may release memory late: waits for
     * that.
     */
    private long directBytesOnceSettled() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (directBytes() > directBytesBefore && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        return directBytes();
    }

    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    @Override
    public void close() {
        settle();
        store.close();
        shutDown(here);
        shutDown(there);
        assertThat(lent).allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(transit.usedBytes()).isZero();
        assertThat(coalescer.waiting()).isZero();
        assertThat(directBytesOnceSettled()).isLessThanOrEqualTo(directBytesBefore);
    }
}
