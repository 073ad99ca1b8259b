package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The addresses behind a host name, asked for on a virtual thread and kept for half a minute. One
 * look-up runs at a time; everyone who asks meanwhile gets its result. All state is guarded by the
 * object's own lock, which is never held while a look-up runs or an answer is given.
 */
final class NamedAddresses implements Addresses {
    private static final Duration KEPT = Duration.ofSeconds(30);

    /** Blocking look-up of a name. */
    interface Lookup {
        InetAddress[] all(String host) throws UnknownHostException;
    }

    private record Asked(EventLoop loop, Answer answer) {}

    private final String host;
    private final int port;
    private final Lookup lookup;
    private List<SocketAddress> known = List.of();
    private long knownUntil;
    private final List<Asked> asked = new ArrayList<>();
    private @Nullable SocketAddress preferred;

    NamedAddresses(String host, int port, Lookup lookup) {
        this.host = host;
        this.port = port;
        this.lookup = lookup;
    }

    @Override
    public void find(EventLoop loop, Answer answer) {
        List<SocketAddress> fresh;
        synchronized (this) {
            fresh = loop.ticker().nanoTime() - knownUntil < 0 ? known : List.of();
            if (fresh.isEmpty()) {
                asked.add(new Asked(loop, answer));
                if (asked.size() == 1) {
                    Thread.ofVirtual().name("resolve " + host).start(() -> lookUp(loop));
                }
            }
        }
        if (!fresh.isEmpty()) {
            answer.found(fresh);
        }
    }

    @Override
    public synchronized void worked(SocketAddress address) {
        if (!address.equals(preferred)) {
            preferred = address;
            known = preferredFirst(known);
        }
    }

    private void lookUp(EventLoop clock) {
        List<SocketAddress> found = new ArrayList<>();
        var detail = "no address for " + host;
        try {
            for (var address : lookup.all(host)) {
                found.add(new InetSocketAddress(address, port));
            }
        } catch (UnknownHostException e) {
            detail = "cannot resolve " + host;
        }
        finish(found, detail, clock);
    }

    private void finish(List<SocketAddress> found, String detail, EventLoop clock) {
        List<Asked> waiting;
        List<SocketAddress> ordered;
        synchronized (this) {
            ordered = preferredFirst(found);
            known = ordered;
            knownUntil = clock.ticker().nanoTime() + KEPT.toNanos();
            waiting = List.copyOf(asked);
            asked.clear();
        }
        waiting.forEach(each -> tell(each, ordered, detail));
    }

    private static void tell(Asked asked, List<SocketAddress> found, String detail) {
        try {
            asked.loop()
                    .execute(() -> {
                        if (found.isEmpty()) {
                            asked.answer().notFound(detail);
                        } else {
                            asked.answer().found(found);
                        }
                    });
        } catch (RejectedExecutionException e) {
            // That loop has ended, and with it everything that waited for the answer.
            return;
        }
    }

    private List<SocketAddress> preferredFirst(List<SocketAddress> addresses) {
        if (preferred == null || !addresses.contains(preferred)) {
            return List.copyOf(addresses);
        }
        var ordered = new ArrayList<>(addresses);
        ordered.remove(preferred);
        ordered.addFirst(preferred);
        return List.copyOf(ordered);
    }
}
