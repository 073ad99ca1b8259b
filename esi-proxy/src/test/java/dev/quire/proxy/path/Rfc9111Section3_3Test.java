package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.ok;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only complete responses are stored. */
@Tag("must")
class Rfc9111Section3_3Test {
    private static final String FRESH = "Cache-Control: max-age=60";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 9\r\n\r\nhalf",
                "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
                "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf",
                "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n"
            })
    void truncatedBodyIsNeverStored(String rest) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say("HTTP/1.1 200 OK\r\n" + FRESH + "\r\n" + rest).close();

            assertThat(client.isClosed()).isTrue();
            proxy.asked();
            proxy.client().get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void bodyThatTheCloseEndsIsWhole() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say(bare("200 OK", FRESH) + "whole").close();

            proxy.asked();
            var next = proxy.client().get("/a");
            assertThat(next.received()).endsWith("whole");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void bodyWithItsLastChunkIsWhole() {
        try (var proxy = new OneThread()) {
            proxy.client().get("/a");

            proxy.ask("/a")
                    .say(
                            bare("200 OK", FRESH, "Transfer-Encoding: chunked")
                                    + "5\r\nwhole\r\n0\r\n\r\n");

            proxy.asked();
            var next = proxy.client().get("/a");
            assertThat(next.received()).endsWith("whole");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void bodyThatBreaksOffAtOnceIsSeenAsFarAsItCameAndToBeCut() {
        try (var proxy = new OneThread()) {
            var client = proxy.client().get("/a");

            proxy.ask("/a").sayAtTheEnd(bare("200 OK", "Content-Length: 9") + "half");

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("half");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void bodyOfWhichNothingCameIsAnError() {
        try (var proxy = new OneThread()) {
            var client = proxy.client().get("/a");

            proxy.ask("/a").sayAtTheEnd(bare("200 OK", "Content-Length: 9"));

            assertThat(client.received()).startsWith("HTTP/1.1 502 Bad Gateway\r\n");
            assertThat(client.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FRESH, "Cache-Control: no-store"})
    void whatIsStoredStandsInForABodyThatBreaksOffAtOnce(String head) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client().get("/a");

            proxy.ask("/a").sayAtTheEnd(bare("200 OK", head, "Content-Length: 9") + "half");

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("old");
            assertThat(client.isClosed()).isFalse();
        }
    }

    @Test
    void whatIsStoredOutlivesATruncatedAnswerThatCouldNotHaveBeenStored() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client().get("/a");

            proxy.ask("/a")
                    .say(bare("200 OK", "Cache-Control: private", "Content-Length: 9") + "half")
                    .close();

            assertThat(client.received()).endsWith("half");
            assertThat(client.isClosed()).isTrue();
            proxy.client().get("/a");
            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"\r\n");
        }
    }

    @Test
    void truncatedRenewalLeavesWhatIsStored() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=0", "ETag: \"1\""));
            proxy.client().get("/a");

            proxy.ask("/a").say(bare("200 OK", FRESH, "Content-Length: 9") + "half").close();

            proxy.client().get("/a");
            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"\r\n");
        }
    }
}
