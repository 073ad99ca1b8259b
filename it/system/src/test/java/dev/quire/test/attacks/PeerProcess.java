package dev.quire.test.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A peer that is running, on a free port of the loopback. */
final class PeerProcess implements AttackTarget.Running {
    private static final long PATIENCE_SECONDS = 20;
    private static final long POLL_NANOS = 10_000_000;

    private final Process process;
    private final Path folder;
    private final InetSocketAddress address;

    private PeerProcess(Process process, Path folder, InetSocketAddress address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
    }

    /**
     * Starts {@code program} and waits until it accepts connections.
     *
     * @throws AssertionError with its output, if it ends or does not listen in time
     */
    static PeerProcess start(Peer peer, Path program, int origin, int other) throws IOException {
        var folder = Files.createTempDirectory("attacks");
        int port = freePort();
        Files.writeString(
                folder.resolve("configuration"),
                peer.configuration()
                        .replace("ORIGIN", Integer.toString(origin))
                        .replace("OTHER", Integer.toString(other))
                        .replace("PORT", Integer.toString(port))
                        .replace("FOLDER", folder.toString()));
        var output = folder.resolve("output");
        var process =
                new ProcessBuilder(peer.command(program, folder, port))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var running = new PeerProcess(process, folder, address);
        if (!running.isListening()) {
            var said = Files.readString(output, UTF_8);
            running.close();
            throw new AssertionError(peer + " did not start:\n" + said);
        }
        return running;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private boolean isListening() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (var probe = new Socket()) {
                probe.connect(address);
                return true;
            } catch (IOException e) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        return false;
    }

    private static int freePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
