package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Client connections: order, timeouts, bodies, and their end. */
class ConnectionsTest {
    /** As much of a body as is worth a connection to an origin. */
    private static final String START = "-".repeat(64 * 1024);

    @Test
    void pipelinedRequestsAreAnsweredInOrderOneAtATime() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            proxy.asked();
            var client = proxy.client();

            client.send(request("GET", "/a") + request("GET", "/hit") + request("GET", "/b"));

            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(client.received()).isEmpty();

            proxy.ask("/a").say(ok("A", "Cache-Control: no-store"));

            assertThat(client.received()).containsPattern("(?s)\r\n\r\nA.*\r\n\r\nhit$");
            assertThat(proxy.asked()).containsExactly("/b");
        }
    }

    @Test
    void manyPipelinedHitsNeedNoStack() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.send(request("GET", "/slow") + request("GET", "/hit").repeat(20_000));
            proxy.ask("/slow").say(ok("slow", "Cache-Control: no-store"));

            assertThat(proxy.finished).hasSize(20_001);
            assertThat(client.received()).endsWith("\r\n\r\nhit");
        }
    }

    @Test
    void clientThatAsksAndTakesNothingIsNotAnsweredAhead() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("x".repeat(10_000), "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.stopTaking();

            for (int i = 0; i < 100; i++) {
                client.send(request("GET", "/hit").repeat(10));
            }

            assertThat(proxy.finished).hasSizeLessThan(10);

            client.takeAgain();

            assertThat(proxy.finished).hasSize(1000);
        }
    }

    @Test
    void clientThatTakesNothingForHalfAMinuteIsClosed() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("x", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.stopTaking();
            client.get("/hit");

            proxy.pass(Duration.ofSeconds(32));

            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void headThatIsNotWholeInTenSecondsIs408() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send("GET / HTTP/1.1\r\n");

            proxy.pass(Duration.ofSeconds(5));
            client.send("Host: news.test\r\n");
            proxy.pass(Duration.ofSeconds(6));

            assertThat(client.received()).startsWith("HTTP/1.1 408 ").contains("Connection: close");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void unfinishedHeadBehindARequestDoesNotCutItsAnswer() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("GET", "/a") + "GET /b HT");

            proxy.pass(Duration.ofSeconds(12));
            proxy.ask("/a").say(ok("A", "Cache-Control: no-store"));

            assertThat(client.received()).contains("\r\nConnection: close\r\n").endsWith("A");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void busyConnectionIsNotTakenForOneThatIsSlow() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();
            var half = request("GET", "/hit");
            client.send(half.substring(0, 9));

            for (int i = 0; i < 30; i++) {
                proxy.pass(Duration.ofSeconds(1));
                client.send(half.substring(9) + half.substring(0, 9));
            }

            assertThat(client.isClosed()).isFalse();
            assertThat(proxy.finished).hasSize(30);
        }
    }

    @Test
    void clientHasNoMoreConnectionsThanItsShare() {
        try (var proxy = new OneThread(new Rules().maxPerClient(2))) {
            var first = proxy.client();
            var second = proxy.client();
            var third = proxy.client();
            assertThat(third.isClosed()).isTrue();
            assertThat(proxy.metrics.scrape())
                    .contains("quire_rejects_total{reason=\"too-many-of-one-client\"} 1.0");

            first.hangUp();
            var fourth = proxy.client();

            assertThat(second.isClosed()).isFalse();
            assertThat(fourth.isClosed()).isFalse();
        }
    }

    @Test
    void idleConnectionIsClosedWithoutAWord() {
        try (var proxy = new OneThread(new Rules().keepAlive(Duration.ofSeconds(5)))) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.get("/hit");
            client.received();

            proxy.pass(Duration.ofSeconds(6));

            assertThat(client.isClosed()).isTrue();
            assertThat(client.received()).isEmpty();
        }
    }

    @Test
    void withoutKeepAliveEachConnectionHasTimeForItsOneRequest() {
        try (var proxy = new OneThread(new Rules().keepAlive(Duration.ZERO))) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();

            proxy.pass(Duration.ofSeconds(3));
            client.get("/hit");

            assertThat(client.received()).contains("\r\nConnection: close\r\n").endsWith("hit");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void drainClosesIdleConnectionsSoonAndBusyOnesWithTheirAnswer() throws Exception {
        try (var proxy = new OneThread()) {
            var idle = proxy.client();
            var busy = proxy.client();
            var flowing = proxy.client();
            busy.get("/a");
            flowing.get("/b");
            proxy.ask("/b").say("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\nb");

            proxy.listener.drain(Duration.ZERO);
            proxy.turn();
            proxy.pass(Duration.ofMillis(500));

            assertThat(idle.isClosed()).isTrue();

            proxy.ask("/a").say(ok("A", "Cache-Control: no-store"));
            proxy.ask("/b").close();

            assertThat(busy.received()).contains("\r\nConnection: close\r\n").endsWith("A");
            assertThat(busy.isClosed()).isTrue();
            assertThat(flowing.received())
                    .doesNotContain("Connection: close")
                    .endsWith("0\r\n\r\n");
            proxy.pass(Duration.ofMillis(500));
            assertThat(flowing.isClosed()).isTrue();
            assertThat(proxy.listener.openConnections()).isZero();
        }
    }

    @Test
    void requestThatCrossesTheBeginningOfADrainIsAnswered() throws Exception {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var fresh = proxy.client();
            var asking = proxy.client();
            var kept = proxy.client();
            kept.get("/hit");
            kept.received();
            asking.send("GET /hit HTTP/1.1\r\n");

            proxy.listener.drain(Duration.ZERO);
            fresh.get("/hit");
            kept.get("/hit");
            proxy.pass(Duration.ofSeconds(1));
            asking.send("Host: news.test\r\n\r\n");

            for (var client : List.of(fresh, asking, kept)) {
                assertThat(client.received()).contains("\r\nConnection: close\r\n").endsWith("hit");
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    @Test
    void clientThatWasNotToldOfADrainMayAskOnceMore() throws Exception {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.get("/b");
            proxy.ask("/b").say("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\nb");
            proxy.listener.drain(Duration.ZERO);
            proxy.ask("/b").close();
            assertThat(client.received()).doesNotContain("Connection: close");

            client.get("/hit");

            assertThat(client.received()).contains("\r\nConnection: close\r\n").endsWith("hit");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void brokenChunkIs400AndTheOriginNeverSeesAWholeBody() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(
                    request("POST", "/p", "Transfer-Encoding: chunked")
                            + "10000\r\n"
                            + START
                            + "\r\n3\r\nabc\r\n");
            assertThat(proxy.ask("/p").text()).endsWith("3\r\nabc\r\n");

            client.send("zz\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 400 Bad Request\r\n")
                    .contains("\r\nConnection: close\r\n");
            assertThat(client.isClosed()).isTrue();
            assertThat(proxy.ask("/p").text()).doesNotContain("0\r\n\r\n");
            assertThat(proxy.ask("/p").isClosed()).isTrue();
        }
    }

    @Test
    void clientThatLeavesInItsBodyTakesTheOriginsConnectionWithIt() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 99999") + START);

            client.hangUp();

            assertThat(proxy.ask("/p").isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
            assertThat(proxy.last().response().status()).isZero();
        }
    }

    @Test
    void bodyThatDripsIs408AndTheOriginNeverSeesAWholeBody() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 99999") + START);

            for (int i = 0; i < 75; i++) {
                proxy.pass(Duration.ofSeconds(1));
                client.send("x");
            }

            assertThat(client.received())
                    .startsWith("HTTP/1.1 408 ")
                    .contains("Connection: close\r\n");
            assertThat(proxy.ask("/p").isClosed()).isTrue();
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void bodyThatDripsFromTheStartIs408AndTheOriginSeesNothing() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 900"));

            for (int i = 0; i < 12; i++) {
                proxy.pass(Duration.ofSeconds(1));
                client.send("x");
            }

            assertThat(client.received()).startsWith("HTTP/1.1 408 ");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void bodyThatIsAnnouncedTooLargeIs413BeforeAnythingIsAsked() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send(request("POST", "/p", "Content-Length: 16777217") + "abc");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 413 ")
                    .contains("\r\nConnection: close\r\n");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void bodyThatBecomesTooLargeIs413AndTheOriginNeverSeesAWholeBody() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Transfer-Encoding: chunked"));
            for (int i = 0; i < 256; i++) {
                client.send("10000\r\n" + START + "\r\n");
            }
            var before = client.received();

            client.send("1\r\nx\r\n0\r\n\r\n");

            assertThat(before).isEmpty();
            assertThat(client.received())
                    .startsWith("HTTP/1.1 413 ")
                    .contains("\r\nConnection: close\r\n");
            assertThat(proxy.ask("/p").isClosed()).isTrue();
            assertThat(proxy.ask("/p").text()).doesNotContain("x\r\n0");
        }
    }

    @Test
    void bodyOfAKibibyteASecondIsFastEnough() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 40960"));

            for (int i = 0; i < 40; i++) {
                proxy.pass(Duration.ofSeconds(1));
                client.send("x".repeat(1024));
            }
            proxy.ask("/p").say(ok("thanks"));

            assertThat(client.received()).endsWith("thanks");
        }
    }

    @Test
    void answerBeforeTheBodyIsWholeIsDeliveredAndTheRestDropped() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 65542") + START);

            proxy.ask("/p").say(answer("413 Content Too Large", "no"));
            client.send("defghi" + request("GET", "/hit"));

            assertThat(client.received()).containsPattern("(?s)^HTTP/1.1 413 .*\r\n\r\nno.*hit$");
            assertThat(proxy.ask("/p").text()).doesNotContain("def");
        }
    }

    @Test
    void restOfABodyThatArrivesKeepsTheConnection() {
        try (var proxy = new OneThread()) {
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 265536") + START);
            proxy.ask("/p").say(answer("413 Content Too Large", "no"));
            assertThat(client.received()).startsWith("HTTP/1.1 413 ");

            for (int i = 0; i < 20; i++) {
                proxy.pass(Duration.ofSeconds(1));
                client.send("x".repeat(10_000));
            }

            client.send(request("GET", "/hit"));
            assertThat(client.received()).startsWith("HTTP/1.1 200 ").endsWith("hit");
            proxy.pass(Duration.ofSeconds(17));
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void restOfABodyThatStallsEndsTheConnection() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 265536") + START);
            proxy.ask("/p").say(answer("413 Content Too Large", "no"));

            proxy.pass(Duration.ofSeconds(17));

            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void refusedRequestLeavesItsBodyUnread() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send(
                    "POST / HTTP/1.1\r\nHost: other.test\r\nContent-Length: 3\r\n\r\nabc"
                            + "POST / HTTP/1.1\r\nHost: other.test\r\nContent-Length: 0\r\n\r\n");

            assertThat(client.received()).containsPattern("(?s)^HTTP/1.1 421 .*HTTP/1.1 421 ");
        }
    }

    @Test
    void clientIsToldToGoOnWhenTheOriginIs() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 3", "Expect: 100-continue"));
            assertThat(client.received()).isEmpty();

            proxy.ask("/p").say("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(client.received()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            client.send("abc");
        }
    }

    @Test
    void bodyThatWasNeverAskedForEndsTheConnectionWithTheAnswer() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/p", "Content-Length: 3", "Expect: 100-continue"));

            proxy.ask("/p").say(answer("403 Forbidden", "no"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 403 Forbidden\r\n")
                    .contains("\r\nConnection: close\r\n");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void garbageIsRefusedAndTheConnectionClosed() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send("\u0016\u0003\u0001 garbage\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 400 Bad Request\r\n")
                    .contains("\r\nConnection: close\r\n");
            assertThat(client.isClosed()).isTrue();
            assertThat(proxy.finished).isEmpty();
        }
    }
}
