package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TicketKeysTest {
    @TempDir private Path folder;

    @Test
    void eachKeyDecryptsForOneMorePeriod() {
        var first = TicketKeys.random();
        var second = first.rotated();
        var third = second.rotated();

        assertThat(second.secrets()).hasSize(2).endsWith(first.secrets().getFirst());
        assertThat(third.secrets()).hasSize(2).endsWith(second.secrets().getFirst());
        assertThat(first.isSame(second)).isFalse();
        assertThat(second.isSame(third)).isFalse();
    }

    @Test
    void keysOfAFileHaveItsOrder() throws Exception {
        var bytes = new byte[2 * TicketKeys.BYTES];
        bytes[TicketKeys.BYTES] = 1;
        var file = Files.write(folder.resolve("keys"), bytes);

        var keys = TicketKeys.read(file);

        assertThat(keys.secrets()).hasSize(2);
        assertThat(keys.secrets().getLast()[0]).isEqualTo((byte) 1);
        assertThat(keys.isSame(TicketKeys.read(file))).isTrue();
        assertThat(keys).hasToString("2 keys");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 47, 49, 80, 95, 16 * 48 + 1, 17 * 48})
    void aFileOfAnotherLengthIsRefused(int length) throws Exception {
        var file = Files.write(folder.resolve("keys"), new byte[length]);

        assertThatThrownBy(() -> TicketKeys.read(file))
                .isInstanceOf(UnusableFile.class)
                .hasMessageContaining("1 to 16 keys of 48 random bytes each");
    }
}
