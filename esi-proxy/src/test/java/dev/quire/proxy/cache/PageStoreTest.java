package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.rule.PathPattern;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageStoreTest {
    private static final int VARIANTS = Integer.getInteger("quire.variants", 10_000);
    private static final String FRESH = "max-age=60";
    private static final CacheKey MENU = new CacheKey(PAGE.scheme(), PAGE.authority(), "/menu");

    private CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void responseIsFoundUntilItsLastClockHasRunOut() {
        house.stored(RULES, "page", "Cache-Control", FRESH);

        house.time.pass(Duration.ofSeconds(119));
        assertThat(house.textOf()).isEqualTo("page");
        house.time.pass(Duration.ofSeconds(1));

        assertThat(house.textOf()).isNull();
        assertThat(house.store.hasVariants(PAGE)).isFalse();
    }

    @Test
    void responseThatCanBeValidatedIsKeptAnHourLonger() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "ETag", "\"a\"");

        house.time.pass(Duration.ofSeconds(3_600 + 119));
        assertThat(house.textOf()).isEqualTo("page");
        house.time.pass(Duration.ofSeconds(1));

        assertThat(house.textOf()).isNull();
    }

    @Test
    void replacementGetsItsOwnTime() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        house.time.pass(Duration.ofSeconds(100));
        house.stored(RULES, "new", "Cache-Control", FRESH);

        house.time.pass(Duration.ofSeconds(100));

        assertThat(house.textOf()).isEqualTo("new");
        assertThat(house.store.size()).isEqualTo(1);
    }

    @Test
    void newerVariantStaysWithoutAnOlderOneOfItsRequests() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        house.time.pass(Duration.ofSeconds(1));
        var edition = Fields.of("X-Ed", "1");
        house.stored(RULES, "new", edition, "Cache-Control", FRESH, "Vary", "X-Ed");
        var old = house.found();

        house.store.drop(old);

        assertThat(house.textOf()).isNull();
        assertThat(house.textOf("X-Ed", "1")).isEqualTo("new");
        old.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void purgeOfAUrlCountsAndReachesEveryKeyOfIt(boolean isSoft) {
        var phone = PAGE.with(List.of(new CacheKey.Part("device", "phone")));
        var tablet = PAGE.with(List.of(new CacheKey.Part("device", "tablet")));
        var others = MENU.with(List.of(new CacheKey.Part("device", "phone")));
        List.of(PAGE, phone, tablet, others).forEach(this::storeUnder);
        var purge = Purge.of(List.of(phone));

        long would = house.store.count(purge).urls();
        long did = house.store.purge(purge, isSoft).urls();

        assertThat(would).isEqualTo(3);
        assertThat(did).isEqualTo(3);
        assertThat(freshUnder(PAGE, phone, tablet)).isZero();
        assertThat(freshUnder(others)).isEqualTo(1);
        assertThat(house.store.size()).isEqualTo(isSoft ? 4 : 1);
    }

    private void storeUnder(CacheKey key) {
        var freshness =
                new Freshness(
                        house.time.now(),
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        Duration.ZERO,
                        false);
        var response =
                new StoredResponse(
                        StoredContent.of(
                                key,
                                new ResponseHead(200, "", Fields.EMPTY),
                                StoredHead.NONE,
                                Unpooled.EMPTY_BUFFER,
                                freshness,
                                SelectingFields.of(Fields.EMPTY, SentRequest.of(CacheHouse.get())),
                                true));
        var fetch = house.store.invalidations().open(CacheHouse.get());
        assertThat(house.store.put(response, null, fetch, null)).isTrue();
        house.store.invalidations().close(fetch);
        response.release();
    }

    private long freshUnder(CacheKey... keys) {
        long fresh = 0;
        for (var key : keys) {
            var found = house.store.find(key, CacheHouse.variant(CacheHouse.get()));
            if (found != null) {
                if (found.freshness().remainingAt(house.time.now()).isPositive()) {
                    fresh++;
                }
                found.release();
            }
        }
        return fresh;
    }

    @Test
    void readerKeepsItsBytesThoughTheEntryIsEvicted() {
        house.stored(RULES, "page", "Cache-Control", FRESH);
        var found = house.found();
        var slice = found.body().retainedSlice();
        found.release();

        house.store.purge(Purge.of(PAGE), false);

        assertThat(found.tryRetain()).isFalse();
        assertThat(slice.toString(StandardCharsets.ISO_8859_1)).isEqualTo("page");
        assertThat(slice.release()).isTrue();
    }

    @Test
    void whatReadersHoldAfterItHasLeftTheStoreCountsAsInTransit() {
        house.stored(RULES, "page", "Cache-Control", FRESH);
        var found = house.found();

        house.store.purge(Purge.of(PAGE), false);
        assertThat(house.transit.usedBytes()).isEqualTo(found.weightBytes());
        found.release();

        assertThat(house.transit.usedBytes()).isZero();
    }

    @Test
    void whatIsReplacedByItsOwnRenewalIsNotCountedTwice() {
        house.stored(RULES, "page", "Cache-Control", FRESH);

        house.store.purge(Purge.of(PAGE), true);

        assertThat(house.transit.usedBytes()).isZero();
    }

    @Test
    void whatThereIsNoRoomForGoesAndIsReleased() {
        house.close();
        house = new CacheHouse(20_000, 100_000);

        for (int i = 0; i < 100; i++) {
            var origin = house.origin();
            var key = new CacheKey(PAGE.scheme(), PAGE.authority(), "/page/" + i);
            house.here.run(() ->
                    house.coalescer.fetchUncoalesced(
                            key, origin, RULES, house.fragment(house.here)));
            origin.attempt().head(200, "Cache-Control", FRESH).data("x".repeat(900)).end();
        }

        assertThat(house.store.weightBytes()).isBetween(10_000L, 20_000L);
        assertThat(house.store.evictions()).isGreaterThan(80);
        assertThat(house.store.size()).isLessThan(20);
    }

    @Test
    void weightIsThatOfEverythingKept() {
        house.stored(RULES, "x".repeat(500), "Cache-Control", FRESH);
        long plain = house.store.weightBytes();
        house.stored(
                RULES,
                "x".repeat(500),
                "Cache-Control",
                FRESH,
                "Surrogate-Key",
                "t".repeat(200),
                "X-Long",
                "l".repeat(3_000));
        long withFields = house.store.weightBytes();
        house.storedDocument(
                "<esi:include src='/a'/>".repeat(20) + " ".repeat(40),
                "Content-Type",
                "text/html",
                "Cache-Control",
                FRESH);
        long withPlan = house.store.weightBytes();

        assertThat(plain).isBetween(1_200L, 2_000L);
        assertThat(withFields - plain).isBetween(3_400L, 4_500L);
        assertThat(withPlan - plain).isGreaterThan(20L * 150);
    }

    @Test
    void variantsAreWeighedTogetherWithWhatSelectsThem() {
        house.stored(RULES, "a", Fields.of("X-Ed", "a".repeat(5_000)), varyingHead());
        long one = house.store.weightBytes();
        house.stored(RULES, "b", Fields.of("X-Ed", "b".repeat(5_000)), varyingHead());

        assertThat(one).isGreaterThan(5_000);
        assertThat(house.store.weightBytes()).isBetween(2 * one - 300, 2 * one);
        assertThat(house.textOf("X-Ed", "a".repeat(5_000))).isEqualTo("a");
    }

    @Test
    void moreThanSixtyFourVariantsDropTheOldest() {
        for (int i = 0; i < 70; i++) {
            house.stored(RULES, "edition " + i, Fields.of("X-Ed", "" + i), varyingHead());
            house.time.pass(Duration.ofMillis(1));
        }

        var kept = new ArrayList<String>();
        house.store.forEachVariant(
                PAGE, each -> kept.add(each.body().toString(StandardCharsets.ISO_8859_1)));
        assertThat(kept).hasSize(64).startsWith("edition 69").endsWith("edition 6");
        assertThat(house.textOf("X-Ed", "5")).isNull();
    }

    @Test
    void anyNumberOfVariantsTakesTheRoomOfSixtyFour() {
        long weightOfSixtyFour = 0;
        for (int i = 0; i < VARIANTS; i++) {
            house.stored(
                    RULES, "edition", Fields.of("X-Ed", String.format("%06d", i)), varyingHead());
            if (i == 63) {
                weightOfSixtyFour = house.store.weightBytes();
            }
        }

        var kept = new AtomicInteger();
        house.store.forEachVariant(PAGE, each -> kept.incrementAndGet());
        assertThat(kept).hasValue(64);
        assertThat(house.store.weightBytes()).isEqualTo(weightOfSixtyFour);
        assertThat(house.store.size()).isEqualTo(1);
    }

    @Test
    void ofSeveralThatMatchTheOneWithTheNewestDateAnswers() {
        house.stored(
                RULES,
                "newer",
                "Cache-Control",
                FRESH,
                "Vary",
                "X-Ed",
                "Date",
                "Fri, 20 Nov 2026 12:00:00 GMT");
        house.time.pass(Duration.ofSeconds(1));

        house.stored(
                RULES,
                "older",
                Fields.of("X-Ed", "1"),
                "Cache-Control",
                FRESH,
                "Date",
                "Fri, 20 Nov 2026 11:59:50 GMT");

        assertThat(house.textOf()).isEqualTo("newer");
        assertThat(house.textOf("X-Ed", "1")).isEqualTo("older");
    }

    @Test
    void answerThatWasOvertakenDoesNotReplaceTheNewerOne() {
        var slow = house.origin();
        house.fetchUncoalesced(slow, house.fragment(house.here));
        slow.attempt().head(200, "Cache-Control", FRESH).data("ol");
        house.time.pass(Duration.ofSeconds(1));

        house.stored(RULES, "new", "Cache-Control", FRESH);
        slow.attempt().data("d").end();

        assertThat(house.textOf()).isEqualTo("new");
    }

    @Test
    void purgeDropsWhatAnyOfItsConditionsCovers() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        var none = new Purge(Set.of(), Set.of(), Set.of("other.example"), List.of());
        var tag = new Purge(Set.of(), Set.of("x", "poll"), Set.of(), List.of());
        var host = new Purge(Set.of(), Set.of(), Set.of("news.example"), List.of());
        var path = new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern("/p*")));

        assertThat(house.store.count(none).all()).isZero();
        assertThat(house.store.count(tag).all()).isEqualTo(1);
        assertThat(house.store.count(host).all()).isEqualTo(1);
        assertThat(house.store.count(path).all()).isEqualTo(1);
        assertThat(house.store.purge(none, false).all()).isZero();
        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.store.purge(path, false).all()).isEqualTo(1);
        assertThat(house.textOf()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatSeveralConditionsMeetCountsForTheFirst(boolean soft) {
        house.stored(RULES, "a", Fields.of("X-Ed", "a"), varyingHead("Cache-Tag", "poll"));
        house.stored(RULES, "b", Fields.of("X-Ed", "b"), varyingHead());
        var purge =
                new Purge(
                        Set.of(MENU),
                        Set.of("poll"),
                        Set.of("news.example"),
                        List.of(new PathPattern("/**")));

        assertThat(house.store.count(purge)).isEqualTo(new Covered(0, 1, 1, 0));
        assertThat(house.store.purge(purge, soft)).isEqualTo(new Covered(0, 1, 1, 0));
    }

    @Test
    void inlineDocumentsOfUnstampedTagsAreNeitherNotedNorStored() {
        house.storedDocument(
                "<esi:inline name='/menu' fetchable='yes'>menu</esi:inline>",
                "Content-Type",
                "text/html",
                "Cache-Control",
                FRESH);

        assertThat(house.store.hasVariants(MENU)).isFalse();
        assertThat(house.store.inlines().isEmpty()).isTrue();
        assertThat(house.store.count(Purge.of(PAGE)).all()).isEqualTo(1);
    }

    @Test
    void purgeByTagKeepsTheVariantsWithoutIt() {
        house.stored(RULES, "a", Fields.of("X-Ed", "a"), varyingHead("Cache-Tag", "poll"));
        house.stored(RULES, "b", Fields.of("X-Ed", "b"), varyingHead());

        house.store.purge(new Purge(Set.of(), Set.of("poll"), Set.of(), List.of()), false);

        assertThat(house.textOf("X-Ed", "a")).isNull();
        assertThat(house.textOf("X-Ed", "b")).isEqualTo("b");
    }

    @Test
    void softPurgeMakesStaleAndKeepsTheGrace() {
        house.stored(RULES, "page", "Cache-Control", "max-age=60, stale-while-revalidate=30");
        house.time.pass(Duration.ofSeconds(10));

        assertThat(house.store.purge(Purge.of(PAGE), true).all()).isEqualTo(1);

        var found = house.found();
        var freshness = found.freshness();
        assertThat(freshness.isFreshAt(house.time.now())).isFalse();
        assertThat(freshness.isStaleWithin(freshness.grace(), house.time.now())).isTrue();
        found.release();
        house.time.pass(Duration.ofSeconds(61));
        assertThat(house.textOf()).isNull();
    }

    @Test
    void purgeDuringManyFetchesLeavesNothingThatBeganBeforeIt() {
        var origins = new ArrayList<ScriptedOrigin>();
        for (int i = 0; i < 20; i++) {
            var origin = house.origin();
            house.fetchUncoalesced(origin, house.fragment(house.here));
            origins.add(origin);
        }

        for (int i = 0; i < 20; i++) {
            origins.get(i).attempt().head(200, "Cache-Control", FRESH).data("x").end();
            if (i == 10) {
                house.store.invalidate(PAGE, CacheHouse.request("POST"));
            }
        }

        assertThat(house.textOf()).isNull();
    }

    private static String[] varyingHead(String... more) {
        var head = new ArrayList<>(List.of("Cache-Control", FRESH, "Vary", "X-Ed"));
        head.addAll(List.of(more));
        return head.toArray(String[]::new);
    }
}
