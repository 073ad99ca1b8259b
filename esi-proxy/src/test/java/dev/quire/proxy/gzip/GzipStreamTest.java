package dev.quire.proxy.gzip;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipStreamTest {
    private static final int HEADER_BYTES = 10;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private int closed;
    private final GzipStream stream =
            new GzipStream(UnpooledByteBufAllocator.DEFAULT, () -> closed++);

    @AfterEach
    void close() {
        stream.close();
        assertThat(closed).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 4_095, 65_536, 300_000})
    void bodyInPiecesDecodesToThem(int bytes) throws IOException {
        for (boolean isText : new boolean[] {true, false}) {
            var whole = bytes(bytes, isText);
            var out = new ByteArrayOutputStream();
            var other = new GzipStream(UnpooledByteBufAllocator.DEFAULT, () -> {});
            for (int at = 0; at < bytes; at += 10_000) {
                int piece = Math.min(10_000, bytes - at);
                var half = piece / 2;
                var data =
                        Unpooled.wrappedBuffer(
                                Unpooled.copiedBuffer(whole, at, half),
                                Unpooled.directBuffer().writeBytes(whole, at + half, piece - half));
                taken(other.add(data), out);
                data.release();
                if (at % 30_000 == 0) {
                    taken(other.flush(), out);
                    taken(other.flush(), out);
                }
            }
            taken(other.end(), out);
            other.close();

            var gzip = new GZIPInputStream(new ByteArrayInputStream(out.toByteArray()));
            assertThat(gzip.readAllBytes()).isEqualTo(whole);
        }
    }

    @Test
    void whatIsFlushedCanBeDecoded() throws DataFormatException {
        add("first");
        taken(stream.flush(), sent);
        assertThat(decoded()).isEqualTo("first");

        add(" second");
        assertThat(decoded()).isEqualTo("first");
        taken(stream.flush(), sent);
        assertThat(decoded()).isEqualTo("first second");
    }

    @Test
    void flushWithoutNewDataSendsNothing() {
        add("text");
        taken(stream.flush(), sent);
        int before = sent.size();

        taken(stream.flush(), sent);

        assertThat(sent.size()).isEqualTo(before);
    }

    private void add(String text) {
        var data = Unpooled.copiedBuffer(text, ISO_8859_1);
        taken(stream.add(data), sent);
        data.release();
    }

    private String decoded() throws DataFormatException {
        var inflater = new Inflater(true);
        inflater.setInput(sent.toByteArray(), HEADER_BYTES, sent.size() - HEADER_BYTES);
        var plain = new byte[100];
        int length = inflater.inflate(plain);
        inflater.end();
        return new String(plain, 0, length, ISO_8859_1);
    }

    private static void taken(ByteBuf piece, ByteArrayOutputStream out) {
        out.writeBytes(ByteBufUtil.getBytes(piece));
        piece.release();
    }

    private static byte[] bytes(int count, boolean isText) {
        var random = new Random(1);
        var bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (isText ? 'a' + random.nextInt(4) : random.nextInt());
        }
        return bytes;
    }
}
