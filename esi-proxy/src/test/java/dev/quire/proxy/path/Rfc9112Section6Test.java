package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of an origin's response, and responses without a clear end. */
@Tag("must")
class Rfc9112Section6Test {
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void bytesBehindAResponseAreDroppedAndTheirConnectionIsNotUsedAgain() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            var first = proxy.ask("/a");

            first.say(bare("200 OK", FRESH, "Content-Length: 10") + "0123456789" + "x".repeat(26));

            assertThat(client.received()).endsWith("\r\n\r\n0123456789");
            assertThat(first.isClosed()).isTrue();
            client.get("/a");
            assertThat(client.received()).endsWith("\r\n\r\n0123456789");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 4",
                "Content-Length: 4\r\nContent-Length: 5",
                "Content-Length: 4, 5",
                "Transfer-Encoding: squeezed",
                "Transfer-Encoding: chunked, squeezed",
                "Transfer-Encoding: squeezed, chunked"
            })
    void framingThatCanBeReadInTwoWaysIsAFaultOfTheOrigin(String framing) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            var asked = proxy.ask("/a");

            asked.say("HTTP/1.1 200 OK\r\n" + FRESH + "\r\n" + framing + "\r\n\r\nbody");

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
            assertThat(asked.isClosed()).isTrue();
            proxy.asked();
            client.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void storedResponseWithoutContentIsAHitLikeAnyOther() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", bare("204 No Content", FRESH, "X-Kept: 1"));
            var client = proxy.client();

            client.get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 204 No Content\r\n")
                    .contains("X-Kept: 1\r\n", "Age: 0\r\n")
                    .doesNotContain("Content-Length", "Transfer-Encoding")
                    .endsWith("\r\n\r\n");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "299 Odd One",
                "306 Gone By",
                "404 ",
                "418 I'm a teapot",
                "599 ",
                "599 Last Word",
                "999 Most"
            })
    void anyFinalStatusPassesWithItsPhrase(String status) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/a");
            proxy.ask("/a").say(answer(status, "body", FRESH));
            assertThat(client.received()).startsWith("HTTP/1.1 " + status + "\r\n");
            proxy.asked();
            client.get("/a");

            assertThat(client.received()).startsWith("HTTP/1.1 " + status + "\r\n");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void trailersAreNeitherMergedIntoTheFieldsNorStored() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a")
                    .say(
                            bare("200 OK", FRESH, "Transfer-Encoding: chunked", "Trailer: X-Sum")
                                    + "4\r\nbody\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=1\r\n\r\n");

            assertThat(client.received()).doesNotContain("X-Sum: 1", "Set-Cookie");
            client.get("/a");
            assertThat(client.received()).doesNotContain("X-Sum: 1", "Set-Cookie").endsWith("body");
        }
    }

    @Test
    void trailersOfARequestAreDroppedUnlessTheRouteNamesThem() {
        for (var names : List.of(new String[0], new String[] {"X-Sum", "X-Absent"})) {
            try (var proxy = new OneThread(new Rules().trailers(names))) {
                var client = proxy.client();

                client.send(
                        request("POST", "/a", "Transfer-Encoding: chunked")
                                + "4\r\nbody\r\n0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n");
                proxy.turn();

                assertThat(proxy.ask("/a").text())
                        .endsWith(
                                "\r\n\r\n4\r\nbody\r\n0\r\n"
                                        + (names.length == 0 ? "" : "X-Sum: 1\r\n")
                                        + "\r\n");
                proxy.ask("/a").say(ok("done"));
                assertThat(client.received()).endsWith("done");
            }
        }
    }

    @Test
    void answerToHeadHasNoBodyWhateverItAnnounces() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("HEAD", "/a"));
            proxy.ask("/a").say(bare("200 OK", "Content-Length: 4"));
            assertThat(client.received()).contains("Content-Length: 4\r\n").endsWith("\r\n\r\n");

            client.get("/b");
            proxy.ask("/b").say(ok("next"));

            assertThat(client.received()).endsWith("next");
        }
    }
}
