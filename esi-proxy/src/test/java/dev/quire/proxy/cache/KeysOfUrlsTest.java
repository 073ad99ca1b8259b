package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A key that rules extend is found by its URL as long as it is stored. Each test stores a response
 * while an older one under its key is being removed; the removal of the older one pauses after it
 * has left the store.
 */
@Timeout(30)
class KeysOfUrlsTest {
    private static final CacheKey PHONE = PAGE.with(List.of(new CacheKey.Part("device", "phone")));

    private final InFlightBudget transit = new InFlightBudget(1_000_000);
    private final AtomicReference<Runnable> whenAsked = new AtomicReference<>(() -> {});
    private final PageStore store =
            new PageStore(
                    1_000_000,
                    false,
                    transit,
                    () -> {
                        whenAsked.get().run();
                        return HandSetTime.NOON;
                    },
                    () -> 0);

    @AfterEach
    void nothingIsHeld() {
        store.close();
        assertThat(transit.usedBytes()).isZero();
    }

    @Test
    void responseStoredAfterAnotherWasRemovedIsFoundByItsUrl() {
        put(buffer(() -> put(Unpooled.EMPTY_BUFFER)));

        drop();

        assertThat(isStored()).isTrue();
        store.purge(Purge.of(PAGE), false);
        assertThat(isStored()).isFalse();
    }

    /** The key is noted, then forgotten for the removed response, then stored. */
    @Test
    void responseStoredWhileAnotherIsForgottenIsFoundByItsUrl() throws InterruptedException {
        var isStoring = new CountDownLatch(1);
        var isForgotten = new CountDownLatch(1);
        var storing = new Thread(() -> put(Unpooled.EMPTY_BUFFER));
        put(
                buffer(() -> {
                    storing.start();
                    await(isStoring);
                }));
        whenAsked.set(() -> {
            if (Thread.currentThread().equals(storing)) {
                isStoring.countDown();
                await(isForgotten);
            }
        });

        drop();
        isForgotten.countDown();
        storing.join();

        assertThat(isStored()).isTrue();
        store.purge(Purge.of(PAGE), false);
        assertThat(isStored()).isFalse();
    }

    private void put(ByteBuf body) {
        var freshness =
                new Freshness(
                        HandSetTime.NOON,
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        false);
        var response =
                new StoredResponse(
                        StoredContent.of(
                                PHONE,
                                new ResponseHead(200, "", Fields.EMPTY),
                                StoredHead.NONE,
                                body,
                                freshness,
                                SelectingFields.of(Fields.EMPTY, SentRequest.of(CacheHouse.get())),
                                true));
        var fetch = store.invalidations().open(CacheHouse.get());
        assertThat(store.put(response, null, fetch, null)).isTrue();
        store.invalidations().close(fetch);
        response.release();
    }

    private void drop() {
        var found = Objects.requireNonNull(store.find(PHONE, CacheHouse.variant(CacheHouse.get())));
        found.release();
        store.supersede(found);
    }

    private boolean isStored() {
        var found = store.find(PHONE, CacheHouse.variant(CacheHouse.get()));
        if (found != null) {
            found.release();
        }
        return found != null;
    }

    /** A body that runs {@code whenReleased} when its memory is given back. */
    private static ByteBuf buffer(Runnable whenReleased) {
        return new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 4, 4) {
            @Override
            protected void deallocate() {
                super.deallocate();
                whenReleased.run();
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
