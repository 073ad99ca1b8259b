package dev.quire.proxy.gzip;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Crc32CombineTest {
    private static final byte[] FRONT = "the first part".getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 255, 256, 257, 65_535, 65_536, 1_000_003, 16_777_216})
    void checksumsOfTwoPartsJoinToThatOfTheWhole(int bytes) {
        var behind = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            behind[i] = (byte) (i * 31 + (i >> 8));
        }
        var whole = Arrays.copyOf(FRONT, FRONT.length + bytes);
        System.arraycopy(behind, 0, whole, FRONT.length, bytes);

        int front = crc(FRONT);

        assertThat(Crc32Combine.by(bytes).of(front) ^ crc(behind)).isEqualTo(crc(whole));
        assertThat(Crc32Combine.of(front, bytes) ^ crc(behind)).isEqualTo(crc(whole));
    }

    @Test
    void nothingInFrontShiftsToNothing() {
        assertThat(Crc32Combine.by(12).of(0)).isZero();
        assertThat(Crc32Combine.of(0, 12)).isZero();
    }

    private static int crc(byte[] bytes) {
        var checksum = new CRC32();
        checksum.update(bytes);
        return (int) checksum.getValue();
    }
}
