package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.listen.HeadScanner.Complete;
import dev.quire.proxy.listen.HeadScanner.Incomplete;
import dev.quire.proxy.listen.Incoming.Refused;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HeadScannerTest {
    private static final String HEAD = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    private final HeadScanner scanner = new HeadScanner(LimitsConfig.DEFAULTS);

    @Test
    void aWholeHeadIsMeasuredAndLeftWhereItIs() {
        var in = bytes(HEAD + "GET /next");

        var scan = scanner.scan(in);

        assertThat(scan).isEqualTo(new Complete(HEAD.length()));
        assertThat(in.readerIndex()).isZero();
    }

    @Test
    void theEmptyLineInFrontIsMeasuredWithTheHead() {
        assertThat(scanner.scan(bytes("\r\n" + HEAD))).isEqualTo(new Complete(HEAD.length() + 2));
    }

    @Test
    void aHeadIsWholeWithItsLastByteOnly() {
        for (int end = 0; end < HEAD.length(); end++) {
            assertThat(scanner.scan(bytes(HEAD.substring(0, end))))
                    .as("first %d bytes", end)
                    .isInstanceOf(Incomplete.class);
        }

        assertThat(scanner.scan(bytes(HEAD))).isEqualTo(new Complete(HEAD.length()));
    }

    @Test
    void bytesSeenOnceAreNotLookedAtAgain() {
        scanner.scan(bytes("GET / HTTP/1.1\r\nHost"));

        var scan =
                scanner.scan(bytes("\0".repeat("GET / HTTP/1.1\r\nHost".length()) + ": h\r\n\r\n"));

        assertThat(scan).isEqualTo(new Complete(HEAD.length()));
    }

    @Test
    void anotherHeadBeginsAfterAReset() {
        scanner.scan(bytes(HEAD));

        scanner.reset();

        assertThat(scanner.hasBegun()).isFalse();
        assertThat(scanner.scan(bytes(HEAD))).isEqualTo(new Complete(HEAD.length()));
    }

    @Test
    void theRefusalShowsTheLineEscaped() {
        var scan = scanner.scan(bytes("GET / HTTP/1.1\r\nHost: h\r\nX\"y: a\r\n\r\n"));

        assertThat(scan).isEqualTo(new Refused(RefusalReason.BAD_FIELD_NAME, "X\\x22", true));
    }

    @Test
    void theRefusalShowsSixtyFourBytesAtMost() {
        var scan = scanner.scan(bytes("GET /" + "a".repeat(100) + "\n"));

        assertThat(((Refused) scan).offender()).isEqualTo("GET /" + "a".repeat(59));
    }

    @Test
    void aLimitIsRefusedWithTheFirstByteBeyond() {
        assertThat(scanner.scan(bytes("GET /" + "a".repeat(8187)))).isInstanceOf(Incomplete.class);

        var scan = scanner.scan(bytes("GET /" + "a".repeat(8188)));

        assertThat(((Refused) scan).reason()).isEqualTo(RefusalReason.REQUEST_LINE_TOO_LONG);
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
