package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.Bans.tag;
import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Fields;
import dev.quire.core.rule.HostPattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BansTest {
    private static final String FRESH = "max-age=60";
    private static final BanCondition POLL = tag("poll");

    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void banIsSeenByTheVeryNextLook() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        assertThat(house.textOf()).isEqualTo("page");

        house.store.invalidations().ban(POLL);

        assertThat(house.textOf()).isNull();
        assertThat(house.store.hasVariants(PAGE)).isFalse();
        assertThat(house.store.invalidations().bans())
                .singleElement()
                .extracting(Ban::hidden)
                .isEqualTo(1L);
    }

    @Test
    void whatIsFetchedAfterABanIsNotHidden() {
        house.store.invalidations().ban(POLL);

        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");

        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.store.invalidations().hiddenByBans()).isZero();
    }

    @Test
    void whatAFetchBringsThatBeganBeforeTheBanIsNotStored() {
        var origin = house.origin();
        var asker = house.fragment(house.here);
        var follower = house.fragment(house.here);
        house.join(origin, asker);
        origin.attempt().head(200, "Cache-Control", FRESH, "Cache-Tag", "poll").data("old");

        house.store.invalidations().ban(POLL);
        house.join(origin, follower);
        origin.attempt().end();

        assertThat(asker.heard()).containsExactly("whole 200 old");
        assertThat(follower.heard()).containsExactly("again");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void whatABanHidesStandsInForNothing() {
        house.stored(
                RULES, "page", "Cache-Control", "max-age=1, stale-if-error=60", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(2));
        var origin = house.origin();
        var asker = house.fragment(house.here);
        house.join(RULES, origin, house.found(), asker);

        house.store.invalidations().ban(path("^/page$"));
        origin.attempt().head(304, "ETag", "\"a\"");

        assertThat(asker.heard()).containsExactly("whole 200 page");
        assertThat(house.textOf()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "news.example, page, poll, text/html, 200, true",
        "*.example, ^/pa, poll, text/*, 200, true",
        "*, /page$, poll, TEXT/HTML, 200, true",
        "other.example, page, poll, text/html, 200, false",
        "news.example, ^page, poll, text/html, 200, false",
        "news.example, page, pol, text/html, 200, false",
        "news.example, page, poll, text/plain, 200, false",
        "news.example, page, poll, text/html, 404, false",
    })
    void banHidesWhatMeetsAllOfIt(
            String host, String path, String tag, String type, int status, boolean isHidden) {
        house.stored(
                RULES,
                "page",
                "Cache-Control",
                FRESH,
                "Cache-Tag",
                "other,poll",
                "Content-Type",
                "text/html; charset=utf-8");
        var condition =
                new BanCondition(
                        Optional.of(new HostPattern(host)),
                        Optional.of(SearchPattern.of(path, 100)),
                        Optional.of(tag),
                        Optional.of(type),
                        Optional.of(status),
                        Optional.empty());

        long would = house.store.count(condition);
        house.store.invalidations().ban(condition);

        assertThat(would).isEqualTo(isHidden ? 1 : 0);
        assertThat(house.textOf()).isEqualTo(isHidden ? null : "page");
    }

    @Test
    void banOnAgeSparesWhatCameLately() {
        house.stored(RULES, "old", Fields.of("X-Ed", "a"), varying());
        house.time.pass(Duration.ofSeconds(30));
        house.stored(RULES, "new", Fields.of("X-Ed", "b"), varying());

        house.store.invalidations().ban(olderThan(Duration.ofSeconds(20)));
        house.time.pass(Duration.ofSeconds(25));

        assertThat(house.textOf("X-Ed", "a")).isNull();
        assertThat(house.textOf("X-Ed", "b")).isEqualTo("new");
    }

    @Test
    void banWithoutAnyConditionIsRefused() {
        assertThatThrownBy(() ->
                        new BanCondition(
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()))
                .hasMessageContaining("at least one condition");
    }

    @Test
    void olderVariantAnswersWhenTheNewerOneIsHidden() {
        house.stored(RULES, "for all", "Cache-Control", FRESH);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "for a", Fields.of("X-Ed", "a"), varying("Cache-Tag", "poll"));

        house.store.invalidations().ban(POLL);

        assertThat(house.textOf("X-Ed", "a")).isEqualTo("for all");
    }

    @Test
    void sameBanAgainTakesThePlaceOfTheFirst() {
        house.stored(RULES, "one", "Cache-Control", FRESH, "Cache-Tag", "poll");
        house.store.invalidations().ban(POLL);
        assertThat(house.textOf()).isNull();
        house.stored(RULES, "two", "Cache-Control", FRESH, "Cache-Tag", "poll");

        house.store.invalidations().ban(tag("poll"));

        assertThat(house.textOf()).isNull();
        assertThat(house.store.invalidations().bans())
                .singleElement()
                .satisfies(ban -> {
                    assertThat(ban.number()).isEqualTo(2);
                    assertThat(ban.hidden()).isEqualTo(2);
                });
    }

    @Test
    void hundredThousandBansAreTenThousand() {
        int taken = 0;
        for (int i = 0; i < 100_000; i++) {
            taken += house.store.invalidations().ban(tag("tag" + i % 20_000)).isPresent() ? 1 : 0;
        }

        assertThat(house.store.invalidations().banCount()).isEqualTo(Invalidations.MAX_BANS);
        assertThat(house.store.invalidations().ban(tag("one more"))).isEmpty();
        assertThat(house.store.invalidations().ban(tag("tag0"))).isPresent();
        assertThat(taken).isEqualTo(50_000);
    }

    @Test
    void storedResponseIsTestedAgainstEachBanOnce() throws Exception {
        house.stored(RULES, "page", "Cache-Control", FRESH);
        for (int i = 0; i < Invalidations.MAX_BANS; i++) {
            house.store.invalidations().ban(tag("tag" + i));
        }
        var found = house.found();
        long tested = found.testedUpTo();
        found.release();

        house.store.invalidations().ban(tag("tag0"));
        house.found().release();

        assertThat(tested).isEqualTo(Invalidations.MAX_BANS);
        assertThat(found.testedUpTo()).isEqualTo(Invalidations.MAX_BANS + 1);
    }

    @Test
    void sweepDropsWhatIsHiddenAndCompletesTheBan() throws Exception {
        house.stored(RULES, "a", Fields.of("X-Ed", "a"), varying("Cache-Tag", "poll"));
        house.stored(RULES, "b", Fields.of("X-Ed", "b"), varying());
        house.store.invalidations().ban(POLL);

        sweep();

        var kept = new ArrayList<String>();
        house.store.forEach(each -> kept.add(each.selecting().fields().getFirst().value()));
        assertThat(kept).containsExactly("b");
        assertThat(house.store.invalidations().banCount()).isZero();
        assertThat(house.store.invalidations().bans())
                .singleElement()
                .satisfies(ban -> {
                    assertThat(ban.isCompleted()).isTrue();
                    assertThat(ban.hidden()).isEqualTo(1);
                });
    }

    @Test
    void banStandsUntilTheFetchesThatBeganBeforeItHaveEnded() throws Exception {
        var origin = house.origin();
        house.fetchUncoalesced(origin, house.fragment(house.here));
        house.store.invalidations().ban(POLL);

        sweep();
        assertThat(house.store.invalidations().banCount()).isEqualTo(1);
        origin.attempt().head(200, "Cache-Control", FRESH, "Cache-Tag", "poll").end();
        sweep();

        assertThat(house.textOf()).isNull();
        assertThat(house.store.invalidations().banCount()).isZero();
    }

    @Test
    void answerThatFlowsPastHoldsNoBanUp() throws Exception {
        var origin = house.origin();
        house.fetchUncoalesced(origin, house.reader(house.here));
        house.store.invalidations().ban(POLL);
        origin.attempt().head(200, "Cache-Control", "no-store").data("for ever");

        sweep();

        assertThat(house.store.invalidations().banCount()).isZero();
        origin.attempt().end();
    }

    @Test
    void copyThatASoftPurgeMakesIsTestedAsTheOriginal() throws Exception {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");
        house.store.invalidations().ban(tag("other"));
        house.found().release();

        house.store.purge(Purge.of(PAGE), true);
        house.store.invalidations().ban(POLL);

        assertThat(house.store.count(Purge.of(PAGE)).all()).isZero();
        assertThat(house.textOf()).isNull();
        assertThat(house.store.invalidations().hiddenByBans()).isEqualTo(1);
    }

    @Test
    void liftedBanHidesNothingMoreAndBringsNothingBack() {
        house.stored(RULES, "a", Fields.of("X-Ed", "a"), varying("Cache-Tag", "poll"));
        house.stored(RULES, "b", Fields.of("X-Ed", "b"), varying("Cache-Tag", "poll"));
        long number = house.store.invalidations().ban(POLL).orElseThrow();
        assertThat(house.textOf("X-Ed", "a")).isNull();

        assertThat(house.store.invalidations().lift(number)).isTrue();

        assertThat(house.textOf("X-Ed", "a")).isNull();
        assertThat(house.textOf("X-Ed", "b")).isEqualTo("b");
        assertThat(house.store.invalidations().lift(number)).isFalse();
    }

    @Test
    void purgeCountsNothingThatABanHasHidden() {
        house.stored(RULES, "page", "Cache-Control", FRESH, "Cache-Tag", "poll");

        house.store.invalidations().ban(POLL);

        assertThat(house.store.count(Purge.of(PAGE)).all()).isZero();
        assertThat(house.store.purge(Purge.of(PAGE), true).all()).isZero();
    }

    /** Random histories against the plain rule: a response is hidden if a later ban covers it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsFoundIsWhatNoLaterBanCovers(long seed) throws Exception {
        var random = new Random(seed);
        var tags = new HashMap<Integer, Integer>();

        for (int step = 1; step <= 400; step++) {
            int edition = random.nextInt(12);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    int tag = random.nextInt(5);
                    house.time.pass(Duration.ofNanos(1));
                    house.stored(
                            RULES,
                            "x",
                            Fields.of("X-Ed", "" + edition),
                            varying("Cache-Tag", "t" + tag));
                    tags.put(edition, tag);
                }
                case 3, 4 -> {
                    int tag = random.nextInt(5);
                    house.store.invalidations().ban(tag("t" + tag));
                    tags.entrySet().removeIf(each -> each.getValue() == tag);
                }
                case 5 -> sweep();
                case 6 -> house.store.purge(Purge.of(PAGE), true);
                default -> {
                    var found = house.textOf("X-Ed", "" + edition) != null;
                    assertThat(found)
                            .as("edition %s in step %s", edition, step)
                            .isEqualTo(tags.containsKey(edition));
                }
            }
        }
        for (int edition = 0; edition < 12; edition++) {
            assertThat(house.textOf("X-Ed", "" + edition) != null)
                    .isEqualTo(tags.containsKey(edition));
        }
    }

    private void sweep() throws InterruptedException {
        house.store.sweep(1, () -> {});
    }

    private static BanCondition path(String expression) {
        return new BanCondition(
                Optional.empty(),
                Optional.of(SearchPattern.of(expression, 100)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static BanCondition olderThan(Duration time) {
        return new BanCondition(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(time));
    }

    private static String[] varying(String... more) {
        var head = new ArrayList<>(List.of("Cache-Control", FRESH, "Vary", "X-Ed"));
        head.addAll(List.of(more));
        return head.toArray(String[]::new);
    }
}
