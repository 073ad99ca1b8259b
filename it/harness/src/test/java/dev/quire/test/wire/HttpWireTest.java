package dev.quire.test.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpWireTest {
    private final Origin origin = Origin.start();
    private final HttpWire client = HttpWire.to(origin.address());

    @AfterEach
    void stop() {
        client.close();
        origin.close();
    }

    @Test
    void pipelinedResponsesAreReadOneByOne() {
        origin.on("/1", Answer.html("one")).on("/2", Answer.html("two").chunked());

        client.request("GET", "/1").request("HEAD", "/2").request("GET", "/2");

        assertThat(client.response().text()).isEqualTo("one");
        assertThat(client.response().body().length()).isZero();
        assertThat(client.response().text()).isEqualTo("two");
    }

    @Test
    void fieldsKeepTheirOrderAndTheirLines() {
        origin.on("/x", Answer.html("").field("Set-Cookie", "a=1").field("Set-Cookie", "b=2"));

        var response = client.get("/x");

        assertThat(response.fields().all("set-cookie")).containsExactly("a=1", "b=2");
    }

    @Test
    void halfClosedConnectionIsStillAnswered() {
        origin.on("/x", Answer.html("last word"));
        var held = origin.hold("/x");
        client.request("GET", "/x");
        held.awaitWaiting(1);

        held.release();

        assertThat(client.response().text()).isEqualTo("last word");
        client.halfClose().awaitClosed();
    }

    @Test
    void connectionThatSaysSomethingHasNotClosed() {
        origin.on("/x", Answer.raw("surprise"));
        client.request("GET", "/x");

        assertThatThrownBy(client::awaitClosed)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("surprise");
    }

    @Test
    void connectionThatEndsIsToldFromOneThatSpeaks() {
        origin.on("/x", Answer.html("x"), Answer.nothing(), Answer.reset());
        try (var other = HttpWire.to(origin.address());
                var third = HttpWire.to(origin.address())) {
            assertThat(client.request("GET", "/x").awaitEnded()).isFalse();
            assertThat(client.response().text()).isEqualTo("x");
            assertThat(other.request("GET", "/x").awaitEnded()).isTrue();
            assertThat(third.request("GET", "/x").awaitEnded()).isTrue();
        }
    }

    @Test
    void wholeBodyIsNoCut() {
        origin.on("/x", Answer.html("whole"));
        var arriving = client.request("GET", "/x").begin();

        assertThatThrownBy(arriving::awaitCut).hasMessageContaining("found it complete: 200");
    }

    @ParameterizedTest
    @CsvSource({"true, whole", "false, who"})
    void endOfTheBodyIsToldFromTheEndOfTheConnection(boolean whole, String came) {
        var answer = Answer.html("whole");
        origin.on("/x", whole ? answer : answer.cutAfter(3));
        var arriving = client.request("GET", "/x").begin();

        assertThat(arriving.awaitEnd()).isEqualTo(whole);
        assertThat(arriving.content().text()).isEqualTo(came);
    }

    @Test
    void textThatNeverComesIsNamedWithWhatCame() {
        origin.on("/x", Answer.html("something else"));
        var arriving = client.request("GET", "/x").begin();

        assertThatThrownBy(() -> arriving.awaitText("headline"))
                .hasMessageContaining("expected a body with \"headline\"")
                .hasMessageContaining("something else");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200\r\n\r\n",
                "HTTP/2 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nBad name: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n folded\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nX: a\u0000b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
                "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
            })
    void whatIsNoWholeResponseFailsTheTest(String bytes) {
        origin.on("/x", Answer.raw(bytes).closing());

        assertThatThrownBy(() -> client.get("/x")).isInstanceOf(AssertionError.class);
    }
}
