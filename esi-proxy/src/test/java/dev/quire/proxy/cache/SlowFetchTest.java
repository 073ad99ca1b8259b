package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sinks of two loops that use a stale response while their fetch is slow. */
class SlowFetchTest {
    private static final String FRESH = "max-age=60";
    private static final Duration SLOW = RULES.settings().staleIfSlow();

    private final CacheHouse house = new CacheHouse();
    private final ScriptedOrigin origin = house.origin();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void sinksAreServedOnTheirOwnLoopsAndTheFetchContinues() {
        var takers =
                IntStream.range(0, 200)
                        .mapToObj(i -> house.reader(i % 2 == 0 ? house.here : house.there))
                        .map(Taker::withStandIn)
                        .toList();
        takers.forEach(taker -> house.join(origin, taker));
        house.settle();

        house.passOnLoops(SLOW.minusNanos(1));
        assertThat(takers).allMatch(taker -> taker.heard().isEmpty());
        house.passOnLoops(Duration.ofNanos(1));

        assertThat(takers).allMatch(taker -> taker.heard().equals(List.of("stale")));
        assertThat(house.coalescer.waiting()).isZero();
        assertThat(origin.attempt().isCancelled()).isFalse();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.events.seen()).containsExactly("refreshed REPLACED");
    }

    @Test
    void sinksThatJoinLaterAreServedAtOnceHoweverLongItTakes() {
        house.join(origin, house.reader(house.here).withStandIn());
        house.join(origin, house.reader(house.there).withStandIn());
        house.settle();

        for (int second = 1; second < 20; second++) {
            house.passOnLoops(Duration.ofSeconds(1));
            var late = house.reader(second % 2 == 0 ? house.here : house.there).withStandIn();
            house.join(origin, late);
            house.settle();
            assertThat(late.heard()).containsExactly("stale");
        }

        assertThat(origin.asked()).isEqualTo(1);
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
    }

    @Test
    void sinkWithoutAStaleResponseWaitsAndItsDepartureDoesNotEndTheRefresh() {
        var waiting = house.reader(house.there);
        house.join(origin, house.reader(house.here).withStandIn());
        var subscription = house.join(origin, waiting);
        house.settle();

        house.passOnLoops(SLOW);
        house.leave(subscription);

        assertThat(waiting.heard()).isEmpty();
        assertThat(origin.attempt().isCancelled()).isFalse();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void sinkThatWaitsTooLongForARefreshLooksAgain() {
        var waiting = house.reader(house.there);
        house.join(origin, house.reader(house.here).withStandIn());
        house.join(origin, waiting);
        house.settle();

        house.passOnLoops(SLOW);
        house.passOnLoops(Coalescer.PATIENCE);

        assertThat(waiting.heard()).containsExactly("again");
        assertThat(origin.attempt().isCancelled()).isFalse();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
    }

    /** Such a sink could not use the response of the fetch it had joined: that of a variant. */
    @Test
    void fetchForOneSinkContinuesIfItsResponseMayBeStored() {
        var alone = house.reader(house.here).withStandIn();
        house.fetchUncoalesced(origin, alone);

        house.passOnLoops(SLOW);

        assertThat(alone.heard()).containsExactly("stale");
        assertThat(origin.attempt().isCancelled()).isFalse();
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.events.seen()).containsExactly("refreshed REPLACED");
    }

    @Test
    void privateResponseToARequestThatIsServedStaleIsCancelled() {
        house.fetchUncoalesced(origin, house.reader(house.here).withStandIn());
        house.passOnLoops(SLOW);

        origin.attempt().head(200, "Cache-Control", "private");

        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(house.events.seen()).contains("refreshed UNCACHEABLE");
    }

    @Test
    void fetchWhoseResponseIsNotStoredEndsWithItsSink() {
        var alone = house.reader(house.here).withStandIn();
        house.pass(RULES, origin, alone);

        house.passOnLoops(SLOW);

        assertThat(alone.heard()).containsExactly("stale");
        assertThat(origin.attempt().isCancelled()).isTrue();
        assertThat(house.events.seen()).isEmpty();
    }

    @Test
    void bugInOneSinkConcernsNoOther() {
        var broken = house.reader(house.here).withStandIn(new IllegalStateException("of the test"));
        var other = house.reader(house.here).withStandIn();
        house.join(origin, broken);
        house.join(origin, other);

        house.passOnLoops(SLOW);

        assertThat(broken.heard()).containsExactly("bug of the test");
        assertThat(other.heard()).containsExactly("stale");
        origin.attempt().head(200, "Cache-Control", FRESH).data("page").end();
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void failureOfTheRefreshIsCounted() {
        var taker = house.reader(house.here).withStandIn();
        house.join(origin, taker);
        house.passOnLoops(SLOW);

        origin.attempt().fail(Kind.TIMEOUT);

        assertThat(taker.heard()).containsExactly("stale");
        assertThat(house.events.seen()).containsExactly("refreshed FAILED");
    }
}
