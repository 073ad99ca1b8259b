package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.rule.PathPattern;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Concurrent operations on the store are linearizable. Lincheck generates the operations and
 * searches for a sequential order. Other tests of this package check that fetches, purges and
 * readers end properly in every order.
 */
class LinearizabilityTest {

    @Test
    void fetchThatBeganBeforeAPurgeNeverStores() {
        options().check(Fetches.class);
    }

    @Test
    void purgeOfAUrlFindsTheKeysThatRulesExtend() {
        options().check(KeyedFetches.class);
    }

    @Test
    void readersOfVariantsSeeWholeResponsesWhateverIsReplacedOrPurged() {
        options().check(Readers.class);
    }

    @Test
    void invalidationsOfAllKindsApplyInOneOrder() {
        options().check(Kinds.class);
    }

    @Test
    void noReaderSeesMemoryThatWasGivenBack() {
        options().check(References.class);
    }

    /** 15 to 25 seconds in total on two slow cores. */
    private static StressOptions options() {
        return new StressOptions()
                .iterations(25)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2);
    }

    /** On the heap: Lincheck creates many stores for comparison, and closes none of them. */
    private static StoredResponse response(int edition, Fields request) {
        return response(PAGE, edition, request);
    }

    private static StoredResponse response(CacheKey key, int edition, Fields request) {
        var vary = Fields.of("Vary", "X-Ed", "Cache-Tag", "tag", "Cache-Groups", "\"group\"");
        var freshness =
                new Freshness(
                        HandSetTime.NOON,
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        Duration.ZERO,
                        false);
        return new StoredResponse(
                StoredContent.of(
                        key,
                        new ResponseHead(200, "", vary),
                        StoredHead.NONE,
                        Unpooled.buffer(4, 4).writeInt(edition),
                        freshness,
                        SelectingFields.of(vary, SentRequest.of(CacheHouse.get(request))),
                        true));
    }

    private static PageStore store(InFlightBudget transit) {
        return new PageStore(
                1_000_000,
                false,
                transit,
                () -> HandSetTime.NOON,
                () -> PageStore.nanos(HandSetTime.NOON),
                new Invalidations(() -> HandSetTime.NOON, new HashedPositions(16, new Random(1))));
    }

    /** Each thread has a fetch, which begins and ends between purges. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static final class Fetches {
        private static final int MOST_THREADS = 8;

        private final InFlightBudget transit = new InFlightBudget(1_000_000);
        private final PageStore store = store(transit);
        private final AtomicReferenceArray<OrderedFetch> begun =
                new AtomicReferenceArray<>(MOST_THREADS);

        @Operation
        public void begin(@Param(name = "thread") int thread) {
            if (begun.get(thread) == null) {
                begun.set(thread, store.invalidations().open(CacheHouse.get()));
            }
        }

        /** The outcome of its response. */
        @Operation
        public String end(@Param(name = "thread") int thread) {
            var fetch = begun.getAndSet(thread, null);
            if (fetch == null) {
                return "not under way";
            }
            var response = response(thread, Fields.EMPTY);
            boolean isStored = store.put(response, null, fetch, null);
            response.release();
            store.invalidations().close(fetch);
            return isStored ? "stored" : "purged";
        }

        @Operation
        public void purge() {
            store.invalidate(PAGE, CacheHouse.request("POST"));
        }

        @Operation
        public boolean isStored() {
            var found = store.find(PAGE, CacheHouse.variant(CacheHouse.get()));
            if (found != null) {
                found.release();
            }
            return found != null;
        }

        @Validate
        public void nothingIsLeftOver() {
            store.close();
            if (transit.usedBytes() != 0) {
                throw new IllegalStateException(transit.usedBytes() + " bytes are held");
            }
        }
    }

    /**
     * Responses under two keys of one URL are stored, dropped one by one, and purged together. A
     * purge drops one key after the other, so no look-up runs beside it.
     */
    @Param(name = "value", gen = IntGen.class, conf = "1:2")
    public static final class KeyedFetches {
        private final InFlightBudget transit = new InFlightBudget(1_000_000);
        private final PageStore store = store(transit);

        @Operation
        public void fetch(@Param(name = "value") int value) {
            var fetch = store.invalidations().open(CacheHouse.get());
            var response = response(key(value), value, Fields.EMPTY);
            store.put(response, null, fetch, null);
            response.release();
            store.invalidations().close(fetch);
        }

        @Operation
        public void drop(@Param(name = "value") int value) {
            var found = store.find(key(value), CacheHouse.variant(CacheHouse.get()));
            if (found != null) {
                store.supersede(found);
                found.release();
            }
        }

        @Operation(nonParallelGroup = "looks")
        public void purge() {
            store.purge(Purge.of(PAGE), false);
        }

        @Operation(nonParallelGroup = "looks")
        public boolean isStored(@Param(name = "value") int value) {
            var found = store.find(key(value), CacheHouse.variant(CacheHouse.get()));
            if (found != null) {
                found.release();
            }
            return found != null;
        }

        private static CacheKey key(int value) {
            return PAGE.with(List.of(new CacheKey.Part("device", Integer.toString(value))));
        }

        @Validate
        public void nothingIsLeftOver() {
            store.close();
            if (transit.usedBytes() != 0) {
                throw new IllegalStateException(transit.usedBytes() + " bytes are held");
            }
        }
    }

    /** Two variants are replaced, dropped and read. */
    @Param(name = "variant", gen = IntGen.class, conf = "1:2")
    @Param(name = "edition", gen = IntGen.class, conf = "1:9")
    public static final class Readers {
        private final InFlightBudget transit = new InFlightBudget(1_000_000);
        private final PageStore store = store(transit);

        @Operation
        public void put(
                @Param(name = "variant") int variant, @Param(name = "edition") int edition) {
            boolean isStored = false;
            while (!isStored) {
                // A fetch overtaken by a purge is repeated, as for a reader.
                var fetch = store.invalidations().open(CacheHouse.get());
                var response = response(edition, request(variant));
                isStored = store.put(response, null, fetch, null);
                response.release();
                store.invalidations().close(fetch);
            }
        }

        /** The edition that is stored; 0 if nothing is stored. */
        @Operation
        public int read(@Param(name = "variant") int variant) {
            var found = store.find(PAGE, CacheHouse.variant(CacheHouse.get(request(variant))));
            if (found == null) {
                return 0;
            }
            int edition = found.body().getInt(0);
            found.release();
            return edition;
        }

        @Operation
        public void purge() {
            store.invalidate(PAGE, CacheHouse.request("POST"));
        }

        @Validate
        public void nothingIsLeftOver() {
            store.close();
            if (transit.usedBytes() != 0) {
                throw new IllegalStateException(transit.usedBytes() + " bytes are held");
            }
        }

        private static Fields request(int variant) {
            return Fields.of("X-Ed", Integer.toString(variant));
        }
    }

    /**
     * Fetches begin and end between invalidations. No look-up runs beside the end of one: while a
     * response is being stored, it may find nothing although a soft purge has left the response.
     */
    @Param(name = "thread", gen = ThreadIdGen.class)
    @Param(name = "isSoft", gen = BooleanGen.class)
    public static final class Kinds {
        private static final int MOST_THREADS = 8;
        private static final Purge TAG = new Purge(Set.of(), Set.of("tag"), Set.of(), List.of());
        private static final Purge PATH =
                new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern("/p*")));

        private final InFlightBudget transit = new InFlightBudget(1_000_000);
        private final PageStore store = store(transit);
        private final AtomicReferenceArray<OrderedFetch> begun =
                new AtomicReferenceArray<>(MOST_THREADS);

        @Operation
        public void begin(@Param(name = "thread") int thread) {
            if (begun.get(thread) == null) {
                begun.set(thread, store.invalidations().open(CacheHouse.get()));
            }
        }

        /** The outcome of its response. */
        @Operation(nonParallelGroup = "looks")
        public String end(@Param(name = "thread") int thread) {
            var fetch = begun.getAndSet(thread, null);
            if (fetch == null) {
                return "not under way";
            }
            var response = response(thread, Fields.EMPTY);
            boolean isStored = store.put(response, null, fetch, null);
            response.release();
            store.invalidations().close(fetch);
            return isStored ? "stored" : "purged";
        }

        @Operation
        public void purge(@Param(name = "isSoft") boolean isSoft) {
            store.purge(TAG, isSoft);
        }

        @Operation
        public void purgeUncounted(@Param(name = "isSoft") boolean isSoft) {
            store.purgeUncounted(PATH, isSoft);
        }

        @Operation
        public void ban() {
            store.invalidations().ban(BanCondition.of(BanPatterns.NONE));
        }

        @Operation
        public void invalidateGroup() {
            store.invalidations().invalidateGroups(PAGE, Set.of("group"));
        }

        @Operation(nonParallelGroup = "sweeps")
        public void sweep() throws InterruptedException {
            store.sweep(1, () -> {});
        }

        @Operation(nonParallelGroup = "looks")
        public String read() {
            var found = store.find(PAGE, CacheHouse.variant(CacheHouse.get()));
            if (found == null) {
                return "nothing";
            }
            boolean isFresh = found.freshness().isFreshAt(HandSetTime.NOON);
            found.release();
            return isFresh ? "fresh" : "stale";
        }

        @Validate
        public void nothingIsLeftOver() {
            store.close();
            if (transit.usedBytes() != 0) {
                throw new IllegalStateException(transit.usedBytes() + " bytes are held");
            }
        }
    }

    /** One response is read while it is evicted. */
    public static final class References {
        private static final int EDITION = 7;

        private final InFlightBudget transit = new InFlightBudget(1_000_000);
        private final StoredResponse response = response(EDITION, Fields.EMPTY);
        private final AtomicBoolean isEvicted = new AtomicBoolean();

        public References() {
            response.entersStore();
        }

        /** Whether a reader finds it intact, or not at all. */
        @Operation
        public boolean isWholeOrGone() {
            if (!response.tryRetain()) {
                return true;
            }
            int edition = response.body().getInt(0);
            response.release();
            return edition == EDITION;
        }

        @Operation
        public void evict() {
            if (isEvicted.compareAndSet(false, true)) {
                response.leavesStore(transit);
            }
        }

        @Validate
        public void nothingIsLeftOver() {
            evict();
            if (response.body().refCnt() != 0 || transit.usedBytes() != 0) {
                throw new IllegalStateException(transit.usedBytes() + " bytes are held");
            }
        }
    }
}
