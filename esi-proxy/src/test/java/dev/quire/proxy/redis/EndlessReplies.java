package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** In front of a server: to each request for a record it begins a reply of almost 2 GB. */
final class EndlessReplies implements AutoCloseable {
    private static final int LENGTH = 1_900_000_000;

    /** The bytes of the reply that were sent. */
    final AtomicLong sent = new AtomicLong();

    /** The reader has closed the connection. */
    final CountDownLatch refused = new CountDownLatch(1);

    private final ServerSocket listener;
    private final int server;

    EndlessReplies(int server) {
        this.server = server;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    @SuppressWarnings("InfiniteLoop") // Until the listener is closed.
    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                var real = new Socket(InetAddress.getLoopbackAddress(), server);
                Thread.ofVirtual().start(() -> requests(client, real));
                Thread.ofVirtual().start(() -> replies(client, real));
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private void requests(Socket client, Socket real) {
        var bytes = new byte[1 << 16];
        try (client;
                real) {
            var in = client.getInputStream();
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (new String(bytes, 0, read, ISO_8859_1).contains("\r\nGETRANGE\r\n")) {
                    reply(client);
                    return;
                }
                real.getOutputStream().write(bytes, 0, read);
            }
        } catch (IOException closed) {
            // Either end has closed it.
        }
    }

    private void reply(Socket client) {
        var zeros = new byte[1 << 16];
        try {
            var out = client.getOutputStream();
            out.write(("$" + LENGTH + "\r\n").getBytes(ISO_8859_1));
            while (sent.addAndGet(zeros.length) < LENGTH) {
                out.write(zeros);
            }
        } catch (IOException closed) {
            refused.countDown();
        }
    }

    private static void replies(Socket client, Socket real) {
        try (client;
                real) {
            real.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException closed) {
            // Either end has closed it.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
