package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.PathPattern;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InvalidationsTest {
    private static final RequestHead GET = CacheHouse.get();
    private static final String FRESH = "max-age=60, stale-while-revalidate=60";

    private final CacheHouse house = new CacheHouse();
    private final Invalidations log = log(HashedPositions.DEFAULT_COUNT);
    private final StoredResponse page =
            new StoredResponse(
                    StoredContent.ofOneClient(
                            PAGE, new ResponseHead(200, "", Fields.EMPTY), Unpooled.EMPTY_BUFFER));

    private Invalidations log(int positions) {
        return new Invalidations(house.time::now, new HashedPositions(positions, new Random(1)));
    }

    @AfterEach
    void nothingIsLeftOver() {
        page.release();
        house.close();
    }

    @Test
    void fetchThatBeganBeforeAPurgeIsRefusedAndALaterOneIsNot() {
        var before = log.open(GET);
        log.purge(Purge.of(PAGE), false, false);
        var after = log.open(GET);

        assertThat(log.isUsable(page, null, before)).isFalse();
        assertThat(log.isUsable(page, null, after)).isTrue();
    }

    @Test
    void unsafeRequestInvalidatesTheResponsesToOthersButNotItsOwn() {
        var post = CacheHouse.request("POST");
        var own = log.open(post);
        var twin = log.open(CacheHouse.request("POST"));

        log.invalidate(PAGE, post);

        assertThat(log.isUsable(page, null, own)).isTrue();
        assertThat(log.isUsable(page, null, twin)).isFalse();
    }

    @Test
    void responseToAnUnsafeRequestIsRefusedAfterAnInvalidationByAnother() {
        var first = CacheHouse.request("POST");
        var second = CacheHouse.request("POST");
        var ownOfFirst = log.open(first);
        var ownOfSecond = log.open(second);

        log.invalidate(PAGE, first);
        log.invalidate(PAGE, second);
        log.invalidate(PAGE, second);

        assertThat(log.isUsable(page, null, ownOfFirst)).isFalse();
        assertThat(log.isUsable(page, null, ownOfSecond)).isFalse();
    }

    @Test
    void collisionOfUrlsHidesOneResponseTooManyButNotTheOwn() {
        var collided = log(1);
        var post = CacheHouse.request("POST");
        var own = collided.open(post);
        var other = collided.open(GET);
        collided.invalidate(PAGE, post);
        var unrelated = collided.open(GET);

        assertThat(collided.isUsable(page, null, own)).isTrue();
        assertThat(collided.isUsable(page, null, other)).isFalse();
        collided.invalidate(key("/other"), null);
        assertThat(collided.isUsable(page, null, unrelated)).isFalse();
    }

    @Test
    void unsafeRequestsForgetNothing() {
        var before = log.open(GET);

        for (int i = 0; i < 100_000; i++) {
            log.invalidate(key("/login/" + i), null);
        }

        assertThat(log.isSweepDue()).isFalse();
        assertThat(log.isUsable(page, null, before)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true", "true, true", "false, false"})
    void softAndHardPurgesOfANameDoNotReplaceEachOther(boolean isFirstSoft, boolean isLastSoft) {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        var purge = tags("poll");

        house.store.purgeUncounted(purge, isFirstSoft);
        house.store.purgeUncounted(purge, isLastSoft);

        assertThat(stateFound()).isEqualTo(isFirstSoft && isLastSoft ? "stale" : "nothing");
    }

    @Test
    void responseBetweenAHardAndASoftPurgeBecomesStale() {
        house.store.purgeUncounted(tags("poll"), false);
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");

        house.store.purgeUncounted(tags("poll"), true);

        assertThat(stateFound()).isEqualTo("stale");
    }

    @Test
    void graceCountsFromTheSoftPurgeNotFromTheRequestThatFindsIt() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        house.store.purgeUncounted(tags("poll"), true);
        house.time.pass(Duration.ofSeconds(59));

        var found = house.found();

        var freshness = found.freshness();
        assertThat(freshness.remainingAt(house.time.now())).isEqualTo(Duration.ofSeconds(-59));
        found.release();
    }

    @ParameterizedTest
    @CsvSource({"poll, nothing", "vote, stale", "other, fresh"})
    void validationIsRefusedByAPurgeOfATagOfItsOldOrNewHead(String tag, String state) {
        house.stored(
                RULES, "page", "Cache-Control", "max-age=1", "ETag", "\"a\"", "Cache-Tag", "poll");
        house.time.pass(Duration.ofSeconds(2));
        var origin = house.origin();
        house.join(RULES, origin, house.found(), house.fragment(house.here));

        house.store.purge(tags(tag), false);
        origin.attempt().head(304, "Cache-Control", FRESH, "ETag", "\"a\"", "Cache-Tag", "vote");

        assertThat(stateFound()).isEqualTo(state);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void purgeWithoutACountHoldsAtOnceAndASweepFreesTheMemory(boolean isSoft) throws Exception {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");

        house.store.purgeUncounted(tags("poll"), isSoft);

        assertThat(house.store.size()).isEqualTo(1);
        assertThat(house.store.invalidations().isSweepDue()).isTrue();
        house.store.sweep(1, () -> {});
        assertThat(house.store.invalidations().isSweepDue()).isFalse();
        assertThat(house.store.size()).isEqualTo(isSoft ? 1 : 0);
        assertThat(stateFound()).isEqualTo(isSoft ? "stale" : "nothing");
    }

    @Test
    void fetchInFlightObeysAPurgeThatASweepCouldNotComplete() throws Exception {
        var origin = house.origin();
        house.fetchUncoalesced(origin, house.fragment(house.here));
        house.store.purgeUncounted(tags("poll"), false);

        house.store.sweep(1, () -> {});
        assertThat(house.store.invalidations().isSweepDue()).isTrue();
        origin.attempt().head(200, "Cache-Control", FRESH, "Cache-Tag", "poll").end();

        assertThat(stateFound()).isEqualTo("nothing");
    }

    @Test
    void purgeCountsTheResponsesThatRequestsFoundFirst() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        house.store.purgeUncounted(tags("poll"), false);

        assertThat(house.store.purge(tags("poll"), false)).isEqualTo(new Covered(0, 1, 0, 0));
        assertThat(house.store.purge(tags("poll"), false)).isEqualTo(Covered.NOTHING);
    }

    @Test
    void namesBeyondTheBoundHideWhatIsOlder() {
        house.stored(RULES, "page", "Cache-Control", FRESH);
        for (int i = 0; i < 40; i++) {
            house.store.purge(manyTags(i), false);
        }
        assertThat(stateFound()).isEqualTo("fresh");

        for (int i = 0; i < 100; i++) {
            house.store.purgeUncounted(manyTags(i), false);
            assertThat(house.store.invalidations().isSweepDue()).isTrue();
        }

        assertThat(stateFound()).isEqualTo("nothing");
        house.stored(RULES, "page", "Cache-Control", FRESH);
        assertThat(stateFound()).isEqualTo("fresh");
    }

    @Test
    void sweptNamesHideNothing() throws Exception {
        house.stored(RULES, "page", "Cache-Control", FRESH);
        for (int i = 0; i < 100; i++) {
            house.store.purgeUncounted(manyTags(i), false);
            house.store.sweep(1, () -> {});
        }

        assertThat(house.store.invalidations().isSweepDue()).isFalse();
        assertThat(stateFound()).isEqualTo("fresh");
    }

    @Test
    void patternsBeyondTheBoundHideWhatIsOlder() {
        var before = log.open(GET);
        for (int i = 0; i < Invalidations.MAX_PATTERNS; i++) {
            log.purge(path("/other/" + i), false, false);
        }
        assertThat(log.isUsable(page, null, before)).isTrue();

        log.purge(path("/one/more"), false, false);

        assertThat(log.isUsable(page, null, before)).isFalse();
        assertThat(log.isUsable(page, null, log.open(GET))).isTrue();
    }

    private String stateFound() {
        var found = house.store.find(PAGE, CacheHouse.variant(GET));
        return state(found);
    }

    private String state(@Nullable StoredResponse found) {
        if (found == null) {
            return "nothing";
        }
        boolean isFresh = found.freshness().isFreshAt(house.time.now());
        found.release();
        return isFresh ? "fresh" : "stale";
    }

    private static Purge tags(String... tags) {
        return new Purge(Set.of(), Set.of(tags), Set.of(), List.of());
    }

    private static Purge manyTags(int round) {
        return new Purge(
                Set.of(),
                IntStream.range(0, 1_000)
                        .mapToObj(i -> round + "-" + i)
                        .collect(Collectors.toSet()),
                Set.of(),
                List.of());
    }

    private static Purge path(String pattern) {
        return new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern(pattern)));
    }

    private static CacheKey key(String target) {
        return new CacheKey(Scheme.HTTP, "news.example", target);
    }
}
