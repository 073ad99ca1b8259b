package dev.quire.proxy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.Proxy;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.handover.Takeover;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TrainingRunTest {

    @Test
    void everyRequestOfARehearsalIsAnsweredWell() {
        var rehearsal = new TrainingRun(configuration -> new Proxy(configuration, Time.system()));

        assertThatCode(rehearsal::run).doesNotThrowAnyException();
    }

    @Test
    void rehearsalThatIsNotAnsweredSaysSoAndStopsItsServer() throws Exception {
        var stopped = new AtomicBoolean();
        try (var mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var hangingUp = Thread.ofVirtual().start(() -> hangUp(mute));
            var rehearsal = new TrainingRun(configuration -> at(mute, stopped));

            assertThatThrownBy(rehearsal::run)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("0 of 10 requests");

            hangingUp.join();
        }
        assertThat(stopped).isTrue();
    }

    /** Closes the connection without a response. */
    private static void hangUp(ServerSocket listener) {
        try (var connection = listener.accept()) {
            connection.shutdownOutput();
            connection.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Server at(ServerSocket listener, AtomicBoolean stopped) {
        return new Server() {
            @Override
            public ListenAddresses start() {
                var address = (InetSocketAddress) listener.getLocalSocketAddress();
                var clients =
                        Configuration.DEFAULTS.listen().addresses().stream()
                                .map(each -> new ListenAddresses.Client(each, address))
                                .toList();
                return new ListenAddresses(clients, address, Optional.empty());
            }

            @Override
            public ListenAddresses start(Takeover from) {
                throw new UnsupportedOperationException("nothing is taken over");
            }

            @Override
            public List<ServerHealth> servers() {
                return List.of();
            }

            @Override
            public void drainAndStop() {
                stopped.set(true);
            }
        };
    }
}
