package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.UnixChannelOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class TransportTest {

    @Test
    @EnabledOnOs(OS.LINUX)
    void theNativeLibraryWeShipLoads() {
        assertThat(Epoll.unavailabilityCause()).isNull();
        assertThat(Transport.ofThisMachine().name()).isEqualTo("epoll");
    }

    @Test
    void whateverThisMachineHasCanBeOpened() throws Exception {
        var transport = Transport.ofThisMachine();

        var server = transport.serverChannel().getConstructor().newInstance();
        var client = transport.clientChannel().getConstructor().newInstance();

        assertThat(server.isOpen()).isTrue();
        assertThat(client.isOpen()).isTrue();
        assertThat(server.config().setOption(UnixChannelOption.SO_REUSEPORT, true)).isTrue();
        assertThat(transport.reusePort()).isEqualTo(UnixChannelOption.SO_REUSEPORT);
        server.unsafe().closeForcibly();
        client.unsafe().closeForcibly();
        assertThat(transport.loops()).isPositive();
    }

    @Test
    void nioTakesThePlaceOfEpollThatDoesNotLoad() {
        var transport = Transport.of(new UnsatisfiedLinkError("no library"), 3);

        assertThat(transport.name()).isEqualTo("nio");
        assertThat(transport.reusePort()).isNull();
        assertThat(transport.loops()).isEqualTo(3);
    }

    @Test
    void noLoopsAtAllAreRefused() {
        assertThatThrownBy(() -> Transport.of(new UnsatisfiedLinkError("no library"), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
    }
}
