package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A response to POST that serves later GETs. */
@Tag("may")
class Rfc9110Section9_3_3Test {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String SELF = "Content-Location: /a";

    @Test
    void answerThatIsTheTargetsServesLaterGets() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));
            var client = proxy.client();

            client.send(request("POST", "/a", "Content-Length: 4") + "vote");
            proxy.ask("/a").say(ok("new", FRESH, SELF));

            assertThat(client.received()).endsWith("new");
            proxy.asked();
            client.get("/a");
            assertThat(client.received()).contains(SELF + "\r\n").endsWith("new");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void itIsStoredThoughItsClientLeavesInTheMiddle() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));
            var post = proxy.ask("/a");
            post.say(bare("200 OK", FRESH, SELF, "Content-Length: 6") + "hal");

            client.hangUp();
            post.say("ved");

            proxy.asked();
            var reader = proxy.client();
            reader.get("/a");
            assertThat(reader.received()).endsWith("halved");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Location: /b",
                "X-Nothing: 1",
                "Content-Location: /a\r\nSet-Cookie: a=1",
                "Content-Location: /a\r\nContent-Encoding: gzip"
            })
    void answerThatIsNotForEverybodyIsNotStored(String lines) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));
            proxy.ask("/a").say(ok("mine", FRESH, lines));
            proxy.asked();

            client.get("/a");

            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void answerToAGetWithABodyIsNotStoredEither() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("GET", "/a", "Content-Length: 1") + "x");
            proxy.ask("/a").say(ok("mine", FRESH, SELF));
            proxy.asked();

            client.get("/a");

            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void documentIsAssembledForItsClientAndNotStored() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));
            proxy.ask("/a").say(page("<esi:remove>x</esi:remove>hello", SELF));
            assertThat(client.received()).contains("hello").doesNotContain("esi:remove");
            proxy.asked();

            client.get("/a");

            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void changeAfterItWins() {
        try (var proxy = new OneThread()) {
            var first = proxy.client();
            var second = proxy.client();
            first.send(request("POST", "/a", "Content-Length: 0"));
            var slow = proxy.ask("/a");
            second.send(request("POST", "/a", "Content-Length: 0"));
            proxy.ask("/a").say(ok("second", FRESH, SELF));
            assertThat(second.received()).endsWith("second");

            slow.say(ok("first", FRESH, SELF));

            // Only the origin knows which of the two is newer: neither is stored.
            assertThat(first.received()).endsWith("first");
            proxy.asked();
            first.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void changeOfAnotherUrlMeanwhileIsNoneOfIts() {
        try (var proxy = new OneThread()) {
            var first = proxy.client();
            var second = proxy.client();
            first.send(request("POST", "/a", "Content-Length: 0"));
            var slow = proxy.ask("/a");
            second.send(request("PUT", "/b", "Content-Length: 0"));
            proxy.ask("/b").say(ok("done"));
            assertThat(second.received()).endsWith("done");

            slow.say(ok("first", FRESH, SELF));

            assertThat(first.received()).endsWith("first");
            proxy.asked();
            first.get("/a");
            assertThat(first.received()).endsWith("first");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void purgeBeforeItsHeadWins() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));
            var post = proxy.ask("/a");

            proxy.purge("/a");
            post.say(ok("new", FRESH, SELF));

            assertThat(client.received()).endsWith("new");
            proxy.asked();
            client.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void purgeWhileItsBodyComesWins() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 0"));
            var post = proxy.ask("/a");
            post.say(bare("200 OK", FRESH, SELF, "Content-Length: 6") + "hal");

            proxy.purge("/a");
            proxy.pass(Duration.ofSeconds(1));
            post.say("ved");

            assertThat(client.received()).endsWith("halved");
            proxy.asked();
            client.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }
}
