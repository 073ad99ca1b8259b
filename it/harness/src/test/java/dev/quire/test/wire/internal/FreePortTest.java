package dev.quire.test.wire.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class FreePortTest {

    @Test
    void eachPortIsAnotherOneAndFree() throws Exception {
        var ports = new HashSet<Integer>();
        for (int i = 0; i < 100; i++) {
            int port = FreePort.next();
            try (var server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                ports.add(server.getLocalPort());
            }
        }

        assertThat(ports).hasSize(100);
    }

    @Test
    void portIsBelowThoseThatTheKernelChooses() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            int port = FreePort.address().getPort();

            assertThat(port).isLessThan(server.getLocalPort()).isLessThan(client.getLocalPort());
        }
    }
}
