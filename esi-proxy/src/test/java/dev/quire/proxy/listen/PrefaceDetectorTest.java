package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefaceDetectorTest {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private final Http2Peer rules = new Http2Peer();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void closes() {
        channel.finishAndReleaseAll();
        rules.close();
    }

    /** Returns the names of the handlers after {@code text} has arrived in pieces. */
    private List<String> handlersAfter(String text, int pieceBytes) {
        new ClientProtocols(
                        new Arrival(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 40_000),
                                Scheme.HTTP),
                        rules.handler(),
                        rules::rules,
                        new LoopConnections(channel.eventLoop(), new Traffic()))
                .either(channel.pipeline());
        channel.pipeline().fireChannelActive();
        for (int i = 0; i < text.length(); i += pieceBytes) {
            int end = Math.min(text.length(), i + pieceBytes);
            channel.writeInbound(
                    Unpooled.copiedBuffer(text.substring(i, end), StandardCharsets.US_ASCII));
        }
        return channel.pipeline().toMap().values().stream()
                .map(handler -> handler.getClass().getSimpleName())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100})
    void prefaceIsOfHttp2InPiecesOfAnyLength(int pieceBytes) {
        assertThat(handlersAfter(PREFACE, pieceBytes)).containsExactly("Http2Handler");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n", "PRI * HTTP/1.1\r\n", "PUT", "\r\n"})
    void anythingElseIsHttp1(String start) {
        assertThat(handlersAfter(start, 1)).containsExactly("RequestDecoder", "ConnectionHandler");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "P", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r"})
    void startOfThePrefaceWaits(String start) {
        assertThat(handlersAfter(start, 1)).containsExactly("PrefaceDetector");
    }
}
