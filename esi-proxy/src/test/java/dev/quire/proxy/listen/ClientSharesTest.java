package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ClientSharesTest {
    private final ClientShares shares = new ClientShares();

    @Test
    void clientIsAnIpv4Address() {
        assertThat(shares.enter(address("192.0.2.1"), 2)).isTrue();
        assertThat(shares.enter(address("192.0.2.1"), 2)).isTrue();

        assertThat(shares.enter(address("192.0.2.1"), 2)).isFalse();
        assertThat(shares.enter(address("192.0.2.2"), 2)).isTrue();
    }

    @Test
    void clientIsAnIpv6NetworkOfSixtyFourBits() {
        assertThat(shares.enter(address("2001:db8:0:1::1"), 2)).isTrue();
        assertThat(shares.enter(address("2001:db8:0:1:ffff::2"), 2)).isTrue();

        assertThat(shares.enter(address("2001:db8:0:1:8000::3"), 2)).isFalse();
        assertThat(shares.enter(address("2001:db8:0:2::1"), 2)).isTrue();
    }

    @Test
    void ipv4AddressIsNoIpv6Network() {
        shares.enter(address("0.0.0.1"), 2);
        shares.enter(address("0.0.0.1"), 2);

        assertThat(shares.enter(address("::1"), 2)).isTrue();
        assertThat(shares.clients()).isEqualTo(2);
    }

    @Test
    void whoWasTurnedAwayTakesNobodysPlace() {
        shares.enter(address("192.0.2.1"), 2);
        shares.enter(address("192.0.2.1"), 2);
        for (int i = 0; i < 5; i++) {
            shares.enter(address("192.0.2.1"), 2);
        }

        shares.leave(address("192.0.2.1"));

        assertThat(shares.enter(address("192.0.2.1"), 2)).isTrue();
        assertThat(shares.enter(address("192.0.2.1"), 2)).isFalse();
    }

    @Test
    void nothingIsKeptOfClientsThatHaveLeft() {
        shares.enter(address("192.0.2.1"), 2);
        shares.enter(address("192.0.2.1"), 2);

        shares.leave(address("192.0.2.1"));
        shares.leave(address("192.0.2.1"));

        assertThat(shares.clients()).isZero();
    }

    @Test
    void limitMayChangeWhileConnectionsAreOpen() {
        shares.enter(address("192.0.2.1"), 3);
        shares.enter(address("192.0.2.1"), 3);
        shares.enter(address("192.0.2.1"), 3);

        assertThat(shares.enter(address("192.0.2.1"), 2)).isFalse();
        shares.leave(address("192.0.2.1"));
        shares.leave(address("192.0.2.1"));
        assertThat(shares.enter(address("192.0.2.1"), 2)).isTrue();
    }

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new AssertionError(literal, e);
        }
    }
}
