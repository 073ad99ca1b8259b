package dev.quire.proxy.deliver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ByteRange;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts cut from a body that arrives in pieces of any size. */
class BodyPartsTest {
    private static final String BODY = "0123456789abcdefghij";
    private static final ResponseHead HEAD =
            new ResponseHead(200, "OK", new Fields.Builder().add("Content-Type", "a/b").build());

    private static String cut(List<ByteRange> ranges, int pieceBytes) {
        var parts = new BodyParts(ranges, HEAD, BODY.length());
        var out = new StringBuilder();
        for (int from = 0; from < BODY.length(); from += pieceBytes) {
            var piece = BODY.substring(from, Math.min(BODY.length(), from + pieceBytes));
            var data = Unpooled.copiedBuffer(piece, ISO_8859_1);
            parts.take(
                    data,
                    part -> {
                        out.append(part.toString(ISO_8859_1));
                        part.release();
                    });
            assertThat(data.refCnt()).isZero();
        }
        assertThat(parts.isComplete()).isTrue();
        assertThat(out.length()).isEqualTo((int) parts.lengthBytes());
        return out.toString().replaceAll("--[0-9a-f]{32}", "--boundary");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 19, 20, 50})
    void onePartIsTheSameInAllPieces(int pieceBytes) {
        assertThat(cut(List.of(new ByteRange(3, 11)), pieceBytes)).isEqualTo("3456789ab");
        assertThat(cut(List.of(new ByteRange(0, 0)), pieceBytes)).isEqualTo("0");
        assertThat(cut(List.of(new ByteRange(19, 19)), pieceBytes)).isEqualTo("j");
        assertThat(cut(List.of(new ByteRange(0, 19)), pieceBytes)).isEqualTo(BODY);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 19, 20, 50})
    void severalPartsAreTheSameInAllPieces(int pieceBytes) {
        var ranges = List.of(new ByteRange(0, 1), new ByteRange(2, 2), new ByteRange(10, 19));

        assertThat(cut(ranges, pieceBytes))
                .isEqualTo(
                        """
                        --boundary\r
                        Content-Type: a/b\r
                        Content-Range: bytes 0-1/20\r
                        \r
                        01\r
                        --boundary\r
                        Content-Type: a/b\r
                        Content-Range: bytes 2-2/20\r
                        \r
                        2\r
                        --boundary\r
                        Content-Type: a/b\r
                        Content-Range: bytes 10-19/20\r
                        \r
                        abcdefghij\r
                        --boundary--\r
                        """);
    }
}
