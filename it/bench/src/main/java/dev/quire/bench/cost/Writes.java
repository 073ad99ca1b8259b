package dev.quire.bench.cost;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Prints the number of writes of the event loops per request of each kind, to clients and to the
 * origin: {@code page.writes=1.00}. Prints nothing if the kernel does not count them.
 *
 * <p>Run it on NIO ({@code -Dio.netty.transport.noNative=true}): native transports {@code send} a
 * single buffer, which the kernel does not count. Time and size of writes are decided above the
 * transport, so they are the same on all.
 */
public final class Writes {
    private static final int REQUESTS = 1_600;
    private static final int MISUSED = 2;

    private Writes() {}

    public static void main(String[] arguments) throws IOException {
        if (Epoll.isAvailable()) {
            System.err.println(
                    "cannot count the writes of epoll"
                            + " (expected -Dio.netty.transport.noNative=true)");
            System.exit(MISUSED);
        }
        try (var site = Site.start()) {
            for (var asked : Asked.values()) {
                try (var clients =
                        Clients.of(site.address(asked), asked, site.body(asked), false)) {
                    print(asked, clients);
                }
            }
        }
    }

    private static void print(Asked asked, Clients clients) throws IOException {
        // The first requests open connections and start event loops.
        clients.ask(REQUESTS);
        var loops = Loops.named(Site.LOOPS);
        OptionalLong before = loops.writeCalls();
        int requests = clients.ask(REQUESTS);
        OptionalLong after = loops.writeCalls();
        if (before.isPresent() && after.isPresent()) {
            System.out.printf(
                    Locale.ROOT,
                    "%s.writes=%.2f%n",
                    asked.label(),
                    (double) (after.getAsLong() - before.getAsLong()) / requests);
        }
    }
}
