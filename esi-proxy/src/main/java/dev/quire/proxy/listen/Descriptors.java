package dev.quire.proxy.listen;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Shares out the file descriptors of the process, so that clients cannot take all of them. */
public final class Descriptors {
    /** Without a limit on descriptors. */
    public static final int MAX_CLIENTS = 10_000;

    /** For files, listeners, event loops and name look-ups. */
    private static final int OWN = 64;

    /** With a lower limit the others share what is left. */
    private static final int MIN_CLIENTS = 16;

    private Descriptors() {}

    /** The limit of the process (RLIMIT_NOFILE), or {@link Long#MAX_VALUE} if it is unknown. */
    public static long limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os
                ? os.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    /**
     * Returns the maximum number of tunnels. The connections of tunnels to origins get at most a
     * quarter of the descriptors that are left.
     *
     * @param limit descriptors of the process
     * @param reserved descriptors for other connections to origins and of the admin port
     * @param wanted as configured
     */
    public static int forTunnels(long limit, long reserved, int wanted) {
        return Math.clamp((limit - OWN - reserved) / 4, 0, wanted);
    }

    /**
     * Returns the maximum number of client connections.
     *
     * @param limit descriptors of the process
     * @param reserved descriptors for connections to origins and of the admin port
     */
    public static int forClients(long limit, long reserved) {
        return Math.clamp(limit - OWN - reserved, MIN_CLIENTS, MAX_CLIENTS);
    }
}
