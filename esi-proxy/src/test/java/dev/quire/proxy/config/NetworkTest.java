package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.text.Network;
import io.netty.util.NetUtil;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkTest {

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

        assertThat(Network.parse(range).contains(peer)).isEqualTo(in);
    }
}
