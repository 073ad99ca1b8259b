package dev.quire.test.containers.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * Lets containers reach one server of this machine, which may listen on the loopback only and may
 * start after them. Forwards every byte, the end of a stream and connection resets. Needs no
 * container of its own; Docker has to run on this machine. Thread-safe.
 */
public final class HostRelay implements AutoCloseable {

    /** The host name of this machine in containers that were {@linkplain #letIn let in}. */
    public static final String HOST = "host.docker.internal";

    private static final int BACKLOG = 1024;

    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable InetSocketAddress server;

    private HostRelay(ServerSocket door) {
        this.door = door;
    }

    /**
     * A relay on a free port. It closes all connections until it has a target.
     *
     * @throws UncheckedIOException if no port can be opened
     */
    public static HostRelay open() {
        try {
            var relay = new HostRelay(new ServerSocket(0, BACKLOG, address()));
            Thread.ofVirtual().start(relay::accept);
            return relay;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open a port for containers", e);
        }
    }

    /**
     * Closes connections to other targets, and forwards new ones to the server at {@code address}.
     */
    public HostRelay to(InetSocketAddress address) {
        server = address;
        open.forEach(this::close);
        return this;
    }

    /** The port of {@link #HOST} for containers. */
    public int port() {
        return door.getLocalPort();
    }

    /**
     * Adds the host name of this machine to {@code container}, which must not have been started.
     */
    public static <C extends GenericContainer<C>> C letIn(C container) {
        return container.withExtraHost(HOST, "host-gateway");
    }

    /** Closes its port and every connection. */
    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(this::close);
    }

    /**
     * The address of this machine on Docker's bridge, if there is one, which only containers reach.
     * If Docker runs in a virtual machine, its containers reach the loopback.
     */
    private static InetAddress address() throws SocketException {
        var bridge =
                DockerClientFactory.instance()
                        .client()
                        .inspectNetworkCmd()
                        .withNetworkId("bridge")
                        .exec()
                        .getOptions()
                        .getOrDefault("com.docker.network.bridge.name", "docker0");
        var here = NetworkInterface.getByName(bridge);
        return here == null
                ? InetAddress.getLoopbackAddress()
                : Collections.list(here.getInetAddresses()).stream()
                        .filter(address -> address.getAddress().length == 4)
                        .findFirst()
                        .orElseGet(InetAddress::getLoopbackAddress);
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
        var target = server;
        if (target == null) {
            close(client);
            return;
        }
        try {
            var behind = new Socket(target.getAddress(), target.getPort());
            open.add(behind);
            client.setTcpNoDelay(true);
            behind.setTcpNoDelay(true);
            var back = Thread.ofVirtual().start(() -> copy(behind, client));
            copy(client, behind);
            back.join();
            close(behind);
            close(client);
        } catch (IOException refused) {
            abort(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Copies one direction to its end, and forwards the close or reset. */
    private void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException aborted) {
            abort(from);
            abort(to);
        }
    }

    private void abort(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // Already closed.
        }
        close(socket);
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
