package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static dev.quire.proxy.cache.CacheHouse.rules;
import static dev.quire.proxy.cache.CacheHouse.staleIfError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.http.Fields;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoalescerTest {
    private static final String FRESH = "max-age=60";

    private final CacheHouse house = new CacheHouse();
    private final ScriptedOrigin origin = house.origin();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void hundredsOfReadersOnTwoLoopsShareOneFetch() {
        var takers =
                IntStream.range(0, 600)
                        .mapToObj(i -> house.reader(i % 2 == 0 ? house.here : house.there))
                        .toList();
        takers.forEach(taker -> house.join(origin, taker));
        house.settle();
        assertThat(house.coalescer.waiting()).isEqualTo(600);

        origin.attempt().head(200, "Cache-Control", FRESH).data("one").data(" page").end();
        house.settle();

        assertThat(takers.get(0).heard())
                .containsExactly("head 200", "data one", "data  page", "end");
        assertThat(takers.subList(1, 600))
                .allMatch(taker -> taker.heard().equals(List.of("whole 200 one page")));
        assertThat(house.textOf()).isEqualTo("one page");
        assertThat(house.events.joined()).isEqualTo(599);
    }

    @Test
    void whatWasStoredSinceTheReaderLookedIsNotFetchedOnceMore() {
        var late = house.reader(house.here);
        var next = house.reader(house.here);

        house.here
                .events()
                .execute(() -> house.coalescer.join(PAGE, origin, RULES, null, () -> true, late));
        house.settle();
        house.join(origin, next);
        house.settle();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        house.settle();

        assertThat(late.heard()).containsExactly("again");
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void readersWhoJoinFromManyLoopsWhileTheAnswerComesAllGetIt() {
        var takers = new ArrayList<Taker>();
        house.join(origin, house.reader(house.here));

        house.here.run(() -> {
            for (int i = 0; i < 200; i++) {
                var taker = house.fragment(house.there);
                takers.add(taker);
                house.there
                        .events()
                        .execute(() ->
                                house.coalescer.join(
                                        PAGE, origin, RULES, null, () -> false, taker));
            }
            origin.attempt().head(200, "Cache-Control", FRESH).data("page");
        });
        house.settle();
        origin.attempt().end();
        house.settle();

        assertThat(takers).allMatch(taker -> taker.heard().equals(List.of("whole 200 page")));
    }

    @Test
    void failureReachesEveryReaderAtOnce() {
        var takers =
                IntStream.range(0, 100)
                        .mapToObj(i -> house.reader(i % 2 == 0 ? house.here : house.there))
                        .toList();
        takers.forEach(taker -> house.join(origin, taker));
        house.settle();

        origin.attempt().fail(Kind.UNREACHABLE);
        house.settle();

        assertThat(takers).allMatch(taker -> taker.heard().equals(List.of("failed UNREACHABLE")));
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void truncatedAnswerFailsEveryReaderAndNothingOfItIsStored() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.there);
        house.join(origin, asker);
        house.join(origin, follower);
        house.settle();

        origin.attempt().head(200, "Cache-Control", FRESH).data("half").fail(Kind.TRUNCATED);
        house.settle();

        assertThat(asker.heard()).containsExactly("head 200", "data half", "failed TRUNCATED");
        assertThat(follower.heard()).containsExactly("failed TRUNCATED");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void whoJoinsAFetchThatHasJustEndedLooksAgain() {
        var late = house.reader(house.there);
        house.join(origin, house.reader(house.here));

        // While this loop is busy the other one still finds the fetch in flight.
        house.here.run(() -> {
            house.join(origin, late);
            origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        });
        house.settle();

        assertThat(late.heard()).containsExactly("again");
        assertThat(origin.asked()).isEqualTo(1);
    }

    @Test
    void whoHasWaitedFiveSecondsForAnotherAsksAgainAndOneLeadsAnotherFetch() {
        var stuck = house.reader(house.here);
        var followers =
                IntStream.range(0, 200)
                        .mapToObj(i -> house.reader(i % 2 == 0 ? house.here : house.there))
                        .toList();
        house.join(origin, stuck);
        followers.forEach(taker -> house.join(origin, taker));
        house.settle();

        house.passOnLoops(Coalescer.PATIENCE.minusMillis(1));
        assertThat(followers).allMatch(taker -> taker.heard().isEmpty());
        house.passOnLoops(Duration.ofMillis(1));
        assertThat(followers).allMatch(taker -> taker.heard().equals(List.of("again")));
        followers.forEach(taker -> house.join(origin, taker));
        house.settle();

        assertThat(origin.asked()).isEqualTo(2);
        assertThat(stuck.heard()).isEmpty();
        origin.attempt(1).head(200, "Cache-Control", FRESH).data("page").end();
        house.settle();
        assertThat(followers.subList(1, 200))
                .allMatch(taker -> taker.heard().equals(List.of("again", "whole 200 page")));
        origin.attempt(0).head(200, "Cache-Control", FRESH).data("late").end();
        assertThat(stuck.heard()).containsExactly("head 200", "data late", "end");
    }

    @Test
    void followersOfARequestThatWaitsForAConnectionAreNotSentAway() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.there);
        origin.busy();
        house.join(origin, asker);
        house.join(origin, follower);
        house.settle();

        house.passOnLoops(Coalescer.PATIENCE.multipliedBy(3));
        origin.attempt().sent();
        house.passOnLoops(Coalescer.PATIENCE.minusMillis(1));
        origin.attempt().retried();
        house.passOnLoops(Coalescer.PATIENCE.multipliedBy(3));
        origin.attempt().sent();
        house.passOnLoops(Coalescer.PATIENCE.minusMillis(1));
        var before = List.copyOf(follower.heard());
        house.passOnLoops(Duration.ofMillis(1));

        assertThat(before).isEmpty();
        assertThat(follower.heard()).containsExactly("again");
        assertThat(asker.heard()).isEmpty();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
    }

    /** RFC 9111 §4.2.3: the delay of the response begins with its request. */
    @Test
    void waitForAConnectionIsNoAge() {
        var asker = house.reader(house.here);
        origin.busy();
        house.join(origin, asker);
        house.settle();

        house.time.pass(Duration.ofSeconds(6));
        origin.attempt().sent().head(200, "Cache-Control", "max-age=5").data("page").end();
        house.settle();

        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
        house.time.pass(Duration.ofSeconds(4));
        var found = house.found();
        assertThat(found.freshness().isFreshAt(house.time.now())).isTrue();
        found.release();
    }

    @Test
    void whoWaitsAloneIsNeverSentAway() {
        var asker = house.reader(house.here);
        house.join(origin, asker);

        house.passOnLoops(Duration.ofMinutes(1));
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();

        assertThat(asker.heard()).containsExactly("head 200", "data page", "end");
    }

    @Test
    void headInTimeKeepsEverybodyHoweverLongTheBodyTakes() {
        var follower = house.reader(house.there);
        house.join(origin, house.reader(house.here));
        house.join(origin, follower);
        house.settle();
        house.passOnLoops(Coalescer.PATIENCE.minusMillis(1));

        origin.attempt().head(200, "Cache-Control", FRESH).data("slow ");
        house.passOnLoops(Duration.ofMinutes(1));
        origin.attempt().data("body").end();
        house.settle();

        assertThat(follower.heard()).containsExactly("whole 200 slow body");
    }

    @Test
    void fetchThatIsLateIsGivenUpIfItsAskerHasLeft() {
        var follower = house.reader(house.here);
        var subscription = house.join(origin, house.reader(house.here));
        house.join(origin, follower);
        house.leave(subscription);

        house.passOnLoops(Coalescer.PATIENCE);

        assertThat(follower.heard()).containsExactly("again");
        assertThat(origin.attempt().isCancelled()).isTrue();
    }

    @Test
    void whoFindsALateFetchAsItIsReplacedAsksAgain() {
        var late = house.reader(house.there);
        house.join(origin, house.reader(house.here));
        house.join(origin, house.reader(house.here));

        house.here.run(() -> {
            house.join(origin, late);
            house.ticker.advance(Coalescer.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        });
        house.settle();

        assertThat(late.heard()).containsExactly("again");
        origin.attempt().fail(Kind.TIMEOUT);
    }

    @Test
    void secondAnswerToAValidationIsWaitedForAsLongAsTheFirst() {
        house.stored(RULES, "page", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(2));
        var follower = house.reader(house.here);
        house.join(RULES, origin, house.found(), house.reader(house.here));
        house.join(RULES, origin, house.found(), follower);
        house.passOnLoops(Duration.ofSeconds(4));
        origin.attempt(0).head(304, "ETag", "\"b\"");
        assertThat(origin.asked()).isEqualTo(2);

        house.passOnLoops(Duration.ofSeconds(4));
        assertThat(follower.heard()).isEmpty();
        house.passOnLoops(Duration.ofSeconds(1));

        assertThat(follower.heard()).containsExactly("again");
        origin.attempt(1).fail(Kind.TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noFollowerSeesAnErrorWhenTheAskerLeavesAtSomePoint(long seed) {
        var random = new Random(seed);
        var steps =
                List.<Runnable>of(
                        () -> origin.attempt(0).head(200, "Cache-Control", FRESH),
                        () -> origin.attempt(0).data("one "),
                        () -> origin.attempt(0).data("page"),
                        () -> origin.attempt(0).end());
        var subscription = house.join(origin, house.reader(house.here));
        var followers = new ArrayList<Taker>();
        int leaving = random.nextInt(steps.size() + 1);

        for (int i = 0; i <= steps.size(); i++) {
            if (random.nextBoolean() || (i == 0 && leaving == 0)) {
                // The last one starts its own fetch, which this origin answers here.
                boolean isAway = i < steps.size() && random.nextBoolean();
                var follower = house.reader(isAway ? house.there : house.here);
                followers.add(follower);
                house.join(origin, follower);
                house.settle();
            }
            if (i == leaving) {
                house.leave(subscription);
            }
            if (i < steps.size()) {
                steps.get(i).run();
                house.settle();
            }
        }
        if (origin.asked() == 2) {
            origin.attempt(1).head(200, "Cache-Control", FRESH).data("one page").end();
            house.settle();
        }

        assertThat(followers)
                .allSatisfy(taker ->
                        assertThat(String.join("", taker.heard()))
                                .isIn("whole 200 one page", "head 200data one pageend", "again"));
        assertThat(house.textOf()).isEqualTo("one page");
    }

    @Test
    void refreshThatFailedIsNotTriedAgainForAWhileThatGrows() {
        house.stored(RULES, "page", "Cache-Control", "max-age=1, stale-while-revalidate=300");
        house.time.pass(Duration.ofSeconds(2));
        int[] pauses = {1, 2, 4, 8, 16, 30, 30};

        for (int i = 0; i < pauses.length; i++) {
            house.refresh(RULES, origin);
            assertThat(origin.asked()).isEqualTo(i + 1);
            if (i % 2 == 0) {
                origin.attempt(i).fail(Kind.UNREACHABLE);
            } else {
                origin.attempt(i).head(503).data("sorry").end();
            }
            house.time.pass(Duration.ofSeconds(pauses[i]).minusMillis(1));
            house.refresh(RULES, origin);
            assertThat(origin.asked()).isEqualTo(i + 1);
            house.time.pass(Duration.ofMillis(1));
        }
        house.refresh(RULES, origin);
        origin.attempt(7).head(200, "Cache-Control", "max-age=1, stale-while-revalidate=300").end();
        house.time.pass(Duration.ofSeconds(2));
        house.refresh(RULES, origin);
        origin.attempt(8).fail(Kind.UNREACHABLE);
        house.time.pass(Duration.ofSeconds(1));
        house.refresh(RULES, origin);

        assertThat(origin.asked()).isEqualTo(10);
        origin.attempt(9).fail(Kind.UNREACHABLE);
    }

    @Test
    void bugOfOneReaderIsHisAlone() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.here);
        asker.atHead(() -> {
            throw new IllegalStateException("at the head");
        });
        house.join(origin, asker);
        house.join(origin, follower);

        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();

        assertThat(asker.heard()).startsWith("head 200", "bug at the head");
        assertThat(follower.heard()).containsExactly("whole 200 page");
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void interimResponsesGoToTheAskerOnly() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.here);
        house.join(origin, asker);
        house.join(origin, follower);

        origin.attempt().interim(103).head(200, "Cache-Control", FRESH).end();

        assertThat(asker.heard()).containsExactly("interim 103", "head 200", "end");
        assertThat(follower.heard()).containsExactly("whole 200 ");
    }

    @Test
    void uncacheableAnswerIsForTheAskerAndTheOthersFetchForThemselvesAtOnce() {
        var asker = house.reader(house.here);
        var followers = List.of(house.reader(house.here), house.reader(house.there));
        house.join(origin, asker);
        followers.forEach(taker -> house.join(origin, taker));
        house.settle();

        origin.attempt().head(200, "Cache-Control", "private");
        house.settle();

        assertThat(followers).allMatch(taker -> taker.heard().equals(List.of("alone")));
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isTrue();
        origin.attempt().data("own").end();
        assertThat(asker.heard()).containsExactly("head 200", "data own", "end");
        assertThat(house.textOf()).isNull();
        assertThat(house.events.seen()).containsExactly("uncacheable PRIVATE");
    }

    @Test
    void uncacheableAnswerIsForNobodyOnceTheAskerHasLeft() {
        var follower = house.reader(house.here);
        var subscription = house.join(origin, house.reader(house.here));
        house.join(origin, follower);
        house.leave(subscription);

        origin.attempt().head(200, "Cache-Control", "private").data("own").end();

        assertThat(follower.heard()).containsExactly("alone");
        assertThat(origin.attempt().isCancelled()).isTrue();
    }

    @Test
    void fetchesOfOneLeaveNoHitForMissNote() {
        house.fetchUncoalesced(origin, house.reader(house.here));
        origin.attempt(0).head(200, "Cache-Control", "private").end();
        house.pass(RULES, origin, new Taker(house.here, CacheHouse.request("POST"), false));
        origin.attempt(1).head(200).end();

        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void responseThatIsRefusedForItsRequestIsNotedForSuchRequests() {
        house.join(origin, house.reader(house.here, "Authorization", "Basic YTpi"));
        origin.attempt().head(200, "Cache-Control", FRESH).end();

        assertThat(house.events.seen()).containsExactly("uncacheable AUTHORIZATION");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.of("Authorization", "Basic YTpi"), false))
                .isTrue();
    }

    @Test
    void errorOfTheOriginIsNotNoted() {
        house.join(origin, house.reader(house.here));
        origin.attempt().head(503, "Cache-Control", "no-store").end();

        assertThat(house.events.seen()).containsExactly("uncacheable NO_STORE");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void noteEndsOnceAnAnswerCanBeStored() {
        house.join(origin, house.reader(house.here));
        origin.attempt().head(200, "Cache-Control", "no-store").end();
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isTrue();

        house.stored(RULES, "page", "Cache-Control", FRESH);

        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void answerToAForwardedRequestIsNeverStored() {
        var taker = house.reader(house.here, "If-Match", "\"a\"");

        house.pass(RULES, origin, taker);
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();

        assertThat(taker.heard()).containsExactly("head 200", "data page", "end");
        assertThat(house.textOf()).isNull();
        assertThat(house.events.seen()).containsExactly("uncacheable FORWARDED");
    }

    @Test
    void readerOfAnotherVariantFetchesForHimself() {
        var asker = house.fragment(house.here, "Accept-Language", "ko");
        var same = house.fragment(house.there, "Accept-Language", "KO");
        var other = house.fragment(house.there, "Accept-Language", "en");
        house.join(origin, asker);
        house.join(origin, same);
        house.join(origin, other);
        house.settle();

        origin.attempt()
                .head(200, "Cache-Control", FRESH, "Vary", "Accept-Language")
                .data("ko")
                .end();
        house.settle();

        assertThat(asker.heard()).containsExactly("whole 200 ko");
        assertThat(same.heard()).containsExactly("whole 200 ko");
        assertThat(other.heard()).containsExactly("alone");
    }

    @Test
    void readerOfAnotherVariantWhoJoinsWhileTheBodyComesFetchesForHimself() {
        var other = house.fragment(house.here, "Accept-Language", "en");
        house.join(origin, house.fragment(house.here, "Accept-Language", "ko"));
        origin.attempt().head(200, "Cache-Control", FRESH, "Vary", "Accept-Language");

        house.join(origin, other);
        origin.attempt().end();

        assertThat(other.heard()).containsExactly("alone");
    }

    @Test
    void renewedVariantIsNotHandedToReadersOfAnother() {
        var korean = Fields.of("Accept-Language", "ko");
        house.stored(
                RULES,
                "ko",
                korean,
                "Cache-Control",
                "max-age=1",
                "Vary",
                "Accept-Language",
                "ETag",
                "\"k\"");
        var asker = house.fragment(house.here, "Accept-Language", "ko");
        var other = house.fragment(house.here, "Accept-Language", "en");
        house.join(RULES, origin, house.found("Accept-Language", "ko"), asker);
        house.join(origin, other);

        origin.attempt().head(304).end();

        assertThat(asker.heard()).containsExactly("whole 200 ko");
        assertThat(other.heard()).containsExactly("alone");
    }

    @Test
    void fetchEndsWhenItsOnlyReaderLeavesBeforeTheHead() {
        var asker = house.reader(house.here);
        var subscription = house.join(origin, asker);

        house.leave(subscription);
        house.leave(subscription);

        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(asker.heard()).isEmpty();
        var next = house.origin();
        house.join(next, house.reader(house.here));
        assertThat(next.asked()).isEqualTo(1);
        next.attempt().fail(Kind.TIMEOUT);
    }

    @Test
    void fetchGoesOnForTheOthersWhenTheAskerLeaves() {
        var follower = house.reader(house.there);
        var subscription = house.join(origin, house.reader(house.here));
        house.join(origin, follower);
        house.settle();

        house.leave(subscription);
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        house.settle();

        assertThat(follower.heard()).containsExactly("whole 200 page");
    }

    @Test
    void answerWorthStoringIsStoredThoughEveryoneHasLeft() {
        var subscription = house.join(origin, house.reader(house.here));
        origin.attempt().head(200, "Cache-Control", FRESH).data("pa");

        house.leave(subscription);
        origin.attempt().data("ge").end();

        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void leavingOfAFollowerDoesNotDisturbTheAskersStream() {
        var asker = house.reader(house.here);
        house.join(origin, asker);
        var follower = house.join(origin, house.reader(house.there));
        house.settle();
        origin.attempt().head(200, "Cache-Control", FRESH).data("pa");

        house.leave(follower);
        origin.attempt().data("ge").end();

        assertThat(asker.heard()).containsExactly("head 200", "data pa", "data ge", "end");
    }

    @Test
    void slowReaderOfABodyBeingStoredCatchesUpFromWhatIsKept() {
        var asker = house.reader(house.here);
        house.join(origin, asker);
        var attempt = origin.attempt().head(200, "Cache-Control", FRESH).data("one ");

        house.here.run(asker.flow()::pause);
        attempt.data("two ").data("three ");
        assertThat(asker.heard()).containsExactly("head 200", "data one ");
        house.here.run(asker.flow()::resume);
        attempt.data("four").end();

        assertThat(asker.heard())
                .containsExactly("head 200", "data one ", "data two three ", "data four", "end");
        assertThat(house.textOf()).isEqualTo("one two three four");
    }

    @Test
    void readerWhoIsStillBehindAtTheEndGetsTheRestOfWhatIsStored() {
        var asker = house.reader(house.here);
        house.join(origin, asker);
        var attempt = origin.attempt().head(200, "Cache-Control", FRESH).data("one ");

        house.here.run(asker.flow()::pause);
        attempt.data("two ").data("three").end();

        assertThat(asker.heard()).containsExactly("head 200", "data one ", "data two three", "end");
        assertThat(house.textOf()).isEqualTo("one two three");
    }

    @Test
    void bodyThatOutgrowsTheStoreWaitsForItsSlowReaderAndIsCountedMeanwhile() {
        var asker = house.reader(house.here);
        house.join(origin, asker);
        var attempt = origin.attempt().head(200, "Cache-Control", FRESH).data("one ");
        house.here.run(asker.flow()::pause);
        attempt.data("two ");

        house.transit.tryTake(99_990);
        attempt.data("three");
        assertThat(attempt.isPaused()).isTrue();
        assertThat(house.transit.usedBytes()).isEqualTo(99_990 + 9);
        house.here.run(asker.flow()::resume);
        house.transit.give(99_990);
        attempt.end();

        assertThat(attempt.isPaused()).isFalse();
        assertThat(asker.heard())
                .containsExactly("head 200", "data one ", "data two ", "data three", "end");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void bodyThatOnlyPassesEndsWithItsReader() {
        var asker = house.reader(house.here);
        var subscription = house.join(origin, asker);
        origin.attempt().head(200, "Cache-Control", "private").data("one");

        house.leave(subscription);
        origin.attempt().data("two").end();

        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(asker.heard()).containsExactly("head 200", "data one");
    }

    @Test
    void documentOfOneReaderEndsWithHim() {
        var asker = house.reader(house.here);
        var subscription = house.join(rules(EsiProcessing.ON), origin, null, asker);
        origin.attempt().head(200, "Content-Type", "text/html", "Cache-Control", "private");
        origin.attempt().data("one");

        house.leave(subscription);

        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(asker.heard()).isEmpty();
    }

    @Test
    void readerMayLeaveFromWithinTheHead() {
        var asker = house.reader(house.here);
        var subscriptions = new ArrayList<FetchSubscription>();
        asker.atHead(() -> subscriptions.get(0).leave());
        subscriptions.add(house.join(origin, asker));

        origin.attempt().head(500, "Cache-Control", "no-store").data("error page").end();

        assertThat(asker.heard()).containsExactly("head 500");
        assertThat(origin.attempt().isCancelled()).isTrue();
    }

    @Test
    void answerThatCrossesALeavingReaderIsReleased() {
        var follower = house.reader(house.there);
        house.join(origin, house.reader(house.here));
        var subscription = house.join(origin, follower);
        house.settle();

        // The response is posted to the other loop while that one is leaving.
        house.there.run(() -> {
            origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
            subscription.leave();
        });
        house.settle();

        assertThat(follower.heard()).isEmpty();
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void headThatComesAfterAllHaveLeftIsCancelled() {
        house.leave(house.join(origin, house.reader(house.here)));
        var late = new Tap();

        origin.attempt().headInSpiteOfAll(late);

        assertThat(late.isCancelled).isTrue();
    }

    @Test
    void answerPurgedOnItsWayIsForTheAskerButTheOthersLookAgain() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.there);
        house.join(origin, asker);
        house.store.purge(Purge.of(PAGE), false);
        house.join(origin, follower);
        house.settle();

        origin.attempt().head(200, "Cache-Control", FRESH).data("old").end();
        house.settle();

        assertThat(asker.heard()).containsExactly("head 200", "data old", "end");
        assertThat(follower.heard()).containsExactly("again");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void purgeByATagOfTheAnswerRefusesItToo() {
        house.join(origin, house.reader(house.here));
        origin.attempt().head(200, "Cache-Control", FRESH, "Surrogate-Key", "poll front").data("a");

        house.store.purge(new Purge(Set.of(), Set.of("poll"), Set.of(), List.of()), true);
        origin.attempt().end();

        assertThat(house.textOf()).isNull();
    }

    @Test
    void purgeOfSomethingElseRefusesNothing() {
        house.join(origin, house.reader(house.here));
        house.store.purge(new Purge(Set.of(), Set.of("poll"), Set.of("other"), List.of()), false);

        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();

        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void renewalThatCrossesAPurgeIsNotStored() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        var asker = house.reader(house.here);
        house.join(RULES, origin, house.found(), asker);

        house.store.purge(Purge.of(PAGE), false);
        origin.attempt().head(304).end();

        assertThat(asker.heard()).containsExactly("whole 200 old");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void notModifiedRenewsHeadAndClocksOfTheSameBody() {
        house.stored(
                RULES, "page", "Cache-Control", "max-age=1", "ETag", "\"a\"", "X-Edition", "first");
        house.time.pass(Duration.ofSeconds(30));
        var takers = List.of(house.reader(house.here), house.reader(house.there));
        house.join(RULES, origin, house.found(), takers.get(0));
        house.join(RULES, origin, house.found(), takers.get(1));
        house.settle();

        assertThat(origin.attempt().conditions().first("if-none-match")).isEqualTo("\"a\"");
        origin.attempt().head(304, "Cache-Control", FRESH, "X-Edition", "second").end();
        house.settle();

        assertThat(takers).allMatch(taker -> taker.heard().equals(List.of("whole 200 page")));
        var renewed = house.found();
        assertThat(renewed.head().fields().first("x-edition")).isEqualTo("second");
        assertThat(renewed.freshness().isFreshAt(house.time.now())).isTrue();
        renewed.release();
    }

    @Test
    void notModifiedThatVariesOtherwiseTakesThePlaceOfWhatItRenews() {
        house.stored(RULES, "page", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(2));
        house.join(RULES, origin, house.found(), house.reader(house.here));

        origin.attempt().head(304, "Vary", "Accept-Language").end();

        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.textOf("Accept-Language", "ko")).isNull();
    }

    @Test
    void answerThatVariesOtherwiseTakesThePlaceOfWhatWasAskedAbout() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(2));
        house.join(RULES, origin, house.found(), house.reader(house.here));

        origin.attempt()
                .head(200, "Cache-Control", FRESH, "Vary", "Accept-Language")
                .data("new")
                .end();

        assertThat(house.textOf()).isEqualTo("new");
        assertThat(house.textOf("Accept-Language", "ko")).isNull();
    }

    @Test
    void notModifiedThatSpeaksOfAnotherResponseIsAskedAgainWithoutConditions() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        var asker = house.reader(house.here);
        house.join(RULES, origin, house.found(), asker);

        origin.attempt(0).head(304, "ETag", "\"b\"").end();
        assertThat(origin.attempt(0).isCancelled()).isTrue();
        assertThat(origin.attempt(1).conditions().contains("if-none-match")).isFalse();
        origin.attempt(1).head(200, "Cache-Control", FRESH, "ETag", "\"b\"").data("new").end();

        assertThat(asker.heard()).containsExactly("head 200", "data new", "end");
        assertThat(house.textOf()).isEqualTo("new");
    }

    @Test
    void notModifiedUnderAnotherCodingIsAskedAgain() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.join(RULES, origin, house.found(), house.reader(house.here));

        origin.attempt(0).head(304, "Content-Encoding", "br");
        origin.attempt(1).head(200, "Cache-Control", FRESH).data("new").end();

        assertThat(house.textOf()).isEqualTo("new");
    }

    @Test
    void newerAnswerThatMayNotBeStoredRemovesTheStaleOne() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.join(RULES, origin, house.found(), house.reader(house.here));

        origin.attempt().head(200, "Cache-Control", "private").end();

        assertThat(house.textOf()).isNull();
    }

    @Test
    void newerAnswerThatMayNotBeStoredAndBreaksOffLeavesTheStaleOne() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.join(RULES, origin, house.found(), house.reader(house.here));

        origin.attempt().head(200, "Cache-Control", "private").data("ne").fail(Kind.TRUNCATED);

        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void newerAnswerThatMayNotBeStoredRemovesTheStaleOneThoughItsReaderLeaves() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        var subscription = house.join(RULES, origin, house.found(), house.reader(house.here));
        origin.attempt().head(200, "Cache-Control", "private").data("ne");

        house.leave(subscription);

        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(house.textOf()).isNull();
    }

    @Test
    void documentForOneReaderThatBreaksOffLeavesTheStaleOne() {
        var rules = CacheHouse.rules(EsiProcessing.ON);
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.join(rules, origin, house.found(), house.reader(house.here));

        origin.attempt()
                .head(200, "Cache-Control", "private", "Content-Type", "text/html")
                .data("ne")
                .fail(Kind.TRUNCATED);

        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void documentForOneReaderRemovesTheStaleOneOnceItIsWhole() {
        var rules = CacheHouse.rules(EsiProcessing.ON);
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.join(rules, origin, house.found(), house.reader(house.here));

        origin.attempt()
                .head(200, "Cache-Control", "private", "Content-Type", "text/html")
                .data("new")
                .end();

        assertThat(house.textOf()).isNull();
    }

    @Test
    void notModifiedThatNobodyAskedForIsPassedOnAndChangesNothing() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1");
        var asker = house.reader(house.here);
        var other = house.reader(house.there);
        house.join(RULES, origin, house.found(), asker);
        house.join(RULES, origin, null, other);
        house.settle();

        origin.attempt().head(304, "ETag", "\"a\"").end();
        house.settle();

        assertThat(asker.heard()).containsExactly("head 304", "end");
        assertThat(other.heard()).containsExactly("alone");
        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void secondNotModifiedToAQuestionWithoutConditionsIsAFault() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        var asker = house.reader(house.here);
        house.join(RULES, origin, house.found(), asker);
        origin.attempt(0).head(304, "ETag", "\"b\"").end();

        origin.attempt(1).head(304, "ETag", "\"b\"").end();

        assertThat(asker.heard()).containsExactly("failed MALFORMED");
        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void failedValidationRemovesNothing() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        var asker = house.reader(house.here);
        house.join(RULES, origin, house.found(), asker);
        house.time.pass(Duration.ofSeconds(2));

        origin.attempt().head(503).data("busy").end();

        assertThat(asker.heard()).containsExactly("head 503", "data busy", "end");
        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void errorIsLeftToTheStaleAnswerThatMayStandIn() {
        var rules = rules(EsiProcessing.AUTO, staleIfError(Duration.ofSeconds(60)));
        house.stored(rules, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(30));
        var takers = List.of(house.reader(house.here), house.reader(house.there));
        house.join(rules, origin, house.found(), takers.get(0));
        house.join(rules, origin, house.found(), takers.get(1));
        house.settle();

        origin.attempt().head(503).data("busy").end();
        house.settle();

        assertThat(takers).allMatch(taker -> taker.heard().equals(List.of("failed STATUS")));
        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void errorIsPassedOnWhereTheStaleAnswerIsTooOldToStandIn() {
        var rules = rules(EsiProcessing.AUTO, staleIfError(Duration.ofSeconds(60)));
        house.stored(rules, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");
        house.time.pass(Duration.ofSeconds(62));
        var asker = house.reader(house.here);
        house.join(rules, origin, house.found(), asker);

        origin.attempt().head(503).data("busy").end();

        assertThat(asker.heard()).containsExactly("head 503", "data busy", "end");
    }

    @Test
    void readerWhomTheStaleAnswerDoesNotFitAsksForHimself() {
        var rules = rules(EsiProcessing.AUTO, staleIfError(Duration.ofSeconds(60)));
        house.stored(
                rules,
                "old",
                Fields.of("X-Edition", "morning"),
                "Cache-Control",
                "max-age=1",
                "ETag",
                "\"a\"",
                "Vary",
                "X-Edition");
        house.time.pass(Duration.ofSeconds(2));
        var asker = house.reader(house.here, "X-Edition", "morning");
        var other = house.reader(house.here, "X-Edition", "evening");
        house.join(rules, origin, house.found("X-Edition", "morning"), asker);
        house.join(rules, origin, null, other);

        origin.attempt().head(503);

        assertThat(asker.heard()).containsExactly("failed STATUS");
        assertThat(other.heard()).containsExactly("alone");
    }

    @Test
    void oneRefreshRunsAtATime() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1", "ETag", "\"a\"");

        house.refresh(RULES, origin);
        house.refresh(RULES, origin);
        origin.attempt().head(304, "Cache-Control", FRESH).end();

        assertThat(origin.asked()).isEqualTo(1);
        assertThat(house.events.seen()).containsExactly("refreshed RENEWED");
        house.refresh(RULES, origin);
        assertThat(origin.asked()).isEqualTo(2);
        origin.attempt(1).head(200, "Cache-Control", FRESH).data("new").end();
        assertThat(house.textOf()).isEqualTo("new");
        assertThat(house.events.seen()).endsWith("refreshed REPLACED");
    }

    @Test
    void failedRefreshKeepsWhatIsStored() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1");

        house.refresh(RULES, origin);
        origin.attempt().fail(Kind.TIMEOUT);

        assertThat(house.events.seen()).containsExactly("refreshed FAILED");
        assertThat(house.textOf()).isEqualTo("old");
    }

    @Test
    void refreshThatBringsSomethingPrivateEndsAtItsHead() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1");

        house.refresh(RULES, origin);
        origin.attempt().head(200, "Cache-Control", "private").data("own").end();

        assertThat(house.events.seen())
                .containsExactly("uncacheable PRIVATE", "refreshed UNCACHEABLE");
        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(house.textOf()).isNull();
    }

    @Test
    void readersMayJoinARefreshAndLeaveItAgain() {
        house.stored(RULES, "old", "Cache-Control", "max-age=1");
        house.refresh(RULES, origin);
        var stays = house.reader(house.here);
        house.join(origin, stays);

        house.leave(house.join(origin, house.reader(house.there)));
        origin.attempt().head(200, "Cache-Control", FRESH).data("new").end();

        assertThat(stays.heard()).containsExactly("whole 200 new");
    }

    @Test
    void bodyThatOutgrowsTheStoreGoesOnToTheAskerWhoStreamsIt() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.here);
        house.join(origin, asker);
        house.join(origin, follower);

        var attempt = origin.attempt().head(200, "Cache-Control", FRESH);
        attempt.data("x".repeat(900)).data("y".repeat(900)).data("z").end();

        assertThat(asker.heard())
                .containsExactly(
                        "head 200",
                        "data " + "x".repeat(900),
                        "data " + "y".repeat(900),
                        "data z",
                        "end");
        assertThat(follower.heard()).containsExactly("alone");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isTrue();
        assertThat(house.textOf()).isNull();
    }

    @Test
    void bodyBeingStoredRunsOnAndAnOutgrownOneHeedsItsReader() {
        var asker = house.reader(house.here);
        house.join(origin, asker);
        var attempt = origin.attempt().head(200, "Cache-Control", FRESH).data("x".repeat(900));

        house.here.run(asker.flow()::pause);
        assertThat(attempt.isPaused()).isFalse();
        attempt.data("y".repeat(900));
        assertThat(attempt.isPaused()).isTrue();
        house.here.run(asker.flow()::resume);
        assertThat(attempt.isPaused()).isFalse();

        attempt.end();
        assertThat(asker.heard()).endsWith("end");
    }

    @Test
    void fragmentThatOutgrowsTheStoreFlowsFromItsFirstByteOn() {
        var asker = house.fragment(house.here);
        var follower = house.fragment(house.there);
        house.join(origin, asker);
        house.join(origin, follower);
        house.settle();

        var attempt = origin.attempt().head(200, "Cache-Control", FRESH);
        attempt.data("x".repeat(600)).data("y".repeat(600)).data("z").end();
        house.settle();

        assertThat(asker.heard())
                .containsExactly(
                        "head 200",
                        "data " + "x".repeat(600),
                        "data " + "y".repeat(600),
                        "data z",
                        "end");
        assertThat(follower.heard()).containsExactly("alone");
    }

    @Test
    void bodyThatFindsNoRoomOnItsWayFlowsAndLeavesNoNote() {
        house.transit.tryTake(99_990);
        var asker = house.fragment(house.here);
        house.join(origin, asker);

        origin.attempt().head(200, "Cache-Control", FRESH).data("0123456").data("789ab").end();

        assertThat(asker.heard()).containsExactly("head 200", "data 0123456", "data 789ab", "end");
        assertThat(house.hitForMiss.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
        assertThat(house.events.seen()).containsExactly("uncacheable TRANSIT");
        house.transit.give(99_990);
    }

    @Test
    void bodyAnnouncedTooLargeFlowsPast() {
        var asker = house.fragment(house.here);
        house.join(origin, asker);

        origin.attempt().head(200, "Cache-Control", FRESH, "Content-Length", "1001").data("x");

        assertThat(asker.heard()).containsExactly("head 200", "data x");
        origin.attempt().fail(Kind.TRUNCATED);
        assertThat(house.events.seen()).containsExactly("uncacheable SIZE");
    }

    @Test
    void documentForOneReaderIsHandedOverWhole() {
        var asker = house.reader(house.here);
        var follower = house.reader(house.here);
        house.join(rules(EsiProcessing.ON), origin, null, asker);
        house.join(rules(EsiProcessing.ON), origin, null, follower);

        origin.attempt()
                .head(200, "Content-Type", "text/html", "Cache-Control", "private")
                .data("text<esi:inc")
                .data("lude src='/a'/>, more")
                .end();

        assertThat(asker.heard()).containsExactly("whole 200 text, more");
        assertThat(asker.stored().compiled()).isNotNull();
        assertThat(asker.stored().isShared()).isFalse();
        assertThat(follower.heard()).containsExactly("alone");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void documentAnnouncedLargerThanAllowedFailsAtItsHead() {
        var asker = house.reader(house.here);
        house.join(rules(EsiProcessing.ON), origin, null, asker);

        origin.attempt()
                .head(
                        200,
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        FRESH,
                        "Content-Length",
                        "2001");

        assertThat(asker.heard()).containsExactly("failed TOO_LARGE");
        assertThat(origin.attempt().isCancelled()).isTrue();
    }

    @Test
    void documentThatGrowsLargerThanAllowedFails() {
        var asker = house.reader(house.here);
        house.join(rules(EsiProcessing.ON), origin, null, asker);

        origin.attempt()
                .head(200, "Content-Type", "text/html", "Cache-Control", FRESH)
                .data("x".repeat(2_000))
                .data("x");

        assertThat(asker.heard()).containsExactly("failed TOO_LARGE");
        assertThat(origin.attempt().isCancelled()).isTrue();
    }

    @Test
    void documentTooLargeForTheStoreIsStillSharedAndAssembled() {
        var takers = List.of(house.reader(house.here), house.reader(house.there));
        takers.forEach(taker -> house.join(rules(EsiProcessing.ON), origin, null, taker));
        house.settle();

        origin.attempt()
                .head(
                        200,
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        FRESH,
                        "Content-Length",
                        "1500")
                .data("x".repeat(1_500))
                .end();
        house.settle();

        assertThat(takers)
                .allMatch(taker -> taker.heard().equals(List.of("whole 200 " + "x".repeat(1_500))));
        assertThat(house.textOf()).isNull();
        assertThat(house.events.seen()).containsExactly("parsed 0", "uncacheable SIZE");
    }

    @Test
    void answerToHeadIsNoDocument() {
        var taker = new Taker(house.here, CacheHouse.request("HEAD"), false);

        house.pass(rules(EsiProcessing.ON), origin, taker);
        origin.attempt().head(200, "Content-Type", "text/html", "Cache-Control", FRESH).end();

        assertThat(taker.heard()).containsExactly("head 200", "end");
    }

    @Test
    void cutGzipOfADocumentFailsThoughTheConnectionEndedCleanly() {
        var asker = house.reader(house.here);
        house.join(rules(EsiProcessing.ON), origin, null, asker);
        var gzip = Coded.gzip("<p>whole</p>");

        origin.attempt()
                .head(
                        200,
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        FRESH,
                        "Content-Encoding",
                        "gzip")
                .data(house.bytes(Arrays.copyOf(gzip, gzip.length - 3)))
                .end();

        assertThat(asker.heard()).containsExactly("failed MALFORMED");
        assertThat(house.textOf()).isNull();
    }

    @Test
    void cutGzipOfAFragmentReachesNobodyAndIsNotStored() {
        var asker = house.fragment(house.here);
        var follower = house.fragment(house.here);
        house.join(origin, asker);
        house.join(origin, follower);
        var gzip = Coded.gzip("<p>whole</p>");

        origin.attempt()
                .head(
                        200,
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        FRESH,
                        "Content-Encoding",
                        "gzip")
                .data(house.bytes(Arrays.copyOf(gzip, gzip.length - 3)))
                .end();

        assertThat(asker.heard()).containsExactly("failed MALFORMED");
        assertThat(follower.heard()).containsExactly("failed MALFORMED");
        assertThat(house.textOf()).isNull();
    }

    /** The flow of a body that is no longer wanted. */
    private static final class Tap implements BodyFlow {
        private boolean isCancelled;

        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public void cancel() {
            isCancelled = true;
        }
    }
}
