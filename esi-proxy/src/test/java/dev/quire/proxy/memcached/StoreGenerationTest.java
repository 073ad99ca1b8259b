package dev.quire.proxy.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedPositions;
import dev.quire.proxy.exchange.Time;
import io.netty.channel.EventLoop;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The generation of the records, as several proxies see it. */
class StoreGenerationTest {
    private static final Duration BOUND = Duration.ofSeconds(1);
    private static final String KEY = "q1:generation";
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "example.com", "/a");

    private final MemcachedServer server = MemcachedServer.with();
    private final List<Node> nodes = new ArrayList<>();

    /** A proxy: its invalidations and what it knows of the generation. */
    private final class Node implements AutoCloseable {
        private final Time time = Time.system();
        private final OpenMemcached store =
                new OpenMemcached(OpenMemcached.settings(server.port()));
        private final Invalidations invalidations = Invalidations.empty(time::now);
        private final StoreGeneration generation;
        private final Set<CacheKey> removed = ConcurrentHashMap.newKeySet();
        private volatile boolean isRemoving = true;

        Node(Duration bound, Duration patience) {
            this(bound, patience, loop -> loop);
        }

        Node(Duration bound, Duration patience, UnaryOperator<EventLoop> seen) {
            generation =
                    new StoreGeneration(
                            store.servers,
                            seen.apply(store.loop()),
                            invalidations,
                            time,
                            bound,
                            patience,
                            url -> isRemoving && removed.add(url));
            generation.start();
            nodes.add(this);
        }

        Node() {
            this(BOUND, Duration.ofSeconds(10));
        }

        Node known() {
            await(generation::isKnown);
            return this;
        }

        /** The position of a response that is fetched now. */
        RecordPosition now() {
            return Objects.requireNonNull(position(invalidations.newest()));
        }

        @Nullable RecordPosition position(long begun) {
            return generation.position(invalidations.newest(), begun);
        }

        boolean uses(RecordPosition position) {
            return generation.of(position) != SharedPositions.UNKNOWN;
        }

        void unsafe(int number) {
            var url = new CacheKey(Scheme.HTTP, "a", "/" + number);
            generation.append(number, new InvalidationEntry.UrlEntry(url, time.now()));
        }

        void ban() throws Exception {
            ban("tag" + invalidations.newest());
            assertThat(invalidations.sync().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isEqualTo(Durability.DURABLE);
        }

        void ban(String tag) {
            var condition =
                    new BanCondition(
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of(tag),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty());
            assertThat(invalidations.ban(condition)).isPresent();
        }

        @Override
        public void close() {
            generation.close();
            store.close();
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).describedAs("in time").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(Node::close);
        server.close();
    }

    @Test
    void recordsOfUnsafeRequestsAreRemovedOnceTheGenerationIsKnown() {
        server.suspend();
        var one = new Node();
        one.unsafe(1);
        server.resume();

        await(() -> one.removed.size() == 1);
        assertThat(one.generation.isKnown()).isTrue();
    }

    @Test
    void recordsThatCannotBeRemovedWaitAndTooManyOutdateAll() {
        var one = new Node().known();
        long before = one.generation.number();
        one.isRemoving = false;
        IntStream.rangeClosed(1, 1_000).forEach(one::unsafe);
        one.isRemoving = true;
        await(() -> one.removed.size() == 1_000);
        assertThat(one.generation.number()).isEqualTo(before);

        one.isRemoving = false;
        IntStream.rangeClosed(1_001, 2_001).forEach(one::unsafe);

        await(() -> one.generation.isKnown() && one.generation.number() != before);
    }

    @Test
    void twoProxiesHaveOneGeneration() {
        var one = new Node().known();
        var other = new Node().known();

        assertThat(one.generation.number()).isEqualTo(other.generation.number()).isNotZero();
        assertThat(other.uses(one.now())).isTrue();
        assertThat(one.uses(new RecordPosition(one.generation.number() + 1, 0))).isFalse();
    }

    @Test
    void aBanEmptiesTheTierForTheOtherWithinTheBound() throws Exception {
        var one = new Node().known();
        var other = new Node().known();
        var before = other.now();

        one.ban();
        long since = System.nanoTime();

        assertThat(one.uses(before)).isFalse();
        await(() -> !other.uses(before));
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(BOUND.plusSeconds(2));
        other.known();
        assertThat(one.uses(other.now())).isTrue();
    }

    @Test
    void nothingIsKnownWhileAChangeIsPending() throws Exception {
        var one = new Node().known();
        var before = one.now();
        var loop = one.store.loop();
        loop.submit(
                        () -> {
                            one.ban("a");
                            assertThat(one.generation.isKnown()).isFalse();
                            assertThat(one.uses(before)).isFalse();
                            assertThat(one.position(Long.MAX_VALUE)).isNull();
                        })
                .get();

        one.known();
        assertThat(one.uses(before)).isFalse();
        assertThat(one.uses(one.now())).isTrue();
    }

    @Test
    void aFetchThatBeganBeforeThePurgeOfAnotherIsNotWritten() throws Exception {
        var one = new Node().known();
        var other = new Node().known();
        long begun = other.invalidations.newest();
        assertThat(other.position(begun)).isNotNull();

        one.ban();
        await(() -> other.generation.number() == one.generation.number());

        assertThat(other.position(begun)).isNull();
        assertThat(other.now()).isNotNull();
    }

    @Test
    void severalPurgesAtOnceAreOneChange() throws Exception {
        var one = new Node().known();
        var loop = one.store.loop();
        var seen = new HashSet<Long>();
        loop.submit(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                one.ban("tag" + i);
                            }
                        })
                .get();
        await(() -> {
            seen.add(one.generation.number());
            return one.generation.isKnown();
        });

        assertThat(seen).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void unsafeRequestsAndTheEndOfABanChangeNothing() throws Exception {
        var one = new Node().known();
        one.ban();
        long number = one.generation.number();
        var others = new RecordPosition(number, 0);
        long tested = one.generation.of(others);

        long ban = one.invalidations.bans().getFirst().number();
        assertThat(one.invalidations.lift(ban)).isTrue();
        await(one.generation::isKnown);
        assertThat(one.generation.number()).isEqualTo(number);
        assertThat(one.generation.of(others))
                .describedAs("records of others may be older than own entries")
                .isEqualTo(tested)
                .isLessThan(one.invalidations.newest());
        assertThat(one.generation.of(one.now()))
                .describedAs("own ones were tested")
                .isEqualTo(one.invalidations.newest());
    }

    @Test
    void groupsChangeTheGeneration() {
        var one = new Node().known();
        long number = one.generation.number();

        one.invalidations.invalidateGroups(URL, Set.of("poll"));

        one.known();
        assertThat(one.generation.number()).isNotEqualTo(number);
    }

    @Test
    void aLostGenerationIsReplaced() {
        var one = new Node().known();
        var other = new Node().known();
        var before = one.now();

        server.flush();

        await(() -> !one.uses(before) && !other.uses(before));
        one.known();
        other.known();
        await(() -> one.generation.number() == other.generation.number());
        assertThat(other.uses(one.now())).isTrue();
    }

    @Test
    void aValueThatIsNoGenerationIsReplaced() {
        var one = new Node().known();
        var before = one.now();

        server.set(KEY, "not a number ...");

        await(() -> !one.uses(before));
        one.known();
        assertThat(server.value(KEY)).matches("[0-9a-f]{16}");
    }

    @Test
    void withoutTheServerNothingIsUsedOnceTheBoundIsOver() {
        var one = new Node(Duration.ofMillis(300), Duration.ofSeconds(10)).known();
        var before = one.now();

        server.suspend();
        await(() -> !one.generation.isKnown());
        assertThat(one.uses(before)).isFalse();
        assertThat(one.position(Long.MAX_VALUE)).isNull();

        server.resume();
        one.known();
        assertThat(one.uses(before)).describedAs("it was not changed").isTrue();
    }

    @Test
    void aChangeIsMadeOnceTheServerIsBack() throws Exception {
        var one = new Node(BOUND, Duration.ofMillis(100)).known();
        var other = new Node().known();
        var before = one.now();
        server.suspend();

        one.ban("a");
        assertThat(one.invalidations.sync().toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isEqualTo(Durability.NOT_DURABLE);
        assertThat(one.generation.isPending()).isTrue();

        server.resume();
        await(() -> !one.generation.isPending());
        await(() -> !other.uses(before));
        assertThat(one.invalidations.undurable()).isEqualTo(1);
        assertThat(one.uses(before)).isFalse();
    }

    @Test
    void attemptsDoNotPileUpWhileTheServerIsAway() {
        var scheduled = new AtomicInteger();
        var one = new Node(BOUND, Duration.ofMillis(100), loop -> counting(loop, scheduled));
        one.known();
        server.kill();
        await(() -> !one.store.servers.of(KEY).isUsable());

        for (int i = 0; i < 200; i++) {
            one.ban("tag" + i);
        }
        int before = scheduled.get();
        long since = System.nanoTime();
        await(() -> System.nanoTime() - since > BOUND.toNanos());

        // Two ticks and ten retries, and as many for a machine that is late.
        assertThat(scheduled.get() - before).isBetween(5, 24);
    }

    /** Counts the tasks that are scheduled. */
    private static EventLoop counting(EventLoop loop, AtomicInteger scheduled) {
        return (EventLoop)
                Proxy.newProxyInstance(
                        EventLoop.class.getClassLoader(),
                        new Class<?>[] {EventLoop.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("schedule")) {
                                scheduled.incrementAndGet();
                            }
                            return method.invoke(loop, arguments);
                        });
    }

    @Test
    void aGenerationThatNoProxyReadsEnds() throws Exception {
        var one = new Node().known();
        one.ban();

        assertThat(server.lifetime(KEY)).isBetween(590L, 600L);
    }

    @Test
    void aChangeThatAKilledServerHasLostIsMadeAgain() throws Exception {
        var one = new Node().known();
        server.kill();
        one.ban("a");
        assertThat(one.generation.isKnown()).isFalse();

        server.start();

        one.known();
        assertThat(server.value(KEY)).matches("[0-9a-f]{16}");
    }

    @Test
    void proxiesThatPurgeAgainstEachOtherAgreeInTheEnd() throws Exception {
        var one = new Node().known();
        var other = new Node().known();
        for (int i = 0; i < 50; i++) {
            one.ban("one" + i);
            other.ban("other" + i);
        }

        await(() ->
                one.generation.isKnown()
                        && other.generation.isKnown()
                        && one.generation.number() == other.generation.number());
        assertThat(one.uses(other.now())).isTrue();
    }
}
