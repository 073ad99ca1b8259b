package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {
    private static final int MANY = 20_000;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 50, 99, 100})
    void containsItsPartOfValuesAndClients(int percent) {
        var share = new Share(percent);

        assertThat(IntStream.range(0, MANY).filter(i -> share.contains("id-" + i)).count())
                .isBetween(MANY * (percent - 1L) / 100, MANY * (percent + 1L) / 100);
        assertThat(IntStream.range(0, MANY).filter(i -> share.contains(address(i))).count())
                .isBetween(MANY * (percent - 1L) / 100, MANY * (percent + 1L) / 100);
    }

    @Test
    void whatItContainsStaysWhenItGrows() {
        for (int i = 0; i < 1_000; i++) {
            if (new Share(10).contains("id-" + i)) {
                assertThat(new Share(11).contains("id-" + i)).isTrue();
            }
        }
    }

    @Test
    void clientOfIpv6IsItsNetwork() throws Exception {
        for (int i = 0; i < 200; i++) {
            var network = "2001:db8:0:" + Integer.toHexString(i);
            assertThat(new Share(50).contains(InetAddress.getByName(network + "::1")))
                    .isEqualTo(new Share(50).contains(InetAddress.getByName(network + "::ab:cd")));
        }
    }

    @Test
    void isTheSameInEveryProcess() {
        assertThat(IntStream.range(0, 30).filter(i -> new Share(20).contains("id-" + i)).toArray())
                .containsExactly(1, 3, 7, 9, 13, 21, 24, 25);
    }

    @Test
    void moreThanAllIsRefused() {
        assertThatThrownBy(() -> new Share(101)).isInstanceOf(IllegalArgumentException.class);
    }

    private static InetAddress address(int i) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> Byte.SIZE), (byte) i});
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
