package dev.quire.bench.cost;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Prints how often the event loops write for one request of each kind, to clients and to the
 * origin: {@code page.writes=1.00}. Nothing is printed where the kernel does not count.
 *
 * <p>It is to be run on NIO ({@code -Dio.netty.transport.noNative=true}): what native transports
 * write in one piece they {@code send}, which the kernel does not count. When they write, and how
 * much at a time, is decided in front of the transport, and the same on all.
 */
public final class Writes {
    private static final int REQUESTS = 1_600;
    private static final int MISUSED = 2;

    private Writes() {}

    /**
     * Counts.
     *
     * @throws IOException if the site gives a wrong answer
     */
    public static void main(String[] arguments) throws IOException {
        if (Epoll.isAvailable()) {
            System.err.println(
                    "cannot count the writes of epoll"
                            + " (expected -Dio.netty.transport.noNative=true)");
            System.exit(MISUSED);
        }
        try (var site = Site.start()) {
            for (var asked : Asked.values()) {
                try (var clients = Clients.of(site.address(), asked, site.body(asked), false)) {
                    print(asked, clients);
                }
            }
        }
    }

    private static void print(Asked asked, Clients clients) throws IOException {
        // The first request of each client makes what the others find: connections, and loops.
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
