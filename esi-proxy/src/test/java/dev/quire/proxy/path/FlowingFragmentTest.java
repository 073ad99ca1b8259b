package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Fragments that are not stored and too large to be held. */
class FlowingFragmentTest {
    private static final int KIB = 1024;

    @Test
    void largeFragmentFlowsOnceItsTurnHasCome() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("<" + include("/big") + ">"));
            var client = proxy.client();
            client.get("/page");

            proxy.ask("/big").say(head(600 * KIB) + "x".repeat(200 * KIB));

            assertThat(client.received()).isEmpty();

            proxy.ask("/big").say("x".repeat(200 * KIB));

            assertThat(bodyOf(client.received())).isEqualTo("<" + "x".repeat(400 * KIB));

            proxy.ask("/big").say("x".repeat(200 * KIB));

            assertThat(client.received()).endsWith("\r\n1\r\n>\r\n0\r\n\r\n");
        }
    }

    @Test
    void pageThatFlowsBeyondItsLimitIsCut() {
        try (var proxy = new OneThread(new OneThread.Rules().maxPage(300 * KIB))) {
            proxy.stored("/page", page("<" + include("/big") + ">"));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(600 * KIB) + "x".repeat(290 * KIB));
            var before = client.isClosed();

            proxy.ask("/big").say("x".repeat(20 * KIB));

            assertThat(before).isFalse();
            assertThat(client.isClosed()).isTrue();
            assertThat(client.received()).doesNotEndWith("0\r\n\r\n");
            assertThat(proxy.ask("/big").isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
        }
    }

    @Test
    void pageOfStoredPartsBeyondItsLimitIs502() {
        try (var proxy = new OneThread(new OneThread.Rules().maxPage(300))) {
            proxy.stored("/part", ok("x".repeat(100), "Cache-Control: max-age=60"));
            proxy.stored("/three", page(include("/part").repeat(3)));
            proxy.stored("/four", page(include("/part").repeat(4)));
            var client = proxy.client();

            client.get("/three");
            assertThat(client.received()).startsWith("HTTP/1.1 200 ");
            client.get("/four");
            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
            client.get("/three");
            assertThat(client.received()).endsWith("x".repeat(300));
        }
    }

    @Test
    void largeFragmentWaitsForItsTurnWithoutBeingReadOn() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(include("/first") + include("/big")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(900 * KIB) + "x".repeat(300 * KIB));
            proxy.ask("/big").say("x".repeat(600 * KIB));

            assertThat(proxy.heldBack()).isEqualTo(1);
            proxy.pass(Duration.ofSeconds(9));
            proxy.ask("/first").say(ok("first ", "Cache-Control: max-age=60"));

            assertThat(bodyOf(client.received())).isEqualTo("first " + "x".repeat(900 * KIB));
        }
    }

    @Test
    void fragmentThatIsHeldBackIsNotLateAndHidesNoneThatIs() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page(
                            "<esi:include src=\"/first\" alt=\"/other\"/>"
                                    + include("/big")
                                    + include("/late")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(300 * KIB) + "x".repeat(300 * KIB - 1));

            proxy.pass(OneThread.INCLUDE_TIMEOUT);

            assertThat(proxy.ask("/late").isClosed()).isTrue();
            assertThat(proxy.ask("/big").isClosed()).isFalse();

            proxy.ask("/other").say(ok("other", "Cache-Control: max-age=60"));
            proxy.ask("/big").say("x");

            assertThat(client.received()).endsWith("x\r\n0\r\n\r\n");
            assertThat(proxy.last().trace().omissions()).isEqualTo(1);
        }
    }

    @Test
    void fragmentThatBreaksWhileItFlowsCutsThePage() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(include("/big") + "end"));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(600 * KIB) + "x".repeat(300 * KIB));

            proxy.ask("/big").close();

            assertThat(client.received()).doesNotContain("end", "\r\n0\r\n");
            assertThat(client.isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
        }
    }

    @Test
    void fragmentThatBreaksBeforeTheClientTakesItCutsThePageToo() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("a".repeat(200 * KIB), "Cache-Control: max-age=60"));
            proxy.stored("/page", page(include("/slow") + include("/a") + include("/big")));
            var client = proxy.client();
            client.get("/page");
            proxy.pass(Duration.ofMillis(20));
            client.stopTaking();
            proxy.ask("/slow").say(ok("slow", "Cache-Control: max-age=60"));
            proxy.ask("/big").say(head(600 * KIB) + "x".repeat(300 * KIB));
            proxy.ask("/big").say("x".repeat(100 * KIB));
            proxy.ask("/big").close();

            client.takeAgain();

            assertThat(client.isClosed()).isTrue();
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void slowClientSlowsALargeFragmentAndGetsAllOfIt() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(include("/big")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(900 * KIB) + "x".repeat(300 * KIB));
            client.stopTaking();
            for (int i = 0; i < 6; i++) {
                proxy.ask("/big").say("x".repeat(100 * KIB));
            }
            proxy.pass(Duration.ofSeconds(20));
            assertThat(proxy.heldBack()).isEqualTo(1);

            client.takeAgain();

            assertThat(bodyOf(client.received())).isEqualTo("x".repeat(900 * KIB));
        }
    }

    @Test
    void clientThatLeavesALargeFragmentEndsIt() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(include("/big")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/big").say(head(900 * KIB) + "x".repeat(300 * KIB));

            client.hangUp();

            assertThat(proxy.ask("/big").isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
        }
    }

    @Test
    void allThatWaitsTogetherIsBounded() {
        try (var proxy = new OneThread()) {
            var body = new StringBuilder(include("/first"));
            for (int i = 0; i < 30; i++) {
                body.append(include("/part" + i));
            }
            proxy.stored("/page", page(body.toString()));
            var client = proxy.client();
            client.get("/page");
            for (int i = 0; i < 30; i++) {
                proxy.ask("/part" + i).say(head(250 * KIB) + "x".repeat(200 * KIB));
                proxy.ask("/part" + i).say("x".repeat(50 * KIB));
            }

            // 16 of them together are 4000 KiB.
            assertThat(proxy.heldBack()).isEqualTo(14);

            proxy.ask("/first").say(ok("", "Cache-Control: max-age=60"));

            assertThat(bodyOf(client.received())).isEqualTo("x".repeat(30 * 250 * KIB));
        }
    }

    @Test
    void privateDocumentsThatWaitCountForThatBoundUntilTheyHaveLeft() {
        try (var proxy = new OneThread()) {
            var body = new StringBuilder(include("/first"));
            for (int i = 0; i < 5; i++) {
                body.append(include("/document" + i));
            }
            proxy.stored("/page", page(body + include("/last")));
            var client = proxy.client();
            client.get("/page");
            for (int i = 0; i < 5; i++) {
                proxy.ask("/document" + i)
                        .say(
                                ok(
                                        "x".repeat(900 * KIB),
                                        "Content-Type: text/html",
                                        "Cache-Control: private",
                                        "Surrogate-Control: content=\"ESI/1.0\""));
            }

            proxy.ask("/last").say(head(2 * KIB) + "x".repeat(KIB));
            assertThat(proxy.heldBack()).isEqualTo(1);
            proxy.ask("/first").say(ok("", "Cache-Control: max-age=60"));
            assertThat(proxy.heldBack()).isZero();
            proxy.ask("/last").say("x".repeat(KIB));

            assertThat(bodyOf(client.received())).isEqualTo("x".repeat(5 * 900 * KIB + 2 * KIB));
        }
    }

    @Test
    void pageThatMayBeReusedPromisesNothingOfFragmentsItDoesNotKnowYet() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page", page(include("/big") + include("/f"), "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.get("/page");

            proxy.ask("/big").say(head(300 * KIB) + "x".repeat(300 * KIB - 1));

            assertThat(client.received()).contains("\r\nCache-Control: private, no-cache\r\n");
        }
    }

    private static String head(int lengthBytes) {
        return "HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: "
                + lengthBytes
                + "\r\n\r\n";
    }

    /** The body without its chunk framing; the texts in these tests contain none. */
    private static String bodyOf(String response) {
        var body = response.substring(response.indexOf("\r\n\r\n") + 4);
        return body.replaceAll("(?:^|\r\n)[0-9a-f]+\r\n", "").replaceAll("\r\n(\r\n)?$", "");
    }
}
