package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.text.Network;
import dev.quire.proxy.config.InvalidationConfig;
import dev.quire.proxy.config.InvalidationConfig.Method;
import dev.quire.proxy.disk.HeldJournal;
import dev.quire.proxy.path.OneThread.Client;
import dev.quire.proxy.path.OneThread.Rules;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that wait until an invalidation outlives the process. */
@Timeout(120)
class DurableInvalidationTest {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String POST = request("POST", "/a", "Content-Length: 0");

    @TempDir private Path directory;
    private final Rules rules = new Rules();
    private OneThread proxy;
    private HeldJournal journal;

    @BeforeEach
    void start() throws IOException {
        rules.invalidation =
                new InvalidationConfig(
                        Set.of(Method.PURGE, Method.BAN),
                        List.of(Network.parse("127.0.0.0/8"), Network.parse("::1")),
                        Optional.empty());
        proxy = new OneThread(rules);
        journal = HeldJournal.patient(directory, proxy.invalidations());
    }

    @AfterEach
    void stop() {
        journal.close();
        proxy.close();
    }

    @Test
    void responseToAnUnsafeRequestWaitsWhileOthersGoOn() throws IOException {
        proxy.stored("/a", ok("old", FRESH));
        proxy.stored("/b", ok("hit", FRESH));
        var client = proxy.client();
        var other = proxy.client();
        journal.hold();

        client.send(POST);
        proxy.ask("/a").say(ok("done"));

        assertThat(other.get("/b").received()).endsWith("hit");
        other.get("/c");
        proxy.ask("/c").say(ok("miss"));
        assertThat(other.received()).endsWith("miss");
        other.get("/a");
        proxy.ask("/a").say(ok("new", FRESH));
        assertThat(other.received()).endsWith("new");
        assertThat(client.hasReceived()).isFalse();

        journal.release();
        assertThat(client.awaited()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\ndone");
        assertThat(client.send(POST).hasReceived()).isFalse();
        proxy.ask("/a").say(ok("again"));
        assertThat(client.awaited()).endsWith("again");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n",
                "HTTP/1.1 303 See Other\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 201 Created\r\nContent-Location: /b\r\nContent-Length: 4\r\n\r\nmade",
                "HTTP/1.1 200 OK\r\nCache-Group-Invalidation: \"g\"\r\nContent-Length: 0\r\n\r\n"
            })
    void responseIsTheSameAfterwards(String response) throws IOException {
        var expected = "";
        try (var without = new OneThread(rules)) {
            var client = without.client();
            client.send(POST);
            without.ask("/a").say(response);
            expected = client.received();
        }
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        proxy.ask("/a").say(response);
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        assertThat(client.awaited()).isNotEmpty().isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "OPTIONS"})
    void safeRequestDoesNotWait(String method) throws IOException {
        var client = proxy.client();
        journal.hold();
        waiting("/x");

        client.send(request(method, "/a"));
        proxy.ask("/a").say(ok("A"));

        assertThat(client.received()).endsWith("A");
    }

    @Test
    void requestThatFailsDoesNotWait() throws IOException {
        var client = proxy.client();
        journal.hold();
        waiting("/x");

        client.send(POST);
        proxy.ask("/a").say(answer("409 Conflict", "no"));

        assertThat(client.received()).endsWith("no");
    }

    @Test
    void longBodyIsPausedMeanwhileAndArrivesWhole() throws IOException {
        var body = "0123456789".repeat(100_000);
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        proxy.ask("/a").say(bare("200 OK", "Content-Length: " + body.length()));
        assertThat(proxy.heldBack()).isEqualTo(1);
        proxy.ask("/a").say(body.substring(0, 700_000));
        proxy.ask("/a").say(body.substring(700_000));
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        var received = client.awaited();
        assertThat(received.substring(received.indexOf("\r\n\r\n") + 4)).isEqualTo(body);
        assertThat(proxy.heldBack()).isZero();
    }

    @Test
    void slowClientIsNotOverrunAfterwards() throws IOException {
        var body = "0123456789".repeat(100_000);
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        client.stopTaking();
        var origin = proxy.ask("/a").say(bare("200 OK", "Content-Length: " + body.length()));
        origin.say(body.substring(0, 500_000));

        journal.release();
        proxy.awaitTurn(() -> proxy.newest().response().status() == 200);
        origin.say(body.substring(500_000));
        assertThat(proxy.heldBack()).isEqualTo(1);
        client.takeAgain();

        var received = client.received();
        assertThat(received.substring(received.indexOf("\r\n\r\n") + 4)).isEqualTo(body);
    }

    @Test
    void documentWaitsBeforeItIsAssembled() throws IOException {
        var client = proxy.client();
        proxy.stored("/f", ok("F", FRESH));
        journal.hold();
        client.send(POST);
        proxy.ask("/a").say(page("<p>" + include("/f") + "</p>"));
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        assertThat(client.awaited()).contains("<p>F</p>");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void responseThatIsStoredAsThatToGetWaitsToo(boolean isComplete) throws IOException {
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        var origin =
                proxy.ask("/a")
                        .say(
                                bare("200 OK", "Content-Length: 8", "Content-Location: /a", FRESH)
                                        + "half");
        if (isComplete) {
            origin.say("rest");
        }
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        if (!isComplete) {
            assertThat(client.awaited()).endsWith("half");
            origin.say("rest");
            assertThat(client.received()).isEqualTo("rest");
        } else {
            assertThat(client.awaited()).endsWith("halfrest");
        }
        proxy.asked();
        assertThat(client.get("/a").received()).endsWith("halfrest");
        assertThat(proxy.asked()).isEmpty();
    }

    @Test
    void trailersKeepTheirPlace() throws IOException {
        stop();
        rules.trailers("X-Sum");
        start();
        var client = proxy.client();
        journal.hold();
        client.send(request("POST", "/a", "Content-Length: 0", "TE: trailers"));
        proxy.ask("/a")
                .say(
                        bare("200 OK", "Transfer-Encoding: chunked", "Trailer: X-Sum")
                                + "4\r\nbody\r\n0\r\nX-Sum: 1\r\n\r\n");
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        assertThat(client.awaited()).endsWith("\r\n4\r\nbody\r\n0\r\nX-Sum: 1\r\n\r\n");
    }

    @Test
    void eventsFlowOnceTheResponseHasBegun() throws IOException {
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        var origin =
                proxy.ask("/a")
                        .say(bare("200 OK", "Content-Type: text/event-stream") + "data: 1\n\n");
        assertThat(client.hasReceived()).isFalse();

        journal.release();
        assertThat(client.awaited()).contains("data: 1\n\n");
        origin.say("data: 2\n\n");
        assertThat(client.received()).contains("data: 2\n\n");
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clientThatLeavesMeanwhileLeavesNothingBehind(boolean isDocument) throws IOException {
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        proxy.ask("/a").say(isDocument ? page("<p/>") : ok("done"));

        client.hangUp();
        journal.release();

        proxy.awaitTurn(() -> proxy.open() == 0);
        assertThat(proxy.client().send(POST).hasReceived()).isFalse();
    }

    @Test
    void originThatBreaksOffMeanwhileIsReported() throws IOException {
        var client = proxy.client();
        journal.hold();
        client.send(POST);
        proxy.ask("/a").sayAtTheEnd(bare("200 OK", "Content-Length: 10") + "half");
        proxy.turn();
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        var received = client.awaited();
        assertThat(received.startsWith("HTTP/1.1 502 ") || client.isClosed()).isTrue();
    }

    @Test
    void responsesToPipelinedRequestsKeepTheirOrder() throws IOException {
        proxy.stored("/b", ok("second", FRESH));
        var client = proxy.client();
        journal.hold();
        client.send(POST + request("GET", "/b"));
        proxy.ask("/a").say(ok("first"));
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        var received = new StringBuilder();
        proxy.awaitTurn(() -> received.append(client.received()).indexOf("second") >= 0);
        assertThat(received.indexOf("first")).isBetween(0, received.indexOf("second"));
    }

    @Test
    void bodyOfTheRequestCanFollowMeanwhile() throws IOException {
        var client = proxy.client();
        journal.hold();
        var half = "0123456789abcdef".repeat(1 << 12);
        client.send(request("POST", "/a", "Content-Length: " + 2 * half.length()) + half);
        proxy.ask("/a").say(ok("early"));
        client.send(half);
        assertThat(client.hasReceived()).isFalse();

        journal.release();

        assertThat(client.awaited()).startsWith("HTTP/1.1 200 ").endsWith("early");
    }

    @Test
    void hangingDiskHoldsAResponseForItsTimeAlone() throws IOException {
        waitAsTheProductDoes();
        var client = proxy.client();
        client.send(POST);
        journal.hold();
        long before = System.nanoTime();

        proxy.ask("/a").say(ok("done"));

        assertThat(client.awaited()).startsWith("HTTP/1.1 200 ").endsWith("done");
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(100), Duration.ofSeconds(10));
        assertThat(proxy.invalidations().undurable()).isEqualTo(1);
    }

    @Test
    void failingDiskIsShownToOperatorsOnly() throws IOException {
        waitAsTheProductDoes();
        proxy.stored("/a", ok("old", FRESH));
        var client = proxy.client();
        journal.fail();

        client.send(POST);
        proxy.ask("/a").say(ok("done"));
        assertThat(client.awaited()).startsWith("HTTP/1.1 200 ").endsWith("done");
        proxy.stored("/a", ok("old", FRESH));
        assertThat(sent(client, request("PURGE", "/a")))
                .startsWith("HTTP/1.1 202 ")
                .endsWith("\r\n\r\n{\"purged\":1,\"durable\":false}");
        assertThat(sent(client, request("BAN", "/", "X-Url: .")))
                .startsWith("HTTP/1.1 202 ")
                .endsWith(",\"durable\":false}");
        assertThat(proxy.invalidations().undurable()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PURGE", "BAN"})
    void invalidationRequestIsAnsweredOnceItIsDurable(String method) throws IOException {
        proxy.stored("/a", ok("old", FRESH));
        var client = proxy.client();
        journal.hold();

        client.send(request(method, "/a", "X-Url: ."));
        assertThat(client.hasReceived()).isFalse();
        // It is in effect already.
        var other = proxy.client();
        proxy.asked();
        other.get("/a");
        assertThat(proxy.asked()).containsExactly("/a");
        proxy.ask("/a").say(ok("new", FRESH));
        journal.release();

        assertThat(client.awaited())
                .startsWith("HTTP/1.1 200 ")
                .endsWith(method.equals("PURGE") ? "{\"purged\":1}" : "{\"ban\":1}");
    }

    @Test
    void invalidatingClientMayLeave() throws IOException {
        var client = proxy.client();
        journal.hold();
        client.send(request("PURGE", "/a"));
        client.hangUp();

        journal.release();

        proxy.awaitTurn(() -> proxy.open() == 0);
        assertThat(sent(proxy.client(), request("PURGE", "/a"))).endsWith("{\"purged\":0}");
    }

    /** A journal that waits for the disk no longer than that of the product. */
    private void waitAsTheProductDoes() throws IOException {
        journal.close();
        journal = HeldJournal.begin(directory, proxy.invalidations());
    }

    /** Lets an entry wait for the disk. */
    private void waiting(String target) {
        var client = proxy.client();
        client.send(request("POST", target, "Content-Length: 0"));
        proxy.ask(target).say(ok("x"));
        assertThat(client.hasReceived()).isFalse();
    }

    private static String sent(Client client, String request) {
        return client.send(request).awaited();
    }
}
