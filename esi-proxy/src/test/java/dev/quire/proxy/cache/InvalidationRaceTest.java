package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.rule.PathPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fetches, readers, soft purges and sweeps run beside invalidations of all kinds. */
class InvalidationRaceTest {
    private static final String FRESH = "max-age=60";
    private static final BanCondition EVERYTHING = BanCondition.of(BanPatterns.NONE);

    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void nothingOlderIsEverFoundOnceAnInvalidationHasReturned() throws Exception {
        var version = new AtomicLong();
        var invalidated = new AtomicLong();
        var isOver = new AtomicBoolean();
        try (var threads = Executors.newFixedThreadPool(6)) {
            List<Future<Void>> work = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                work.add(threads.submit(until(isOver, () -> fetch(version))));
                work.add(
                        threads.submit(
                                until(
                                        isOver,
                                        () -> {
                                            long least = invalidated.get();
                                            assertThat(versionFound())
                                                    .isGreaterThanOrEqualTo(least);
                                        })));
            }
            work.add(threads.submit(until(isOver, this::sweep)));
            work.add(threads.submit(until(isOver, () -> house.store.purge(Purge.of(PAGE), true))));
            for (int i = 0; i < 3_000; i++) {
                long next = version.incrementAndGet();
                invalidate(i);
                invalidated.set(next);
            }
            isOver.set(true);
            for (var each : work) {
                each.get(30, TimeUnit.SECONDS);
            }
        }

        sweep();

        assertThat(house.store.invalidations().banCount()).isZero();
    }

    /** One kind after the other. */
    private void invalidate(int i) {
        var store = house.store;
        switch (i % 7) {
            case 0 -> store.purge(Purge.of(PAGE), false);
            case 1 -> store.purge(purge(Set.of("poll"), List.of()), false);
            case 2 -> store.purgeUncounted(purge(Set.of("poll"), List.of()), false);
            case 3 -> store.purgeUncounted(purge(Set.of(), List.of(new PathPattern("/p*"))), false);
            case 4 -> store.invalidate(PAGE, CacheHouse.request("POST"));
            case 5 -> store.invalidations().invalidateGroups(PAGE, Set.of("group"));
            default -> store.invalidations().ban(EVERYTHING);
        }
    }

    private static Purge purge(Set<String> tags, List<PathPattern> paths) {
        return new Purge(Set.of(), tags, Set.of(), paths);
    }

    private void sweep() throws InterruptedException {
        house.store.sweep(1, () -> {});
    }

    /**
     * Like a fetch: it begins, the origin responds with the current edition, the response is
     * stored.
     */
    private void fetch(AtomicLong version) {
        var fetch = house.store.invalidations().open(CacheHouse.get());
        var admission =
                new ResponseAdmission(
                        PAGE, SentRequest.of(CacheHouse.get()), RULES, true, house.surroundings());
        var now = house.time.now();
        admission.begin(
                new ResponseHead(
                        200,
                        "",
                        Fields.of(
                                "Cache-Control",
                                FRESH,
                                "Cache-Tag",
                                "poll",
                                "Cache-Groups",
                                "\"group\"",
                                "X-Version",
                                Long.toString(version.get()))),
                new ResponseTimes(now, now, now),
                false);
        var response = admission.finish();
        house.store.put(response, null, fetch, null);
        response.release();
        house.store.invalidations().close(fetch);
    }

    private long versionFound() {
        var found = house.store.find(PAGE, CacheHouse.variant(CacheHouse.get()));
        if (found == null) {
            return Long.MAX_VALUE;
        }
        long version = Long.parseLong(String.valueOf(found.head().fields().first("X-Version")));
        found.release();
        return version;
    }

    private interface Step {
        void take() throws Exception;
    }

    private static Callable<Void> until(AtomicBoolean isOver, Step step) {
        return () -> {
            while (!isOver.get()) {
                step.take();
            }
            return null;
        };
    }
}
