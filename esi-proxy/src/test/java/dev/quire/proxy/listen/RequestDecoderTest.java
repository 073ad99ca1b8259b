package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.config.LimitsConfig;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class RequestDecoderTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String GET_SEEN = "GET http://h /";
    private static final String HANDSHAKE =
            String.join(
                    "\r\n",
                    "GET / HTTP/1.1",
                    "Host: h",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "\r\n");
    private static final String POST = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
    private static final String POST_SEEN = "POST http://h / body=5";

    @Test
    void sixteenRequestsAreDecodedAhead() {
        try (var client = new ClientConnection(false)) {
            client.send(GET.repeat(20));

            assertThat(client.messages()).isEqualTo(Collections.nCopies(16, GET_SEEN));
            assertThat(client.reads()).isFalse();
        }
    }

    @Test
    void bytesInTheReadOfAHandshakeRefuseIt() {
        try (var client = new ClientConnection(false)) {
            client.send(HANDSHAKE + GET);

            assertThat(client.messages()).containsExactly("400 EARLY_TUNNEL_BYTES close");
        }
    }

    @Test
    void bytesAfterAHandshakeAreReportedAndDropped() {
        try (var client = new ClientConnection(false)) {
            client.send(HANDSHAKE);
            assertThat(client.messages()).containsExactly(GET_SEEN);
            assertThat(client.reads()).isTrue();

            client.send(GET);
            client.send(GET);

            assertThat(client.messages()).containsExactly("early");
        }
    }

    @Test
    void requestsAfterADeclinedHandshakeAreDecoded() {
        try (var client = new ClientConnection(false)) {
            client.send(HANDSHAKE);
            client.messages();
            client.decoder.answered();

            client.send(GET);

            assertThat(client.messages()).containsExactly(GET_SEEN);
        }
    }

    @Test
    void anAnswerLetsOneMoreRequestInWithoutNewBytes() {
        try (var client = new ClientConnection(false)) {
            client.send(GET.repeat(18));
            client.messages();
            int before = client.readsCompleted();

            client.decoder.answered();

            assertThat(client.messages()).containsExactly(GET_SEEN);
            assertThat(client.readsCompleted()).isGreaterThan(before);
            assertThat(client.reads()).isFalse();
            client.decoder.answered();
            assertThat(client.messages()).containsExactly(GET_SEEN);
            client.decoder.answered();
            assertThat(client.messages()).isEmpty();
            assertThat(client.reads()).isTrue();
        }
    }

    @Test
    void bytesThatComeWhileDecodingIsHeldUpAskForNoMore() {
        try (var client = new ClientConnection(false)) {
            client.send(GET.repeat(17));
            client.messages();
            int before = client.readsAsked();

            client.send(GET.repeat(3));

            assertThat(client.messages()).isEmpty();
            assertThat(client.readsAsked()).isEqualTo(before);
            for (int i = 0; i < 16; i++) {
                client.decoder.answered();
            }
            assertThat(client.messages()).isEqualTo(Collections.nCopies(4, GET_SEEN));
        }
    }

    @Test
    void aBodyWaitsUntilTheRequestsBeforeItAreAnswered() {
        try (var client = new ClientConnection(false)) {
            client.send(GET + POST + "hello" + GET);

            assertThat(client.messages()).containsExactly(GET_SEEN, POST_SEEN);
            assertThat(client.reads()).isFalse();
            client.decoder.answered();
            assertThat(client.messages()).containsExactly("data hello", "end", GET_SEEN);
            assertThat(client.reads()).isTrue();
        }
    }

    @Test
    void nothingComesWhilePaused() {
        try (var client = new ClientConnection(false)) {
            client.send(POST + "he");
            client.messages();

            client.decoder.pause();
            client.send("llo" + GET);

            assertThat(client.messages()).isEmpty();
            assertThat(client.reads()).isFalse();
            client.decoder.resume();
            assertThat(client.messages()).containsExactly("data llo", "end", GET_SEEN);
            assertThat(client.reads()).isTrue();
        }
    }

    @Test
    void theRestOfABodyIsDroppedOnceItsRequestIsAnswered() {
        try (var client = new ClientConnection(false)) {
            client.send(POST + "he");
            client.messages();
            client.decoder.pause();
            client.send("l");

            client.decoder.answered();
            client.send("lo" + GET);

            assertThat(client.messages()).containsExactly(GET_SEEN);
        }
    }

    @Test
    void aFaultInADroppedBodyIsToldToo() {
        try (var client = new ClientConnection(false)) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.messages();

            client.decoder.answered();
            client.send("nonsense\r\n" + GET);

            assertThat(client.messages()).containsExactly("fault BAD_CHUNK");
        }
    }

    @Test
    void aBodyThatTheClientCutsIsAFault() {
        try (var client = new ClientConnection(false)) {
            client.send(POST + "hell");
            client.messages();

            client.hangUp();

            assertThat(client.messages()).containsExactly("fault BODY_CUT");
        }
    }

    @Test
    void aHeadThatTheClientCutsIsNothing() {
        try (var client = new ClientConnection(false)) {
            client.send("\r\n");
            assertThat(client.decoder.isInHead()).isFalse();
            client.send("GET / HT");
            assertThat(client.decoder.isInHead()).isTrue();

            client.hangUp();

            assertThat(client.messages()).isEmpty();
        }
    }

    @Test
    void nothingIsTakenOnceTheRestIsDiscarded() {
        try (var client = new ClientConnection(false)) {
            client.send(POST + "he");
            client.messages();
            client.decoder.pause();

            client.decoder.discardRest();
            client.send("llo" + GET);

            assertThat(client.messages()).isEmpty();
            assertThat(client.reads()).isTrue();
            client.hangUp();
            assertThat(client.messages()).isEmpty();
        }
    }

    @Test
    void aRefusalWaitsForItsAnswerLikeAnyRequest() {
        try (var client = new ClientConnection(false)) {
            client.send(GET + "nonsense\r\n" + GET);

            assertThat(client.messages()).containsExactly(GET_SEEN, "400 BAD_REQUEST_LINE close");
            client.decoder.answered();
            client.decoder.answered();
            assertThat(client.messages()).isEmpty();
            assertThatThrownBy(client.decoder::answered).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aBodyComesInPiecesAsTheyArrive() {
        try (var client = new ClientConnection(true)) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n");
            client.messages();

            client.send("x".repeat(100_000));

            assertThat(client.messages()).containsExactly("data " + "x".repeat(100_000));
        }
    }

    /** The cost of garbage: its bytes are read once and not retained. */
    @Test
    void refusedBytesAreNotKept() {
        var allocator = new UnpooledByteBufAllocator(false);
        try (var client = new ClientConnection(true)) {
            client.channel.config().setAllocator(allocator);

            for (int i = 0; i < 1000; i++) {
                var piece = allocator.heapBuffer(1000);
                piece.writeCharSequence("\u0001".repeat(1000), StandardCharsets.ISO_8859_1);
                client.channel.writeInbound(piece);
            }

            assertThat(client.messages()).containsExactly("400 BAD_REQUEST_LINE close");
            assertThat(allocator.metric().usedHeapMemory()).isZero();
        }
    }

    @Test
    void ourLimitsAnswerBeforeThoseOfNetty() {
        var limits = LimitsConfig.DEFAULTS;
        var config = RequestDecoder.config(limits);

        assertThat(config.getMaxInitialLineLength()).isGreaterThan(limits.requestLineBytes());
        assertThat(config.getMaxHeaderSize()).isGreaterThan(limits.headBytes());
        assertThat(config.getMaxChunkSize()).isEqualTo(64 * 1024);
    }

    @Test
    void nettyIsAsStrictAsWeReckonWith() {
        var netty = new HttpDecoderConfig();
        var ours = RequestDecoder.config(LimitsConfig.DEFAULTS);

        assertThat(netty.getMaxInitialLineLength()).isEqualTo(4096);
        assertThat(netty.getMaxHeaderSize()).isEqualTo(8192);
        assertThat(netty.getMaxChunkSize()).isEqualTo(8192);
        assertThat(ours.isStrictLineParsing()).isTrue();
        assertThat(ours.isUseRfc9112TransferEncoding()).isTrue();
        assertThat(ours.isAllowDuplicateContentLengths()).isFalse();
        assertThat(ours.isChunkedSupported()).isTrue();
        assertThat(ours.isAllowPartialChunks()).isTrue();
        var fields = (DefaultHttpHeadersFactory) ours.getHeadersFactory();
        assertThat(fields.isValidatingHeaderNames()).isTrue();
        assertThat(fields.isValidatingHeaderValues()).isTrue();
        var trailers = (DefaultHttpHeadersFactory) ours.getTrailersFactory();
        assertThat(trailers.isValidatingHeaderNames()).isTrue();
        assertThat(trailers.isValidatingHeaderValues()).isTrue();
    }
}
