package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.0.0.1, true",
        "127.0.0.0/8, 127.255.255.255, true",
        "127.0.0.0/8, 128.0.0.0, false",
        "10.1.0.0/17, 10.1.127.255, true",
        "10.1.0.0/17, 10.1.128.0, false",
        "0.0.0.0/0, 203.0.113.7, true",
        "0.0.0.0/0, ::1, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "::1/128, ::1, true",
        "::1/128, ::2, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "::/0, 127.0.0.1, false"
    })
    void anAddressLiesInARangeThatSharesItsLeadingBits(String range, String address, boolean in) {
        var peer = Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(address));

        assertThat(Cidr.parse(range).contains(peer)).isEqualTo(in);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.0.0.0/8",
        "192.0.2.1, 192.0.2.1/32",
        "2001:DB8::/32, 2001:db8::/32"
    })
    void aRangeIsWrittenAsItIsRead(String text, String written) {
        assertThat(Cidr.parse(text)).hasToString(written);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost/8, no address range",
        "10.0.0/8, no address range",
        "[::1]/128, no address range",
        "fe80::1%eth0/64, no address range",
        "10.0.0.0/, no prefix length",
        "10.0.0.0/-1, no prefix length",
        "10.0.0.0/8/8, no prefix length",
        "10.0.0.0/33, expected 0 to 32",
        "::/129, expected 0 to 128",
        "10.0.0.1/8, expected 10.0.0.0/8"
    })
    void whatIsNoRangeIsToldWithWhatWasExpected(String text, String told) {
        assertThatThrownBy(() -> Cidr.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining(told);
    }

    @Test
    void aMappedAddressCountsAsTheOneInside() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 127;
        mapped[15] = 1;
        var peer = Inet6Address.getByAddress(null, mapped, -1);

        assertThat(Cidr.parse("127.0.0.0/8").contains(peer)).isTrue();
        assertThat(Cidr.parse("::/0").contains(peer)).isFalse();
    }
}
