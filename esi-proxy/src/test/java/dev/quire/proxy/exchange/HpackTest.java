package dev.quire.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HpackTest {
    private final ByteBuf out = Unpooled.buffer();

    private String read() throws Exception {
        var text = new StringBuilder();
        for (var line : new DefaultHttp2HeadersDecoder(false, 64 << 10).decodeHeaders(1, out)) {
            text.append(line.getKey()).append(": ").append(line.getValue());
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {103, 200, 201, 204, 206, 304, 400, 404, 421, 500, 599})
    void statusIsReadBack(int status) throws Exception {
        Hpack.status(out, status);

        assertThat(read()).isEqualTo(":status: " + status);
    }

    @ParameterizedTest
    @CsvSource({
        "200, 88",
        "204, 89",
        "206, 8a",
        "304, 8b",
        "400, 8c",
        "404, 8d",
        "500, 8e",
        "302, 0803333032"
    })
    void commonStatusIsOneByte(int status, String bytes) {
        Hpack.status(out, status);

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Date",
                "cache-control",
                "Content-Type",
                "Access-Control-Allow-Origin",
                "Strict-Transport-Security",
                "WWW-Authenticate",
                "Set-Cookie",
                "X-Other",
                "A-Name-That-Is-Longer-Than-All-Of-The-Static-Table"
            })
    void nameIsReadBackInLowerCase(String name) throws Exception {
        Hpack.line(out, name, "a value");

        assertThat(read()).isEqualTo(name.toLowerCase(Locale.ROOT) + ": a value");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 126, 127, 128, 254, 255, 256, 5_000, 20_000})
    void valueOfAnyLengthIsReadBack(int length) throws Exception {
        Hpack.line(out, "X", "v".repeat(length));

        assertThat(read()).isEqualTo("x: " + "v".repeat(length));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, 1_234_567_890_123L, -1, -10})
    void numberIsReadBack(long number) throws Exception {
        Hpack.line(out, "Cache-Status", "quire; hit; ttl=", number);

        assertThat(read()).isEqualTo("cache-status: quire; hit; ttl=" + number);
    }

    @Test
    void valueIsIso8859() {
        Hpack.line(out, "X", "\u00e9");

        assertThat(out.getByte(out.writerIndex() - 1)).isEqualTo((byte) 0xe9);
        assertThat(out.toString(StandardCharsets.ISO_8859_1)).endsWith("\u00e9");
    }

    @Test
    void nothingIsIndexed() {
        Hpack.line(out, "Server", "a");
        Hpack.line(out, "X", "a");

        assertThat(out.getByte(0) & 0xf0).isZero();
        assertThat(out.getByte(4) & 0xf0).isZero();
    }

    @Test
    void cookiesAreNeverIndexed() {
        Hpack.line(out, "Set-Cookie", "session=1");

        assertThat(out.getByte(0) & 0xf0).isEqualTo(0x10);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "keep-alive",
                "Proxy-Connection",
                "Transfer-Encoding",
                "Upgrade"
            })
    void linesOfAConnectionAreNotWritten(String name) {
        Hpack.line(out, name, "a");

        assertThat(out.isReadable()).isFalse();
    }
}
