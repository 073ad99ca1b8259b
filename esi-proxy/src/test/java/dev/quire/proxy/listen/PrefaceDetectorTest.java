package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrefaceDetectorTest {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private final Http2Peer rules = new Http2Peer();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LoopConnections siblings =
            new LoopConnections(channel.eventLoop(), new Traffic());

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
                        siblings)
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

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 500) {
            channel.advanceTimeBy(500, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 14, 16", "P, 9, 11"})
    void firstBytesAreAwaitedAsLongAsARequestAndThenAsLongAsAHead(
            String start, int before, int after) {
        channel.freezeTime();
        handlersAfter(start, 1);

        pass(Duration.ofSeconds(before));
        assertThat(channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(after - before));

        assertThat(channel.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "P"})
    void drainLeavesARequestTimeToArrive(String start) {
        channel.freezeTime();
        handlersAfter(start, 1);

        siblings.drain();
        assertThat(channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(1));

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void protocolThatIsFoundDuringADrainAnswers() {
        handlersAfter("", 1);
        siblings.drain();

        channel.writeInbound(
                Unpooled.copiedBuffer(
                        "GET / HTTP/1.1\r\nHost: h\r\n\r\n", StandardCharsets.US_ASCII));

        assertThat(rules.begun).hasSize(1);
        assertThat(channel.isOpen()).isTrue();
    }
}
