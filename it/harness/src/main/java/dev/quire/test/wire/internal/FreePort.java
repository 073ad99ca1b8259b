package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that listens later, or is stopped and listens again. It is below the range
 * from which the kernel chooses: no outgoing connection, and no socket that asks for any free port,
 * takes it meanwhile.
 */
public final class FreePort {
    private static final Path CHOSEN_BY_KERNEL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int USUAL_RANGE_START = 32_768;
    private static final int LEAST = 10_000;
    private static final int LEAST_CHOICE = 1_000;
    private static final int ATTEMPTS = 1_000;

    /** The ports that this JVM has chosen: those in use later, too. */
    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /**
     * Returns a port that is free on all addresses, another one each time.
     *
     * @throws AssertionError if none is found
     */
    public static int next() {
        int end = Math.max(rangeStart(), LEAST + LEAST_CHOICE);
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, end);
            if (isFree(port) && TAKEN.add(port)) {
                return port;
            }
        }
        throw new AssertionError("expected a free port between " + LEAST + " and " + (end - 1));
    }

    /** Returns {@link #next} on the loopback address. */
    public static InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), next());
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1)) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }

    /** The first port that the kernel chooses; the usual one on a system that does not tell. */
    private static int rangeStart() {
        try (var range = new Scanner(CHOSEN_BY_KERNEL, US_ASCII)) {
            return range.nextInt();
        } catch (IOException unknown) {
            return USUAL_RANGE_START;
        }
    }
}
