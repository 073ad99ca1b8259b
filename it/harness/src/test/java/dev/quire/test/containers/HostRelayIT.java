package dev.quire.test.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quire.test.containers.internal.HostRelay;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
class HostRelayIT {
    private final Origin origin = Origin.start();
    private HostRelay relay;

    @BeforeEach
    void open() {
        relay = HostRelay.open();
    }

    @AfterEach
    void close() {
        relay.close();
        origin.close();
    }

    /** The address of this machine that the relay listens on. */
    private InetSocketAddress door() throws Exception {
        var open =
                Stream.concat(
                                NetworkInterface.networkInterfaces()
                                        .filter(card -> !card.getName().equals("lo"))
                                        .flatMap(NetworkInterface::inetAddresses),
                                Stream.of(InetAddress.getLoopbackAddress()))
                        .map(address -> new InetSocketAddress(address, relay.port()))
                        .filter(HostRelayIT::isOpen)
                        .toList();
        assertThat(open).as("addresses it listens on: containers reach one").hasSize(1);
        return open.getFirst();
    }

    private static boolean isOpen(InetSocketAddress address) {
        try (var socket = new Socket()) {
            socket.connect(address, 1000);
            return true;
        } catch (java.io.IOException refused) {
            return false;
        }
    }

    @Test
    void handsOnWhatAServerOfTheLoopbackSays() throws Exception {
        origin.on("/", Answer.html("hello"));
        relay.to(origin.address());

        try (var client = HttpWire.to(door())) {
            assertThat(client.get("/").text()).isEqualTo("hello");
            assertThat(client.get("/").text()).isEqualTo("hello");
        }
    }

    @Test
    void anAnswerThatIsAbortedIsAbortedBehindItToo() throws Exception {
        origin.on("/", Answer.html("0123456789").resetAfter(4));
        relay.to(origin.address());

        try (var client = HttpWire.to(door())) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> client.get("/"))
                    .withMessageContaining("reset");
        }
    }

    @Test
    void withNothingBehindItEveryConnectionIsClosed() throws Exception {
        try (var client = HttpWire.to(door())) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> client.get("/"));
        }
    }
}
