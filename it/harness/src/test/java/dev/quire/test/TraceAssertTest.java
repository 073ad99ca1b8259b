package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.PageAssertTest.fails;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import org.junit.jupiter.api.Test;

class TraceAssertTest {
    private final Page page =
            MadePage.of("/home")
                    .part(MadePart.page("/home").during(0, 100))
                    .part(MadePart.of("/live?r=1").during(10, 60))
                    .part(MadePart.of("/map").during(10, 90))
                    .part(MadePart.of("/late").inside("/map", 2).during(90, 100))
                    .part(MadePart.of("/kept").as(CacheOutcome.HIT).during(10, 10))
                    .request("/home", 0, 9)
                    .request("/live?r=1", 11, 58)
                    .request("/map", 11, 88)
                    .request("/late", 91, 99)
                    .made();

    @Test
    void whatHoldsIsSaidInOneSentence() {
        assertThat(page)
                .trace()
                .madeRequests("/live", 1)
                .madeRequests("/kept", 0)
                .madeRequestsOnly("/late", "/home", "/live?r=1", "/map")
                .ranInParallel("/live", "/map")
                .tookLessThan("101ms")
                .hasDepth(2)
                .and()
                .hasStatus(200);
        assertThat(page.trace()).hasDepth(2);
        assertThat(MadePage.of("/x").part(MadePart.page("/x")).made()).trace().madeNoRequests();
    }

    @Test
    void requestsAreCounted() {
        fails(
                () -> assertThat(page).trace().madeRequests("/live", 2),
                "expected /home to request /live from the application 2 times",
                "seen:     once",
                "requests: /home, /live?r=1, /map, /late",
                "was it already stored?");
        fails(
                () -> assertThat(page).trace().madeRequests("/map", 0),
                "expected: not at all",
                "is it stored, and for all readers?");
        fails(
                () -> assertThat(page).trace().madeNoRequests(),
                "expected /home to request nothing from the application",
                "unexpected: /home, /live?r=1, /map, /late");
        fails(
                () -> assertThat(page).trace().madeRequestsOnly("/home", "/live", "/map", "/kept"),
                "missing: /kept; unexpected: /late");
    }

    @Test
    void oneAfterTheOtherIsNotInParallel() {
        fails(
                () -> assertThat(page).trace().ranInParallel("/live", "/map", "/late"),
                "expected /live and /late of /home to be fetched in parallel",
                "10-60 ms and 90-100 ms",
                "docs/testing.md#parallel");
        fails(
                () -> assertThat(page).trace().ranInParallel("/live", "/kept"),
                "expected /home to fetch /kept",
                "a stored response is not fetched");
        fails(
                () -> assertThat(page).trace().ranInParallel("/live"),
                "expected at least two fragments");
    }

    @Test
    void timeAndDepthAreShown() {
        fails(
                () -> assertThat(page).trace().tookLessThan("100ms"),
                "expected /home to take less than 100ms",
                "seen:     100ms");
        fails(() -> assertThat(page).trace().hasDepth(1), "to have 1 levels", "seen:     2");
        fails(
                () -> assertThat(MadePage.of("/x").untold().made()).trace().hasDepth(1),
                "assembledBy(Assembling.PROXY)");
    }

    @Test
    void whatIsNoPathIsAnErrorOfTheTest() {
        fails(() -> assertThat(page).trace().madeRequests("live", 1), "'live' is not a path");
        fails(() -> assertThat(page.trace()).and(), "begin with assertThat(page).trace()");
    }
}
