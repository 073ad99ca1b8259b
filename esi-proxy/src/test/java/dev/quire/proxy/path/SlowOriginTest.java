package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stale responses while the origin takes longer than {@code stale-if-slow}. */
class SlowOriginTest {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String SHORT = "Cache-Control: max-age=1";
    private static final String NOT_MODIFIED = bare("304 Not Modified", "ETag: \"1\"", FRESH);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Past the lifetime and the grace of {@link #SHORT}. */
    private static final Duration PAST_GRACE = Duration.ofSeconds(20);

    @Test
    void requestPastGraceWaitsASecondForTheOrigin() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.get("/a");

            proxy.pass(SECOND.minusMillis(10));
            assertThat(client.received()).isEmpty();
            proxy.pass(Duration.ofMillis(10));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nAge: 21\r\n")
                    .endsWith("\r\n\r\nold");
            assertThat(proxy.ask("/a").isClosed()).isFalse();
            assertThat(proxy.last().trace().outcome()).isEqualTo("stale");
            assertThat(proxy.last().trace().reason()).isEqualTo("slow");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_cache_stale_served_total{reason=\"slow\"} 1.0")
                    .contains("quire_cache_stale_served_total{reason=\"no-answer\"} 0.0");
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void fetchGoesOnAsTheRefresh() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.get("/a");
            proxy.pass(SECOND);
            client.received();

            proxy.ask("/a").say(NOT_MODIFIED);
            client.get("/a");

            assertThat(client.received()).contains("\r\nAge: 1\r\n").endsWith("\r\n\r\nold");
            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_background_refresh_total{outcome=\"renewed\"} 1.0");
        }
    }

    @Test
    void allWhoWaitGetStaleAtOnceAndLaterOnesDoNotWait() {
        try (var proxy = stale("ETag: \"1\"")) {
            var first = proxy.client();
            var second = proxy.client();
            var late = proxy.client();
            first.get("/a");
            proxy.pass(SECOND.dividedBy(2));
            second.get("/a");
            proxy.pass(SECOND.dividedBy(2));
            assertThat(first.received()).endsWith("\r\n\r\nold");
            assertThat(second.received()).endsWith("\r\n\r\nold");

            for (int i = 0; i < 12; i++) {
                proxy.pass(SECOND);
                late.get("/a");
                assertThat(late.received()).endsWith("\r\n\r\nold");
            }

            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(proxy.waiting()).isZero();
            proxy.ask("/a").say(ok("new", FRESH));
            late.get("/a");
            assertThat(late.received()).endsWith("\r\n\r\nnew");
        }
    }

    @Test
    void oneTimerServesAllWhoWait() {
        assertThat(timers(SECOND, "/a") - timers(Duration.ZERO, "/a")).isEqualTo(1);
        assertThat(timers(SECOND, "/new") - timers(Duration.ZERO, "/new")).isZero();
    }

    /** The timers that are set for three requests for {@code target}; only {@code /a} is stored. */
    private static int timers(Duration slow, String target) {
        try (var proxy = stale(new Rules().staleIfSlow(slow), "ETag: \"1\"")) {
            int before = proxy.loop.timers;
            for (int i = 0; i < 3; i++) {
                proxy.client().get(target);
            }
            int set = proxy.loop.timers - before;
            proxy.ask(target).say(ok("new", FRESH));
            return set;
        }
    }

    @Test
    void waitIsAsLongAsTheFetchIfTheOperatorSaysSo() {
        try (var proxy = stale(new Rules().staleIfSlow(Duration.ZERO), "ETag: \"1\"")) {
            assertThatItWaitsForTheOrigin(proxy);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cache-Control: max-age=1, must-revalidate, stale-if-error=600",
                "Cache-Control: max-age=1, proxy-revalidate, stale-if-error=600",
                "Cache-Control: max-age=600, no-cache, stale-if-error=600",
                "Cache-Control: s-maxage=1, stale-if-error=600",
                "Cache-Control: max-age=1, stale-if-error=15",
                "Surrogate-Control: max-age=1+0"
            })
    void staleIsNeverServedWhereAFailureWouldNotAllowIt(String line) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", line, "ETag: \"1\""));
            proxy.pass(PAST_GRACE);
            assertThatItWaitsForTheOrigin(proxy);
        }
    }

    @Test
    void windowOfAFailureEndsWhileTheRequestWaits() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1, stale-if-error=20"));
            proxy.pass(Duration.ofMillis(20_500));
            var client = proxy.client();
            client.get("/a");

            proxy.pass(SECOND.multipliedBy(2));

            assertThat(client.received()).isEmpty();
            proxy.ask("/a").say(ok("new", FRESH));
        }
    }

    @Test
    void queueForAConnectionCounts() {
        var rules = new Rules();
        rules.maxConnections = 1;
        try (var proxy = stale(rules, "ETag: \"1\"")) {
            var blocking = proxy.client();
            blocking.get("/blocks");
            var client = proxy.client();
            client.get("/a");

            proxy.pass(SECOND);

            assertThat(client.received()).endsWith("\r\n\r\nold");
            assertThat(proxy.asked()).containsExactly("/blocks");
            proxy.ask("/blocks").say(ok("b", FRESH));
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void clockIsThatOfTheRefreshItJoins() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", SHORT, "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(9));
            var client = proxy.client();
            client.get("/a");
            assertThat(client.received()).endsWith("\r\n\r\nold");
            proxy.pass(Duration.ofSeconds(5));

            client.get("/a");

            assertThat(client.received()).endsWith("\r\n\r\nold");
            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void fetchThatFailsLaterLeavesTheStoredResponse() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.get("/a");
            proxy.pass(SECOND);
            client.received();
            proxy.pass(Duration.ofSeconds(15));
            assertThat(proxy.metrics.scrape())
                    .contains("quire_background_refresh_total{outcome=\"failed\"} 1.0");
            proxy.asked();

            client.get("/a");
            assertThat(client.received()).isEmpty();
            proxy.pass(SECOND);

            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(client.received()).endsWith("\r\n\r\nold");
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void fetchGoesOnAlthoughWhoAskedHasLeft() {
        try (var proxy = stale("ETag: \"1\"")) {
            var gone = proxy.client();
            var client = proxy.client();
            gone.get("/a");
            client.get("/a");
            gone.hangUp();

            proxy.pass(SECOND);

            assertThat(client.received()).endsWith("\r\n\r\nold");
            assertThat(proxy.ask("/a").isClosed()).isFalse();
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void bodyThatStallsIsReplacedForThoseWhoHaveNoneOfIt() {
        try (var proxy = stale()) {
            var streaming = proxy.client();
            var joined = proxy.client();
            streaming.get("/a");
            joined.get("/a");
            proxy.ask("/a").say(ok("new", FRESH).replace("\r\n\r\nnew", "\r\n\r\nn"));

            proxy.pass(SECOND);

            assertThat(joined.received()).endsWith("\r\n\r\nold");
            proxy.ask("/a").say("ew");
            assertThat(streaming.received()).endsWith("\r\n\r\nnew");
            joined.get("/a");
            assertThat(joined.received()).endsWith("\r\n\r\nnew");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_background_refresh_total{outcome=\"replaced\"} 1.0");
        }
    }

    @Test
    void documentOfOneReaderThatStallsLeavesTheStoredResponse() {
        var esi = "content=\"ESI/1.0\"";
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/p",
                    ok("old", "Content-Type: text/html", "Surrogate-Control: max-age=1, " + esi));
            proxy.pass(PAST_GRACE);
            var client = proxy.client();
            client.get("/p");
            var mine = ok("mine", "Content-Type: text/html", "Surrogate-Control: no-store, " + esi);
            proxy.ask("/p").say(mine.substring(0, mine.length() - 1));

            proxy.pass(SECOND);

            assertThat(client.received()).endsWith("\r\n\r\nold");
            // The last byte may still come within a second.
            proxy.pass(SECOND);
            assertThat(proxy.ask("/p").isClosed()).isTrue();
            client.get("/p");
            proxy.pass(SECOND);
            assertThat(client.received()).endsWith("\r\n\r\nold");
            proxy.ask("/p").say(mine);
        }
    }

    @Test
    void newResponseThatIsPrivateReplacesStaleForLaterReaders() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.get("/a");
            proxy.pass(SECOND);
            client.received();

            proxy.ask("/a").say(ok("mine", "Cache-Control: private"));
            client.get("/a");

            assertThat(client.received()).isEmpty();
            proxy.ask("/a").say(ok("mine", "Cache-Control: private"));
            assertThat(client.received()).endsWith("\r\n\r\nmine");
        }
    }

    @Test
    void readerOfAnotherVariantGetsItsOwnStaleResponse() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("none", SHORT, "Vary: Accept-Language"));
            proxy.pass(PAST_GRACE);
            var korean = proxy.client();
            var other = proxy.client();
            korean.get("/a", "Accept-Language: ko");
            other.get("/a");

            proxy.pass(SECOND);

            assertThat(other.received()).endsWith("\r\n\r\nnone");
            assertThat(korean.received()).isEmpty();
            proxy.ask("/a").say(ok("ko", FRESH, "Vary: Accept-Language"));
            assertThat(korean.received()).endsWith("\r\n\r\nko");
        }
    }

    @Test
    void conditionRangeAndHeadAreAnsweredFromTheStaleResponse() {
        try (var proxy = stale("ETag: \"1\"")) {
            var conditional = proxy.client();
            var ranged = proxy.client();
            var head = proxy.client();
            conditional.get("/a", "If-None-Match: \"1\"");
            ranged.get("/a", "Range: bytes=1-1");
            head.send(request("HEAD", "/a"));

            proxy.pass(SECOND);

            assertThat(conditional.received()).startsWith("HTTP/1.1 304 ");
            assertThat(ranged.received())
                    .startsWith("HTTP/1.1 206 ")
                    .contains("\r\nContent-Range: bytes 1-1/3\r\n")
                    .endsWith("\r\n\r\nl");
            assertThat(head.received())
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nContent-Length: 3\r\n")
                    .endsWith("\r\n\r\n");
            var questions = proxy.questions();
            assertThat(questions).hasSize(2);
            assertThat(questions.getFirst().isClosed()).as("the shared fetch").isFalse();
            assertThat(questions.getLast().isClosed()).as("that of HEAD alone").isTrue();
            questions.getFirst().say(NOT_MODIFIED);
        }
    }

    @Test
    void postIsNeverAnsweredFromTheStore() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));

            proxy.pass(SECOND.multipliedBy(5));

            assertThat(client.received()).isEmpty();
            proxy.ask("/a").say(ok("done"));
        }
    }

    @Test
    void windowOfTheClientCountsAsForAFailure() {
        try (var proxy = new OneThread(new Rules().heedingClients())) {
            proxy.stored("/a", ok("old", SHORT, "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(100));
            var tolerant = proxy.client();
            var other = proxy.client();
            other.get("/a");
            tolerant.get("/a", "Cache-Control: stale-if-error=600");

            proxy.pass(SECOND);

            assertThat(tolerant.received()).endsWith("\r\n\r\nold");
            assertThat(other.received()).isEmpty();
            proxy.ask("/a").say(ok("new", FRESH));
            assertThat(other.received()).endsWith("\r\n\r\nnew");
        }
    }

    @Test
    void requestThatMustNotBeStoredEndsItsOwnFetch() {
        try (var proxy = new OneThread(new Rules().heedingClients())) {
            proxy.stored("/a", ok("old", SHORT, "ETag: \"1\""));
            proxy.pass(PAST_GRACE);
            var client = proxy.client();
            client.get("/a", "Cache-Control: no-store");

            proxy.pass(SECOND);

            assertThat(client.received()).endsWith("\r\n\r\nold");
            assertThat(proxy.ask("/a").isClosed()).isTrue();
        }
    }

    @Test
    void pageWaitsASecondForItsFragmentsAndHasNoLifetimeThen() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("old", SHORT, "ETag: \"1\""));
            proxy.pass(PAST_GRACE);
            proxy.stored("/page", page("<" + include("/f") + ">", FRESH));
            var first = proxy.client();
            var late = proxy.client();
            first.get("/page");

            proxy.pass(SECOND);
            late.get("/page");

            assertThat(first.received()).contains("<", "old");
            assertThat(late.received())
                    .contains("\r\nCache-Control: no-cache\r\n")
                    .endsWith("\r\n\r\n<old>");
            assertThat(proxy.asked()).containsExactly("/f");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_fragments_total{outcome=\"stale\"} 2.0")
                    .contains("quire_cache_stale_served_total{reason=\"slow\"} 2.0");
            proxy.ask("/f").say(ok("new", FRESH));
            late.get("/page");
            assertThat(late.received()).endsWith("\r\n\r\n<new>");
        }
    }

    @Test
    void fragmentWhoseBodyStallsIsServedStale() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("old", SHORT));
            proxy.pass(PAST_GRACE);
            proxy.stored("/page", page("<" + include("/f") + ">"));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/f").say(ok("new", FRESH).replace("\r\n\r\nnew", "\r\n\r\nn"));

            proxy.pass(SECOND);

            assertThat(client.received()).contains("old").endsWith("0\r\n\r\n");
            proxy.ask("/f").say("ew");
            client.get("/page");
            assertThat(client.received()).endsWith("\r\n\r\n<new>");
        }
    }

    @Test
    void staleResponseThatCannotBeDecodedIsOfNoUse() {
        try (var proxy = new OneThread()) {
            var gzip = proxy.client();
            for (var target : new String[] {"/f", "/g"}) {
                gzip.get(target, "Accept-Encoding: gzip");
                proxy.ask(target).say(ok("no gzip", SHORT, "Content-Encoding: gzip"));
            }
            proxy.asked();
            proxy.pass(PAST_GRACE);
            proxy.stored("/page", page("<" + include("/f") + ">"));
            var reader = proxy.client();
            var plain = proxy.client();
            reader.get("/page");
            plain.get("/g");

            proxy.pass(SECOND.multipliedBy(3));

            assertThat(reader.received()).doesNotEndWith("0\r\n\r\n");
            assertThat(plain.received()).isEmpty();
            assertThat(proxy.asked()).containsExactly("/f", "/g", "/g");
            proxy.ask("/f").say(ok("new", FRESH));
            proxy.ask("/g").say(ok("new", FRESH));
            assertThat(reader.received()).contains("new").endsWith("0\r\n\r\n");
            assertThat(plain.received()).endsWith("\r\n\r\nnew");
        }
    }

    @Test
    void failureWithinTheTimeIsHandledAsBefore() {
        try (var proxy = stale("ETag: \"1\"")) {
            var client = proxy.client();
            client.get("/a");
            proxy.pass(SECOND.dividedBy(2));

            proxy.ask("/a").say(answer("503 Busy", "sorry"));

            assertThat(client.received()).startsWith("HTTP/1.1 503 ");
            proxy.pass(SECOND);
            assertThat(client.received()).isEmpty();
        }
    }

    @Test
    void cacheStatusSaysThatTheOriginIsSlow() {
        try (var proxy = stale(new Rules().trustingClients(), "ETag: \"1\"")) {
            var first = proxy.client();
            var debugging = proxy.client();
            first.get("/a");
            debugging.get("/a", "Quire-Debug: 1");

            proxy.pass(SECOND);

            assertThat(first.received())
                    .contains("\r\nCache-Status: quire; fwd=stale; ttl=-20; detail=\"slow\"\r\n");
            assertThat(debugging.received())
                    .contains(
                            "\r\nCache-Status: quire; fwd=stale; collapsed; ttl=-20;"
                                    + " key=\"http://news.test/a\"; detail=\"slow\"\r\n");
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    @Test
    void cacheStatusOfALateRequestNamesTheSharedFetch() {
        try (var proxy = stale(new Rules().trustingClients(), "ETag: \"1\"")) {
            proxy.client().get("/a");
            proxy.pass(SECOND.multipliedBy(2));
            var late = proxy.client();

            late.get("/a");

            assertThat(late.received())
                    .contains(
                            "\r\nCache-Status: quire; fwd=stale; collapsed; ttl=-21;"
                                    + " detail=\"slow\"\r\n");
            proxy.ask("/a").say(NOT_MODIFIED);
        }
    }

    private static void assertThatItWaitsForTheOrigin(OneThread proxy) {
        var client = proxy.client();
        client.get("/a");

        proxy.pass(SECOND.multipliedBy(10));
        assertThat(client.received()).isEmpty();
        proxy.ask("/a").say(ok("new", FRESH));

        assertThat(client.received()).endsWith("\r\n\r\nnew");
    }

    private static OneThread stale(String... lines) {
        return stale(new Rules(), lines);
    }

    /** A proxy whose response for {@code /a} is stale beyond its grace. */
    private static OneThread stale(Rules rules, String... lines) {
        var proxy = new OneThread(rules);
        var all = new ArrayList<>(List.of(lines));
        all.add(SHORT);
        proxy.stored("/a", ok("old", all.toArray(String[]::new)));
        proxy.pass(PAST_GRACE);
        return proxy;
    }
}
