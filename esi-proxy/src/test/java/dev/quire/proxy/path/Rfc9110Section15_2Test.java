package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interim responses. */
@Tag("must")
class Rfc9110Section15_2Test {
    private static final String FRESH = "Cache-Control: max-age=60";

    @ParameterizedTest
    @ValueSource(strings = {"102 Processing", "199 Odd"})
    void interimResponseGoesOnAtOnceWithItsFields(String status) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say("HTTP/1.1 " + status + "\r\nX-Interim: 1\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 " + status + "\r\n")
                    .contains("X-Interim: 1\r\n");
        }
    }

    @Test
    void fieldsOfTheConnectionToTheOriginStayThere() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a")
                    .say(
                            bare(
                                    "102 Processing",
                                    "Connection: X-Hop",
                                    "X-Hop: 1",
                                    "Keep-Alive: timeout=5",
                                    "Content-Length: 4",
                                    "Surrogate-Control: no-store",
                                    "X-Interim: 1"));

            assertThat(client.received())
                    .isEqualTo("HTTP/1.1 102 Processing\r\nX-Interim: 1\r\n\r\n");
        }
    }

    @Test
    void interimResponseIsNeitherStoredNorReplayedAndItsFieldsStayInIt() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a")
                    .say(bare("102 Processing", "X-Interim: 1", "Cache-Control: no-store"))
                    .say(ok("body", FRESH));
            var both = client.received();
            assertThat(both).startsWith("HTTP/1.1 102 ").endsWith("body");
            assertThat(both.substring(both.indexOf("HTTP/1.1 200")))
                    .doesNotContain("X-Interim", "no-store");
            proxy.asked();

            client.get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .doesNotContain("X-Interim")
                    .endsWith("body");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void clientOfHttp10GetsTheFinalResponseAlone() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send("GET /a HTTP/1.0\r\nHost: news.test\r\n\r\n");

            proxy.ask("/a").say(bare("102 Processing", "X-Interim: 1"));
            assertThat(client.received()).isEmpty();
            proxy.ask("/a").say(ok("body", FRESH));

            assertThat(client.received()).contains(" 200 OK\r\n").doesNotContain("X-Interim");
        }
    }

    @Test
    void goOnOfTheOriginIsForUsAndNotForTheClient() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 4") + "data");

            proxy.ask("/a").say(bare("100 Continue")).say(ok("done"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("done");
        }
    }

    @Test
    void switchNobodyAskedForIsAFaultOfTheOrigin() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a", "Connection: Upgrade", "Upgrade: websocket");
            var asked = proxy.ask("/a");
            assertThat(asked.text()).doesNotContain("Upgrade");

            asked.say(bare("101 Switching Protocols", "Upgrade: websocket"));

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
            assertThat(asked.isClosed()).isTrue();
        }
    }

    @Test
    void interimResponseToARevalidationChangesNothingStored() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=0", "ETag: \"1\"", "X-Kept: 1"));
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a")
                    .say(bare("102 Processing", "X-Kept: 2"))
                    .say(bare("304 Not Modified", "ETag: \"1\""));

            assertThat(client.received()).contains("X-Kept: 1\r\n").endsWith("body");
        }
    }

    @Test
    void responseWithoutAnInterimOneIsAnsweredAsIs() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say(answer("299 Odd", "body", FRESH));

            assertThat(client.received()).startsWith("HTTP/1.1 299 Odd\r\n");
        }
    }
}
