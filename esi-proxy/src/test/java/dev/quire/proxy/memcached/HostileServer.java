package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server that answers each line with what a test gives. */
final class HostileServer implements AutoCloseable {
    private final ServerSocket socket;
    private final Queue<Socket> clients = new ConcurrentLinkedQueue<>();

    /** Gives the bytes that follow a line. */
    interface Script {
        void answer(String line, OutputStream out) throws IOException;
    }

    HostileServer(Script script) {
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual()
                .start(() -> {
                    while (!socket.isClosed()) {
                        try {
                            var client = socket.accept();
                            clients.add(client);
                            Thread.ofVirtual().start(() -> serve(client, script));
                        } catch (IOException closed) {
                            return;
                        }
                    }
                });
    }

    private static void serve(Socket client, Script script) {
        try (client) {
            for (var line = line(client.getInputStream());
                    !line.isEmpty();
                    line = line(client.getInputStream())) {
                script.answer(line, client.getOutputStream());
                client.getOutputStream().flush();
            }
        } catch (IOException closed) {
            // The proxy has closed it.
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.append((char) next);
            if (next == '\n') {
                return line.toString();
            }
        }
        return "";
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(US_ASCII));
    }

    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
            for (var client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
