package dev.quire.proxy.gzip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.exchange.Gathering;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** A body decodes to its parts, for all kinds of parts in any order. */
class GzipBodyPropertyTest {
    private static final int GZIP_HEADER_BYTES = 10;

    private enum How {
        PIECE,
        TEXT,
        DATA,
        DATA_IN_TWO_BUFFERS
    }

    /**
     * @param text one char for each byte
     */
    record Part(How how, String text) {
        byte[] bytes() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    @Provide
    Arbitrary<List<Part>> bodies() {
        var sizes =
                Arbitraries.frequencyOf(
                        Tuple.of(8, Arbitraries.integers().between(0, 300)),
                        Tuple.of(3, Arbitraries.integers().between(301, 9_000)),
                        Tuple.of(1, Arbitraries.of(65_534, 65_535, 65_536, 131_070, 200_000)));
        var contents =
                Combinators.combine(
                                sizes,
                                Arbitraries.of(true, false),
                                Arbitraries.longs().between(0, 1_000))
                        .as(GzipBodyPropertyTest::bytes);
        return Combinators.combine(Arbitraries.of(How.class), contents)
                .as((how, bytes) -> new Part(how, new String(bytes, StandardCharsets.ISO_8859_1)))
                .list()
                .ofMaxSize(30);
    }

    @Property(tries = 400)
    void bodyInflatesToItsParts(@ForAll("bodies") List<Part> parts) throws IOException {
        var made = made(parts, true);

        try (var plain = new GZIPInputStream(new ByteArrayInputStream(made))) {
            assertThat(plain.readAllBytes()).isEqualTo(joined(parts));
        }
    }

    @Property(tries = 100)
    void whatHasBeenAddedCanBeReadBeforeTheBodyEnds(@ForAll("bodies") List<Part> parts)
            throws DataFormatException {
        var made = made(parts, false);

        var expected = joined(parts);
        if (expected.length == 0) {
            return;
        }
        var inflater = new Inflater(true);
        try {
            inflater.setInput(made, GZIP_HEADER_BYTES, made.length - GZIP_HEADER_BYTES);
            var read = new byte[expected.length];
            int bytes = 0;
            for (int more; (more = inflater.inflate(read, bytes, read.length - bytes)) > 0; ) {
                bytes += more;
            }
            assertThat(bytes).isEqualTo(expected.length);
            assertThat(read).isEqualTo(expected);
        } finally {
            inflater.end();
        }
    }

    @Example
    void bodyOfNothingIsOne() throws IOException {
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(made(List.of(), true)))) {
            assertThat(plain.readAllBytes()).isEmpty();
        }
    }

    @Example
    void pieceOfTextIsMuchShorterAndOneOfNoiseHardlyLonger() {
        var text =
                piece("<li class=\"item\">text</li>".repeat(200).getBytes(StandardCharsets.UTF_8));
        var noise = piece(bytes(70_000, false, 1));
        try {
            assertThat(text.length()).isLessThan(300);
            assertThat(noise.length()).isBetween(70_001, 70_010);
        } finally {
            text.release();
            noise.release();
        }
    }

    private static byte[] made(List<Part> parts, boolean ends) {
        var out = new Gathering(UnpooledByteBufAllocator.DEFAULT);
        var body = new GzipBody();
        var lent = new ArrayList<ByteBuf>();
        var pieces = new ArrayList<GzipPiece>();
        for (var part : parts) {
            switch (part.how()) {
                case PIECE -> {
                    pieces.add(piece(part.bytes()));
                    body.add(pieces.getLast(), out);
                }
                case TEXT -> body.add(part.bytes(), out);
                case DATA -> {
                    lent.add(Unpooled.copiedBuffer(part.bytes()));
                    body.add(lent.getLast(), out);
                }
                case DATA_IN_TWO_BUFFERS -> {
                    int half = part.bytes().length / 2;
                    lent.add(
                            Unpooled.wrappedBuffer(
                                    Unpooled.copiedBuffer(part.bytes(), 0, half),
                                    Unpooled.copiedBuffer(
                                            part.bytes(), half, part.bytes().length - half)));
                    body.add(lent.getLast(), out);
                }
            }
        }
        if (ends) {
            body.end(out);
        }
        long length = out.bytes();
        pieces.forEach(GzipPiece::release);
        var bytes = new ByteArrayOutputStream();
        out.take(buffer -> {
            bytes.writeBytes(ByteBufUtil.getBytes(buffer));
            buffer.release();
        });
        assertThat(bytes.size()).isEqualTo(length);
        assertThat(lent).allMatch(data -> data.refCnt() == 0 || data.capacity() == 0);
        return bytes.toByteArray();
    }

    private static GzipPiece piece(byte[] bytes) {
        return GzipPiece.of(ByteBuffer.wrap(bytes));
    }

    private static byte[] joined(List<Part> parts) {
        var all = new ByteArrayOutputStream();
        parts.forEach(part -> all.writeBytes(part.bytes()));
        return all.toByteArray();
    }

    private static byte[] bytes(int size, boolean isText, long seed) {
        var random = new Random(seed);
        var bytes = new byte[size];
        random.nextBytes(bytes);
        if (isText) {
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) "<div class=x>".charAt((bytes[i] & 0xff) % 13);
            }
        }
        return bytes;
    }
}
