package dev.quire.test.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TestClockTest {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private final TestClock clock = TestClock.handSet();

    @Test
    void bothTimesMoveTogetherAndOnlyByHand() {
        var now = clock.now();
        var wall = clock.wall();

        clock.advance(Duration.ofSeconds(31));

        assertThat(clock.now()).isEqualTo(now.plusSeconds(31));
        assertThat(clock.wall()).isEqualTo(wall.plusSeconds(31)).isEqualTo(clock.instant());
    }

    @Test
    void wallClockJumpsAlone() {
        var now = clock.now();
        var wall = clock.wall();

        clock.jumpWallClock(Duration.ofHours(-1));

        assertThat(clock.now()).isEqualTo(now);
        assertThat(clock.wall()).isEqualTo(wall.minusSeconds(3600));
    }

    @Test
    void timeDoesNotGoBack() {
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected a time of zero or more");
    }

    @Test
    void clockThatNobodyLivesByNamesTheLineThatMadeIt() {
        var own = TestClock.handSet();

        assertThatThrownBy(() -> own.advance(A_MINUTE))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching(
                        "advance\\(PT1M\\) would have no effect: no site, proxy or origin uses the clock created at TestClockTest.java:\\d+ \\(open the site with it: EsiSite.over\\(...\\).at\\(clock\\); or advance the site's own: site.clock\\(\\)\\)");
        assertThatThrownBy(() -> own.jumpWallClock(A_MINUTE))
                .hasMessageStartingWith("jumpWallClock(PT1M) would have no effect");
    }

    @Test
    void clockMovesWhatIsOpenedWithIt() {
        try (var origin = Origin.start()) {
            EsiSite.over(origin.url()).at(clock);
            var proxys = TestClock.handSet();
            RunningProxy.inFrontOf(origin).clock(proxys);
            var origins = TestClock.handSet();

            clock.advance(A_MINUTE);
            proxys.advance(A_MINUTE);
            try (var timed = Origin.start(origins)) {
                origins.advance(A_MINUTE);
                assertThat(timed.url()).isNotNull();
            }
        }
    }

    @Test
    void clockThatASiteHasGivenUpSaysWhere() {
        var site = EsiSite.over(URI.create("http://127.0.0.1:1"));
        var before = site.clock();
        site.at(clock);

        assertThatThrownBy(() -> before.advance(A_MINUTE))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching(
                        "advance\\(PT1M\\) would have no effect: the site uses another clock since TestClockTest.java:\\d+ \\(advance that one: site.clock\\(\\)\\)");
    }

    @Test
    void timeOfASiteThatBeginsAnewIsThePresent() {
        try (var origin = Origin.start();
                var site = EsiSite.over(origin.url()).at(clock)) {
            var start = clock.now();
            site.clock().advance(Duration.ofDays(400));

            site.reset();

            assertThat(clock.now()).isBetween(start, start.plus(Duration.ofDays(1)));
        }
    }

    @Test
    void timeHasNothingToMoveWhereNothingIsKept() {
        try (var origin = Origin.start();
                var site = EsiSite.over(origin.url()).assembledBy(Assembling.APPLICATION)) {
            origin.on("/", Answer.html("whole"));
            site.get("/");

            assertThatThrownBy(() -> site.clock().advance(A_MINUTE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessage(
                            "advance(PT1M) would have no effect: the application itself does not cache (open the site with assembledBy(Assembling.PROXY))");

            site.reset();
            site.clock().advance(A_MINUTE);
        }
    }
}
