package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.proxy.gzip.BodyDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyDecoderTest {
    private static final String TEXT = "<p>live count</p> ".repeat(40);

    private final StringBuilder decoded = new StringBuilder();

    static Stream<Arguments> codingsInPieces() {
        return Stream.<Arguments>of(
                        coding("gzip", Coded::gzip),
                        coding("X-GZIP", Coded::gzip),
                        coding("gzip", Coded::gzipWithEverything),
                        coding("gzip", BodyDecoderTest::gzipOfTwoMembers),
                        coding("gzip", text -> Coded.joined(Coded.gzip(text), new byte[512])),
                        coding("deflate", Coded::zlib),
                        coding("deflate", Coded::rawDeflate),
                        coding("br", Coded::brotli))
                .flatMap(coding ->
                        Stream.of(1, 2, 7, 1_000_000)
                                .map(pieces ->
                                        Arguments.of(coding.get()[0], coding.get()[1], pieces)));
    }

    private static Arguments coding(String name, Function<String, byte[]> coder) {
        return Arguments.of(name, coder);
    }

    private static byte[] gzipOfTwoMembers(String text) {
        int half = text.length() / 2;
        return Coded.joined(Coded.gzip(text.substring(0, half)), Coded.gzip(text.substring(half)));
    }

    @ParameterizedTest
    @MethodSource("codingsInPieces")
    void bodyIsDecodedHoweverItIsCut(String name, Function<String, byte[]> coder, int pieces) {
        var failure = decode(name, coder.apply(TEXT), pieces);

        assertThat(failure).isNull();
        assertThat(decoded).hasToString(TEXT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br"})
    void bodyCutAnywhereIsAFailure(String name) {
        var whole =
                switch (name) {
                    case "gzip" -> Coded.gzipWithEverything("text");
                    case "deflate" -> Coded.zlib("text");
                    default -> Coded.brotli("text");
                };

        for (int length = 1; length < whole.length; length++) {
            var failure = decode(name, Arrays.copyOf(whole, length), 3);
            assertThat(failure)
                    .as("cut at %s", length)
                    .extracting(Failure::kind)
                    .isEqualTo(Kind.MALFORMED);
        }
    }

    @Test
    void emptyBodyIsWhole() {
        assertThat(decode("gzip", new byte[0], 1)).isNull();
    }

    @Test
    void wrongChecksumIsAFailure() {
        var body = Coded.gzip(TEXT);
        body[body.length - 6] ^= 1;

        var failure = decode("gzip", body, 7);

        assertThat(failure).asString().contains("trailer");
    }

    @Test
    void whatIsNoGzipIsAFailureAndYieldsNothing() {
        var failure = decode("gzip", TEXT.getBytes(StandardCharsets.ISO_8859_1), 7);

        assertThat(failure).isNotNull();
        assertThat(decoded).isEmpty();
    }

    @Test
    void bodyThatInflatesToMuchMoreThanCameIsStoppedSoonAfterItsFirstMebibyte() {
        var failure = decode("gzip", Coded.gzip("a".repeat(20_000_000)), 1_000);

        assertThat(failure).extracting(Failure::kind).isEqualTo(Kind.TOO_LARGE);
        assertThat(decoded.length()).isLessThan(2_000_000);
    }

    @Test
    void targetThatRefusesStopsDecoding() {
        var refused = new Failure(Failure.Side.PROXY, Kind.OVERLOAD, "no room");
        var decoder = decoder("gzip");
        var body = Unpooled.wrappedBuffer(Coded.gzip("a".repeat(100_000)));

        var failure =
                decoder.add(
                        body,
                        part -> {
                            decoded.append(part.readableBytes());
                            return refused;
                        });

        assertThat(failure).isSameAs(refused);
        assertThat(decoded).hasToString("8192");
        assertThat(body.refCnt()).isEqualTo(1);
        decoder.discard();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    void bodyIsDecodedWhileItArrives(String name) {
        var body = name.equals("gzip") ? Coded.gzip(TEXT) : Coded.zlib(TEXT);
        var decoder = decoder(name);

        decoder.add(Unpooled.wrappedBuffer(body, 0, body.length / 2), this::take);

        assertThat(decoded).isNotEmpty();
        decoder.discard();
    }

    @Test
    void brotliWithADictionaryAndReferencesIsDecoded() {
        // The output of the reference encoder.
        var body = Base64.getDecoder().decode("G88C+I2ULu5Sg7zwwAmfXEST1jKEFVCpwxxPDg==");

        assertThat(decode("br", body, 5)).isNull();

        assertThat(decoded).hasToString(TEXT);
    }

    /** No exception leaves the library, whatever it reads. */
    @Test
    void brotliWithAWrongByteAnywhereIsDecodedOrAFailure() {
        var random = new Random(1);
        var body = new byte[40];
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(body);
            var failure = decode("br", body, body.length);
            assertThat(failure == null || failure.side() == Failure.Side.ORIGIN).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip, gzip", "zstd", "compress"})
    void otherCodingsAreNotKnown(String name) {
        assertThat(BodyDecoder.of(coding(name))).isNull();
    }

    /** The first failure, or null. */
    private @Nullable Failure decode(String coding, byte[] body, int pieces) {
        decoded.setLength(0);
        var decoder = decoder(coding);
        try {
            for (int from = 0; from < body.length; from += pieces) {
                var part = Unpooled.wrappedBuffer(body, from, Math.min(pieces, body.length - from));
                var failure = decoder.add(part, this::take);
                if (failure != null) {
                    return failure;
                }
            }
            return decoder.end(this::take);
        } finally {
            decoder.discard();
        }
    }

    private @Nullable Failure take(ByteBuf part) {
        decoded.append(part.toString(StandardCharsets.ISO_8859_1));
        return null;
    }

    private static BodyDecoder decoder(String name) {
        var decoder = BodyDecoder.of(coding(name));
        if (decoder == null) {
            throw new AssertionError(name + " is not known");
        }
        return decoder;
    }

    private static ContentCoding coding(String name) {
        return ContentCoding.of(Fields.of("Content-Encoding", name));
    }
}
