package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.ResponseRules;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The store that admits responses by their size. */
class FullStoreTest {
    private static final long STORE_BYTES = 1_000_000;
    private static final long FULL_BYTES = 950_000;
    private static final String FRESH = "max-age=60";
    private static final String[] HEAD = {"Cache-Control", FRESH};
    private static final RouteCacheRules RECORDED =
            RULES.recorded(ResponseRules.NONE, CacheHouse.REQUESTS);

    /** Of the mean weight. */
    private static final String[] FILLING = {"Cache-Control", FRESH, "X-Long", "l".repeat(9_000)};

    /** More than the mean weight, with its fields. */
    private static final String[] VARYING = {
        "Cache-Control", FRESH, "Vary", "X-Ed", "X-Long", "l".repeat(10_000)
    };

    /** About ten times the mean weight. */
    private static final String[] LARGE = {"Cache-Control", FRESH, "X-Long", "l".repeat(110_000)};

    private final CacheHouse house = new CacheHouse(STORE_BYTES, 1_000_000, true);

    @AfterEach
    void nothingIsLeftOver() {
        house.tier.end(Duration.ZERO);
        house.close();
    }

    @Test
    void storeThatIsNotFullKeepsAll() {
        request("large", LARGE);

        assertThat(house.textOf()).isEqualTo("large");
        assertThat(house.store.refused()).isZero();
    }

    @Test
    void fullStoreKeepsASmallResponseOfTheFirstRequest() {
        fill();

        request("small", HEAD);

        assertThat(house.textOf()).isEqualTo("small");
        assertThat(house.store.refused()).isZero();
    }

    @Test
    void fullStoreRefusesALargeResponseUntilItsKeyWasRequestedOften() {
        fill();

        for (int i = 1; i < 12; i++) {
            assertThat(request("large", LARGE).heard()).containsExactly("whole 200 large");
            assertThat(house.textOf()).isNull();
        }
        request("large", LARGE);

        assertThat(house.textOf()).isEqualTo("large");
        assertThat(house.store.refused()).isEqualTo(11);
        assertThat(house.events.seen()).hasSize(11).containsOnly("uncacheable ADMISSION");
    }

    @Test
    void requestsAreCoalescedThoughTheirResponseIsRefused() {
        fill();
        var origin = house.origin();
        var asker = house.fragment(house.here);
        var follower = house.fragment(house.there);
        var subscription = house.join(origin, asker);
        house.join(origin, follower);

        origin.attempt().head(200, LARGE).data("large").end();
        house.settle();

        assertThat(asker.heard()).containsExactly("whole 200 large");
        assertThat(follower.heard()).containsExactly("whole 200 large");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, true)).isTrue();
        assertThat(subscription.refusal()).isEqualTo("admission");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void followersLookAgainIfWhatIsRefusedWasPurgedMeanwhile() {
        fill();
        var origin = house.origin();
        var asker = house.fragment(house.here);
        var follower = house.fragment(house.there);
        house.join(origin, asker);
        house.join(origin, follower);

        house.store.purge(Purge.of(PAGE), false);
        origin.attempt().head(200, LARGE).data("large").end();
        house.settle();

        assertThat(asker.heard()).containsExactly("whole 200 large");
        assertThat(follower.heard()).containsExactly("again");
    }

    @Test
    void replacementIsKeptWhateverItsSize() {
        request("old", HEAD);
        fill();
        // Requested again, so that it is not evicted for another one.
        assertThat(house.textOf()).isEqualTo("old");

        request("new", LARGE);

        assertThat(house.textOf()).isEqualTo("new");
        assertThat(house.store.refused()).isZero();
    }

    @Test
    void furtherVariantIsWeighedWithThoseOfItsKey() {
        fill();
        house.store.requested(PAGE);
        house.store.requested(PAGE);

        request("first", PAGE, Fields.of("X-Ed", "1"), VARYING);
        request("second", PAGE, Fields.of("X-Ed", "2"), VARYING);

        assertThat(house.textOf("X-Ed", "1")).isEqualTo("first");
        assertThat(house.textOf("X-Ed", "2")).isNull();
        assertThat(house.store.refused()).isEqualTo(1);
    }

    @Test
    void olderVariantIsNotUsedInPlaceOfOneThatOnlyTheDiskKeeps() {
        expectDisk();
        house.stored(
                RECORDED, "old", Fields.of("X-Ed", "1"), "Cache-Control", FRESH, "Vary", "X-Ed");
        fill();
        assertThat(house.store.hasVariants(PAGE)).isTrue();
        house.time.pass(Duration.ofSeconds(1));

        house.stored(RECORDED, "large", LARGE);

        assertThat(house.store.refused()).isEqualTo(1);
        assertThat(house.textOf("X-Ed", "1")).isEqualTo("large");
    }

    /** The newer one is too brief for the disk. */
    @Test
    void refusedResponseThatANewerVariantHasOvertakenIsNotWritten() {
        expectDisk();
        fill();
        var slow = house.origin();
        var waiting = house.fragment(house.here);
        house.here.run(() -> house.coalescer.fetchUncoalesced(PAGE, slow, RECORDED, waiting));
        slow.attempt().head(200, LARGE).data("large");
        house.time.pass(Duration.ofSeconds(1));
        var edition = Fields.of("X-Ed", "1");
        house.stored(RECORDED, "new", edition, "Cache-Control", "max-age=5", "Vary", "X-Ed");

        slow.attempt().end();

        assertThat(waiting.heard()).containsExactly("whole 200 large");
        assertThat(house.store.refused()).isEqualTo(1);
        assertThat(house.tier.waitingBytes()).isZero();
        assertThat(house.textOf("X-Ed", "1")).isEqualTo("new");
        assertThat(house.textOf()).isNull();
    }

    /** Responses that are fresh for ten seconds wait for it. */
    private void expectDisk() {
        house.tier.limit(
                new RecordTier.Terms(
                        Duration.ofSeconds(10),
                        STORE_BYTES,
                        STORE_BYTES,
                        1,
                        Duration.ofSeconds(1),
                        Long.MAX_VALUE,
                        0));
        house.tier.expect(reason -> {});
    }

    @Test
    void refusedResponseOfALowerTierDropsOlderOnesThatRequestsWouldUseInItsPlace() {
        var otherEdition = dropped("2", VARYING);
        var anyEdition = dropped("1", LARGE);
        house.stored(RULES, "old", Fields.of("X-Ed", "1"), "Cache-Control", FRESH, "Vary", "X-Ed");
        fill();
        house.time.pass(Duration.ofSeconds(1));

        findNow(otherEdition);
        assertThat(house.textOf("X-Ed", "1")).isEqualTo("old");

        findNow(anyEdition);
        assertThat(house.textOf("X-Ed", "1")).isNull();
        assertThat(house.store.refused()).isEqualTo(2);
    }

    /** Returns a response that memory has no more. */
    private StoredResponse dropped(String edition, String... head) {
        house.stored(RULES, "large", Fields.of("X-Ed", edition), head);
        var response = house.found("X-Ed", edition);
        house.store.drop(response);
        return response;
    }

    /** A lower tier has {@code response}, received just now. */
    private void findNow(StoredResponse response) {
        var newest = response.with(StoredContent.justNow(house.time.now()));
        response.release();
        house.store.held().release(house.store.found(newest, key -> key, ""));
    }

    @Test
    void storeWithoutMemoryKeepsNothingAndRefusesNothing() {
        for (var isBySize : new boolean[] {false, true}) {
            house.store.limit(0, isBySize);

            assertThat(request("small", HEAD).heard()).containsExactly("whole 200 small");
            assertThat(house.textOf()).isNull();
            assertThat(house.store.weightBytes()).isZero();
            assertThat(house.store.refused()).isZero();
        }
    }

    @Test
    void storeLosesItsMemoryAndGetsItBack() {
        request("before", HEAD);

        house.store.limit(0, true);

        assertThat(house.textOf()).isNull();
        house.store.limit(STORE_BYTES, true);
        request("after", HEAD);
        assertThat(house.textOf()).isEqualTo("after");
    }

    @Test
    void storeThatAdmitsAllKeepsALargeResponseOfTheFirstRequest() {
        house.store.limit(STORE_BYTES, false);
        fill();

        request("large", LARGE);

        assertThat(house.textOf()).isEqualTo("large");
        assertThat(house.store.refused()).isZero();
    }

    @Test
    void admissionChangesWhileResponsesAreStored() {
        fill();
        long full = house.store.size();

        house.store.limit(STORE_BYTES, false);
        house.store.limit(STORE_BYTES, true);
        request("large", LARGE);

        assertThat(house.textOf()).isNull();
        assertThat(house.store.size()).isEqualTo(full);
    }

    /**
     * Stores responses of equal size, each requested three times, until the store is full. They are
     * so few that the counts of their keys hardly ever add to those of others.
     */
    private void fill() {
        for (int i = 0; house.store.weightBytes() < FULL_BYTES; i++) {
            var key = new CacheKey(PAGE.scheme(), PAGE.authority(), "/fill/" + i);
            house.store.requested(key);
            house.store.requested(key);
            request("x", key, Fields.EMPTY, FILLING);
        }
    }

    private Taker request(String text, String... head) {
        return request(text, PAGE, Fields.EMPTY, head);
    }

    /** Requests {@code key}, of which nothing that matches is stored, as a client does. */
    private Taker request(String text, CacheKey key, Fields fields, String... head) {
        var origin = house.origin();
        var taker = new Taker(house.here, CacheHouse.get(fields), true);
        house.here.run(() -> {
            house.store.requested(key);
            house.coalescer.fetchUncoalesced(key, origin, RULES, taker);
        });
        origin.attempt().head(200, head).data(text).end();
        return taker;
    }
}
