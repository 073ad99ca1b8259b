package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses: framing, reuse, and rejected responses (RFC 9112). */
class FetcherTest {
    private final Rig rig = new Rig();

    @AfterEach
    void everythingIsReleased() {
        rig.close();
    }

    @Test
    void aRequestGoesOutAsWrittenAndItsResponseComesBack() {
        var got = rig.fetch(Rig.get("/main/home.nhn?a=b"));

        rig.answer("HTTP/1.1 203 Fine\r\nContent-Length: 5\r\nX-Tag: a\r\nX-Tag: b\r\n\r\nhello");

        assertThat(rig.peer().heard())
                .isEqualTo("GET /main/home.nhn?a=b HTTP/1.1\r\nHost: news.test\r\n\r\n");
        assertThat(got.events).containsExactly("head 203", "data hello", "end");
        assertThat(got.head().reason()).isEqualTo("Fine");
        assertThat(got.head().fields().all("x-tag")).containsExactly("a", "b");
    }

    @Test
    void theSinkIsNeverCalledFromWithinFetch() {
        var got = new Recorder();

        rig.fetcher.fetch(Rig.request("GET", "/with space", null), rig.loop, got);
        var before = got.events.size();
        rig.turn();

        assertThat(before).isZero();
        assertThat(got.events).containsExactly("failed PROXY BUG");
        assertThat(rig.peers).isEmpty();
    }

    @Test
    void aConnectionIsKeptForTheNextRequest() {
        rig.exchange();

        rig.exchange();

        assertThat(rig.peers).hasSize(1);
        assertThat(rig.fetcher.openConnections()).isEqualTo(1);
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
        assertThat(rig.retries).isZero();
    }

    @Test
    void theConnectionUsedLastIsUsedFirst() {
        rig.fetch(Rig.get("/a"));
        rig.fetch(Rig.get("/b"));
        var first = rig.peers.get(0);
        var second = rig.peers.get(1);
        second.say("HTTP/1.1 204 No Content\r\n\r\n");
        rig.turn();
        first.say("HTTP/1.1 204 No Content\r\n\r\n");
        rig.turn();
        first.heard();
        second.heard();

        rig.fetch(Rig.get("/c"));

        assertThat(first.heard()).startsWith("GET /c");
        assertThat(second.heard()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
                "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            })
    void aConnectionThatTheOriginWillCloseIsNotKept(String response) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer(response);

        assertThat(got.events).containsExactly("head 200", "data hello", "end");
        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @Test
    void anHttp10ConnectionIsKeptIfTheOriginSaysSo() {
        rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");

        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
            })
    void aResponseToHeadHasNoBody(String response) {
        var got = rig.fetch(Rig.request("HEAD", "/", null));

        rig.answer(response);
        rig.exchange();

        assertThat(got.events).endsWith("head 200", "end").noneMatch(e -> e.startsWith("data"));
        assertThat(rig.peers).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: \"a\"\r\n\r\n"
            })
    void aResponseThatNeverHasABodyEndsWithItsHead(String response) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer(response);

        assertThat(got.events).hasSize(2).endsWith("end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void aChunkedBodyIsTakenInAnyPieces(int size) {
        var response =
                String.join(
                        "\r\n",
                        "HTTP/1.1 200 OK",
                        "Transfer-Encoding: Chunked",
                        "",
                        "5",
                        "hello",
                        "6;x=y",
                        " world",
                        "0",
                        "X-Trailer: t",
                        "",
                        "");
        var got = rig.fetch(Rig.get("/"));

        for (int at = 0; at < response.length(); at += size) {
            rig.answer(response.substring(at, Math.min(response.length(), at + size)));
        }

        assertThat(got.body).hasToString("hello world");
        assertThat(got.events).startsWith("head 200").endsWith("end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @Test
    void aBodyWithoutLengthEndsWithTheConnection() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 200 OK\r\n\r\nhello");
        var before = got.events.size();
        rig.peer().close();
        rig.turn();

        assertThat(before).isEqualTo(2);
        assertThat(got.events).containsExactly("head 200", "data hello", "end");
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @Test
    void aBodyWithoutLengthIsNotWholeIfTheConnectionBreaks() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 200 OK\r\n\r\nhello");
        rig.channels
                .getLast()
                .pipeline()
                .fireExceptionCaught(new IOException("Connection reset by peer"));
        rig.turn();

        assertThat(got.events).containsExactly("head 200", "data hello", "failed ORIGIN TRUNCATED");
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
            })
    void aBodyCutShortIsAFailure(String response) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer(response);
        rig.peer().close();
        rig.turn();

        assertThat(got.events).containsExactly("head 200", "data hello", "failed ORIGIN TRUNCATED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HT", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 103 E\r\n\r\n"})
    void aConnectionClosedBeforeTheHeadIsAFailure(String response) {
        var got = rig.fetch(Rig.request("POST", "/", null));

        if (!response.isEmpty()) {
            rig.answer(response);
        }
        rig.peer().close();
        rig.turn();

        assertThat(got.events).last().isEqualTo("failed ORIGIN TRUNCATED");
        assertThat(rig.peers).hasSize(1);
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, world",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n ",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n"
            })
    void bytesBehindAResponseAreDroppedAndTheConnectionWithThem(String response) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer(response);
        rig.exchange();

        assertThat(got.events).containsExactly("head 200", "data hello", "end");
        assertThat(rig.peers).hasSize(2);
        assertThat(rig.peers.get(0).isClosed()).isTrue();
    }

    @Test
    void aBodyBehind204IsDroppedAndTheConnectionWithIt() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc");

        assertThat(got.events).containsExactly("head 204", "end");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"})
    void anIdleConnectionThatSpeaksIsClosed(String bytes) {
        rig.exchange();

        rig.answer(bytes);
        rig.exchange();

        assertThat(rig.peers).hasSize(2);
        assertThat(rig.peers.get(0).isClosed()).isTrue();
        assertThat(rig.fetcher.openConnections()).isEqualTo(1);
    }

    static Stream<Arguments> malformed() {
        var ok = "HTTP/1.1 200 OK\r\n";
        return Stream.of(
                Arguments.of("no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"),
                Arguments.of("empty line in front", "\r\n" + ok + "\r\n"),
                Arguments.of("NUL in front", "\0" + ok + "\r\n"),
                Arguments.of("other protocol", "ICY 200 OK\r\n\r\n"),
                Arguments.of("other protocol, same letter", "HTCPCP/1.1 200 OK\r\n\r\n"),
                Arguments.of("version", "HTTP/2.0 200 OK\r\n\r\n"),
                Arguments.of("status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
                Arguments.of("status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
                Arguments.of("status below 100", "HTTP/1.1 099 OK\r\n\r\n"),
                Arguments.of("status with a sign", "HTTP/1.1 +20 OK\r\n\r\n"),
                Arguments.of("no status", "HTTP/1.1\r\n\r\n"),
                Arguments.of("NUL in reason", "HTTP/1.1 200 O\0K\r\n\r\n"),
                Arguments.of("NUL in value", ok + "X-A: b\0c\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("NUL in name", ok + "X-\0A: b\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("no colon", ok + "X-A\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("blank in name", ok + "X A: b\r\nContent-Length: 0\r\n\r\n"),
                Arguments.of("length and coding", both("1.1")),
                Arguments.of("length and coding in 1.0", both("1.0")),
                Arguments.of("coding in 1.0", coding("1.0", "chunked")),
                Arguments.of("unknown coding", coding("1.1", "gzip")),
                Arguments.of("coding before chunked", coding("1.1", "gzip, chunked")),
                Arguments.of("chunked twice", coding("1.1", "chunked, chunked")),
                Arguments.of("nearly chunked", coding("1.1", "xchunked")),
                Arguments.of("empty coding", coding("1.1", "")),
                Arguments.of("differing lengths", lengths("1.1", "3", "4")),
                Arguments.of("differing lengths in 1.0", lengths("1.0", "3", "4")),
                Arguments.of("list of differing lengths", lengths("1.1", "3, 4", "3, 4")),
                Arguments.of("negative length", lengths("1.1", "-3", "-3")),
                Arguments.of("signed length", lengths("1.1", "+3", "+3")),
                Arguments.of("length in hex", lengths("1.1", "0x3", "0x3")),
                Arguments.of("empty length", lengths("1.1", "", "")),
                Arguments.of("length out of range", lengths("1.1", "9".repeat(20), "9".repeat(20))),
                Arguments.of("long status line", "HTTP/1.1 200 " + "x".repeat(9000) + "\r\n\r\n"),
                Arguments.of("long field", ok + "X-A: " + "x".repeat(65536) + "\r\n\r\n"),
                Arguments.of("many fields", ok + "X-A: 12345678\r\n".repeat(6000) + "\r\n"),
                Arguments.of("101 unasked", "HTTP/1.1 101 Switching Protocols\r\n\r\n"),
                Arguments.of("17 interims", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17)));
    }

    private static String both(String version) {
        return "HTTP/"
                + version
                + " 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    }

    private static String coding(String version, String coding) {
        return "HTTP/" + version + " 200 OK\r\nTransfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n";
    }

    private static String lengths(String version, String one, String two) {
        return "HTTP/"
                + version
                + " 200 OK\r\nContent-Length: "
                + one
                + "\r\nContent-Length: "
                + two
                + "\r\n\r\nabcd";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void whatIsNoResponseIsAFailureAndClosesTheConnection(String what, String response) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer(response);

        assertThat(got.events)
                .as(what)
                .allMatch(event -> event.equals("interim 103") || event.startsWith("failed"))
                .last()
                .isEqualTo("failed ORIGIN MALFORMED");
        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(rig.peers).hasSize(1);
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nhello\r\n", "-5\r\nhello\r\n", "\r\n", "5\r\nhelloXX0\r\n\r\n"})
    void aMalformedChunkIsAFailure(String chunk) {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);

        assertThat(got.events).startsWith("head 200").endsWith("failed ORIGIN MALFORMED");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void theSameLengthTwiceIsOneLength() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok");

        assertThat(got.events).containsExactly("head 200", "data ok", "end");
        assertThat(got.head().fields().all("Content-Length")).containsExactly("2");
    }

    @Test
    void blanksInFrontOfAColonAreRemoved() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 200 OK\r\nX-A \t: b\r\nContent-Length: 0\r\n\r\n");

        assertThat(got.events).containsExactly("head 200", "end");
        assertThat(got.head().fields().first("X-A")).isEqualTo("b");
    }

    @Test
    void interimResponsesAreHandedOverBut100IsNot() {
        var got = rig.fetch(Rig.get("/"));

        rig.answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
        rig.answer("HTTP/1.1 199 Odd\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

        assertThat(got.events).containsExactly("interim 103", "interim 199", "head 200", "end");
        assertThat(got.head().fields().contains("Link")).isFalse();
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @Test
    void aClosedFetcherStillFetchesButKeepsNoConnection() {
        rig.exchange();

        rig.fetcher.close();
        rig.turn();
        var idle = rig.fetcher.idleConnections();
        rig.exchange();

        assertThat(idle).isZero();
        assertThat(rig.peers).hasSize(2).allMatch(Rig.Peer::isClosed);
        assertThat(rig.fetcher.openConnections()).isZero();
    }
}
