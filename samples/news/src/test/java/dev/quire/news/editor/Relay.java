package dev.quire.news.editor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A listening address that is known before the server behind it runs. Until then connections are
 * accepted and closed at once, or accepted and ignored. Thread-safe.
 */
final class Relay implements AutoCloseable {
    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable InetSocketAddress target;
    private volatile boolean silent;

    private Relay(ServerSocket door) {
        this.door = door;
    }

    static Relay open() {
        try {
            var relay = new Relay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            Thread.ofVirtual().start(relay::accept);
            return relay;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + door.getLocalPort();
    }

    /** Relays new connections to the server at {@code address}. */
    void to(InetSocketAddress address) {
        closeAll();
        silent = false;
        target = address;
    }

    /** Closes open connections, and new ones at once. */
    void refuse() {
        silent = false;
        target = null;
        closeAll();
    }

    /** Accepts connections and never answers. */
    void hush() {
        target = null;
        silent = true;
        closeAll();
    }

    @Override
    public void close() throws IOException {
        door.close();
        closeAll();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                var client = door.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        var server = target;
        if (silent) {
            return;
        }
        if (server == null) {
            close(client);
            return;
        }
        try {
            var behind = new Socket(server.getAddress(), server.getPort());
            open.add(behind);
            Thread.ofVirtual().start(() -> copy(behind, client));
            copy(client, behind);
        } catch (IOException refused) {
            close(client);
        }
    }

    private void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException ended) {
            // either side may close it
        } finally {
            close(from);
            close(to);
        }
    }

    private void closeAll() {
        open.forEach(this::close);
    }

    private void close(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
