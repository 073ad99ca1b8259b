package dev.quire.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentHashTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'' | 00000000000000000000000000000000",
                "hello | cbd8a7b341bd9b025b1e906a48ae1d19",
                "The quick brown fox jumps over the lazy dog | e34bbc7bbc071b6c7a433ca9c49a9347"
            })
    void hashIsMurmur3(String text, String expected) {
        var hash = ContentHash.of(text.getBytes(US_ASCII));

        assertThat(hex(hash)).isEqualTo(expected);
    }

    @Test
    void everyByteOfEveryLengthCounts() {
        var seen = new HashSet<ContentHash>();
        int contents = 0;
        for (int length = 0; length <= 40; length++) {
            assertThat(seen.add(ContentHash.of(new byte[length]))).isTrue();
            contents++;
            for (int at = 0; at < length; at++) {
                byte[] content = new byte[length];
                content[at] = (byte) 0x80;
                seen.add(ContentHash.of(content));
                contents++;
            }
        }

        assertThat(seen).hasSize(contents);
    }

    @Test
    void memoryOfAnyKindAndPlaceHashesTheSameAndStaysAsItIs() {
        byte[] text = "a page of more than sixteen bytes".getBytes(US_ASCII);
        var direct = ByteBuffer.allocateDirect(text.length + 3);
        direct.put(3, text).position(3);

        var hash = ContentHash.of(direct);

        assertThat(hash).isEqualTo(ContentHash.of(text));
        assertThat(direct.position()).isEqualTo(3);
    }

    private static String hex(ContentHash hash) {
        var hex = HexFormat.of();
        return hex.toHexDigits(hash.high()) + hex.toHexDigits(hash.low());
    }
}
