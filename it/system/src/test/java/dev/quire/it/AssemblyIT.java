package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HeldAnswers;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.ArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Assembly of pages from fragments (ESI 1.0 §3). */
class AssemblyIT {
    private static final int MIB = 1024 * 1024;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void textInFrontLeavesWhileSixFragmentsAreInFlightAndOrderIsKept() {
        var holds = new ArrayList<HeldAnswers>();
        for (int i = 1; i <= 6; i++) {
            origin.on("/part/" + i, fragment("[" + i + "]"));
            holds.add(origin.hold("/part/" + i));
        }
        origin.on(
                "/page",
                page(
                        "<h1>front</h1>"
                                + IntStream.rangeClosed(1, 6)
                                        .mapToObj(i -> include("/part/" + i) + i)
                                        .collect(Collectors.joining())));

        try (var client = proxy.connect()) {
            var arriving = client.request("GET", "/page").begin();
            assertThat(arriving.awaitText("<h1>front</h1>")).isEqualTo("<h1>front</h1>");
            holds.forEach(held -> held.awaitWaiting(1));
            holds.reversed().forEach(HeldAnswers::release);

            var response = arriving.finish();

            assertThat(response.text()).isEqualTo("<h1>front</h1>[1]1[2]2[3]3[4]4[5]5[6]6");
            assertThat(response.field("Cache-Control")).contains("private").contains("no-cache");
            assertThat(response.field("ETag")).isNull();
        }
    }

    @Test
    void readyFragmentWaitsForTheOneInFront() {
        origin.on("/slow", fragment("slow")).on("/fast", fragment("fast"));
        origin.on("/page", page("a" + include("/slow") + "b" + include("/fast") + "c"));
        var slow = origin.hold("/slow");

        try (var client = proxy.connect()) {
            var arriving = client.request("GET", "/page").begin();
            slow.awaitWaiting(1);
            origin.awaitRequest("/fast");
            assertThat(arriving.awaitText("a")).isEqualTo("a");
            slow.release();

            assertThat(arriving.finish().text()).isEqualTo("aslowbfastc");
        }
    }

    @Test
    void pageWhoseFragmentsAreAllStoredHasALength() {
        origin.on("/part", fragment("part")).on("/page", page("<" + include("/part") + ">"));
        proxy.get("/page");

        var again = proxy.get("/page");

        assertThat(again.text()).isEqualTo("<part>");
        assertThat(again.field("Content-Length")).isEqualTo("6");
        assertThat(origin.paths()).containsExactly("/page", "/part");
    }

    @Test
    void nestedUrlsStartAtTheFragmentThatHoldsThem() {
        origin.on("/page", page("(" + include("/parts/list") + ")"));
        origin.on("/parts/list", page(include("item") + include("../top?a=1&amp;b=2")));
        origin.on("/parts/item", fragment("item"));
        origin.on("/top?a=1&b=2", fragment("top"));

        assertThat(proxy.get("/page").text()).isEqualTo("(itemtop)");
    }

    @Test
    void alternativeStandsInForAFailedFragment() {
        origin.on("/page", page("<<esi:include src=\"/gone\" alt=\"/instead\"/>>"));
        origin.on("/gone", Answer.status(410).body("gone for good"));
        origin.on("/instead", fragment("instead"));

        assertThat(proxy.get("/page").text()).isEqualTo("<instead>");
    }

    @Test
    void failedFragmentDisappearsAndItsErrorBodyIsNeverInserted() {
        origin.on(
                "/page",
                page(
                        "a"
                                + include("/500")
                                + "b<esi:include src=\"/404\" onerror=\"continue\"/>c"
                                + "<esi:include src=\"/404\" alt=\"/500\"/>d"));
        origin.on("/500", Answer.status(500).body("secret stack trace"));
        origin.on("/404", Answer.status(404).body("no such thing"));

        var response = proxy.get("/page");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("abcd");
    }

    @Test
    void loopOfIncludesEnds() {
        origin.on("/a", page("a" + include("/b"))).on("/b", page("b" + include("/a")));

        var response = proxy.get("/a");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("ab");
        assertThat(origin.paths()).containsExactly("/a", "/b");
    }

    @Test
    void fragmentsBelowTheTenthLevelAreOmitted() {
        for (int level = 0; level <= 12; level++) {
            origin.on("/" + level, page(level + " " + include("/" + (level + 1))));
        }

        var response = proxy.get("/0");

        assertThat(response.text()).isEqualTo("0 1 2 3 4 5 6 7 8 9 10 ");
        assertThat(origin.requests("/11")).isEmpty();
    }

    @Test
    void includesBeyondThePagesBudgetAreOmitted() {
        try (var frugal =
                RunningProxy.inFrontOf(origin).with("esi", "{ max-includes: 3 }").start()) {
            origin.on(
                    "/page",
                    page(
                            IntStream.range(0, 5)
                                    .mapToObj(i -> include("/" + i))
                                    .collect(Collectors.joining())));
            for (int i = 0; i < 5; i++) {
                origin.on("/" + i, fragment(i + ""));
            }

            assertThat(frugal.get("/page").text()).isEqualTo("012");
            assertThat(origin.paths()).doesNotContain("/3", "/4");
        }
    }

    @Test
    void truncatedFragmentIsAFailedFragmentAndNothingOfItIsStored() {
        origin.on("/page", page("<" + include("/part") + ">"));
        origin.on("/part", fragment("half and half").cutAfter(4), fragment("whole"));

        assertThat(proxy.get("/page").text()).isEqualTo("<>");
        assertThat(proxy.get("/page").text()).isEqualTo("<whole>");
    }

    @Test
    void chunkedFragmentWithoutItsLastChunkIsTruncated() {
        origin.on("/page", page("<" + include("/part") + ">"));
        origin.on("/part", fragment("1234").chunked().cutAfter(4), fragment("whole"));

        assertThat(proxy.get("/page").text()).isEqualTo("<>");
        assertThat(proxy.get("/page").text()).isEqualTo("<whole>");
    }

    @Test
    void largeFragmentsKeepTheirPlace() {
        origin.on("/page", page("a" + include("/1") + "b" + include("/2") + "c"));
        origin.on("/1", fragment("").repeating("1", MIB));
        origin.on("/2", privately("").repeating("2", 2 * MIB).chunked());

        var response = proxy.get("/page");

        assertThat(response.text())
                .isEqualTo("a" + "1".repeat(MIB) + "b" + "2".repeat(2 * MIB) + "c");
    }

    @Test
    void fragmentNamedTwiceIsFetchedOnce() {
        origin.on("/page", page(include("/part") + "-" + include("/part")));
        origin.on("/part", fragment("x"));

        assertThat(proxy.get("/page").text()).isEqualTo("x-x");
        assertThat(origin.requests("/part")).hasSize(1);
    }

    @Test
    void pageThatDoesNotAskForItIsNotParsed() {
        var document = "you searched for " + include("/secret");
        origin.on("/search", Answer.html(document));

        assertThat(proxy.get("/search").text()).isEqualTo(document);
        assertThat(origin.requests("/secret")).isEmpty();
    }

    @Test
    void hostThatIsNotOurOwnIsNeverAsked() {
        try (var internal = Origin.start()) {
            origin.on("/page", page("<" + include(internal.url() + "/secret") + ">"));

            assertThat(proxy.get("/page").text()).isEqualTo("<>");
            assertThat(internal.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void pageMayArriveInPiecesOfAnySize(int bytes) {
        origin.on(
                "/page",
                page("<!--esi a" + include("/part") + "--><esi:remove>no</esi:remove>b")
                        .chunked()
                        .through(SlowLine.dripping(bytes)));
        origin.on("/part", fragment("[part]").through(SlowLine.dripping(bytes)));

        assertThat(proxy.get("/page").text()).isEqualTo(" a[part]b");
    }

    @Test
    void headOfAPageHasNeitherBodyNorLength() {
        origin.on("/page", page("<" + include("/part") + ">")).on("/part", fragment("part"));
        proxy.get("/page");

        try (var client = proxy.connect()) {
            var head = client.request("HEAD", "/page").response();

            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("Content-Length")).isNull();
            assertThat(client.get("/page").text()).isEqualTo("<part>");
        }
    }
}
