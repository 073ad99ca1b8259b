package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

/**
 * The addresses of a host name, cached for their TTL and returned in rotation, with recently failed
 * ones last. One lookup runs at a time; its result goes to all callers that wait. All state is
 * guarded by the object's own lock, which is not held during callbacks and lookups.
 */
final class NamedAddresses implements Addresses {

    /*
     * Expired addresses are used a little longer while a lookup runs in the background, so a name
     * in use never has to wait for one. If the name servers do not answer, the last known addresses
     * are used for some minutes, so that a failing name server does not take an origin down.
     */

    private static final Duration LEAST_KEPT = Duration.ofSeconds(1);
    private static final Duration MOST_KEPT = Duration.ofMinutes(5);
    private static final Duration OVERRUN = Duration.ofSeconds(30);
    private static final Duration WITHOUT_ANSWER = Duration.ofMinutes(10);
    private static final Duration AVOIDED = Duration.ofSeconds(10);

    /** Looks up the addresses of one name. */
    interface Lookup extends AutoCloseable {
        /** Calls {@code result} once, on any thread; does not block. */
        void ask(EventLoop loop, Result result);

        @Override
        void close();

        /** Receives the result of a lookup. */
        interface Result {
            /** At least one address, and how long they are valid. */
            void found(List<InetAddress> addresses, Duration kept);

            /** There is no address; {@code detail} is the reason. */
            void notFound(String detail);
        }
    }

    private record Waiter(EventLoop loop, Answer answer) {}

    private final String host;
    private final int port;
    private final Lookup lookup;
    private final List<Waiter> waiters = new ArrayList<>();
    private final Map<SocketAddress, Long> avoidedUntil = new HashMap<>();
    private List<SocketAddress> known = List.of();
    private long knownAt;
    private long knownUntil;
    private boolean isResolving;
    private int turn;

    NamedAddresses(String host, int port, Lookup lookup) {
        this.host = host;
        this.port = port;
        this.lookup = lookup;
    }

    @Override
    public void find(EventLoop loop, Answer answer) {
        long now = loop.ticker().nanoTime();
        List<SocketAddress> atHand = List.of();
        boolean isDue;
        synchronized (this) {
            if (!known.isEmpty() && now - knownUntil < OVERRUN.toNanos()) {
                atHand = ordered(now);
            } else {
                waiters.add(new Waiter(loop, answer));
            }
            isDue = !isResolving && (known.isEmpty() || now - knownUntil >= 0);
            isResolving |= isDue;
        }
        if (isDue) {
            ask(loop);
        }
        if (!atHand.isEmpty()) {
            answer.found(atHand);
        }
    }

    private void ask(EventLoop loop) {
        var resolution = new Resolution(loop);
        try {
            lookup.ask(loop, resolution);
        } catch (RuntimeException | Error bug) {
            // All who wait must be told, and the next one looks up again.
            resolution.notFound(bug.toString());
        }
    }

    @Override
    public synchronized void worked(SocketAddress address) {
        avoidedUntil.remove(address);
    }

    @Override
    public synchronized void failed(SocketAddress address, long now) {
        if (known.contains(address)) {
            avoidedUntil.put(address, now + AVOIDED.toNanos());
        }
    }

    @Override
    public void close() {
        lookup.close();
    }

    /** The known addresses in rotation, recently failed ones last. */
    private List<SocketAddress> ordered(long now) {
        if (known.size() == 1) {
            return known;
        }
        var good = new ArrayList<SocketAddress>(known.size());
        var avoided = new ArrayList<SocketAddress>();
        int first = Math.floorMod(turn++, known.size());
        for (int i = 0; i < known.size(); i++) {
            var address = known.get((first + i) % known.size());
            var until = avoidedUntil.get(address);
            (until == null || now - until >= 0 ? good : avoided).add(address);
        }
        good.addAll(avoided);
        return good;
    }

    /** A lookup in progress. */
    private final class Resolution implements Lookup.Result {
        private final EventLoop clock;

        Resolution(EventLoop clock) {
            this.clock = clock;
        }

        @Override
        public void found(List<InetAddress> addresses, Duration kept) {
            long now = clock.ticker().nanoTime();
            synchronized (NamedAddresses.this) {
                known =
                        addresses.stream()
                                .<SocketAddress>map(each -> new InetSocketAddress(each, port))
                                .toList();
                knownAt = now;
                knownUntil = now + bounded(kept).toNanos();
                avoidedUntil.keySet().retainAll(known);
            }
            finish("", now);
        }

        @Override
        public void notFound(String detail) {
            long now = clock.ticker().nanoTime();
            synchronized (NamedAddresses.this) {
                if (now - knownAt > WITHOUT_ANSWER.toNanos()) {
                    known = List.of();
                } else {
                    knownUntil = now + LEAST_KEPT.toNanos();
                }
            }
            finish("cannot resolve " + host + ": " + detail, now);
        }

        private void finish(String detail, long now) {
            List<Waiter> waiting;
            List<List<SocketAddress>> found = new ArrayList<>();
            synchronized (NamedAddresses.this) {
                isResolving = false;
                waiting = List.copyOf(waiters);
                waiters.clear();
                waiting.forEach(each -> found.add(known.isEmpty() ? known : ordered(now)));
            }
            for (int i = 0; i < waiting.size(); i++) {
                tell(waiting.get(i), found.get(i), detail);
            }
        }
    }

    private static Duration bounded(Duration kept) {
        if (kept.compareTo(LEAST_KEPT) < 0) {
            return LEAST_KEPT;
        }
        return kept.compareTo(MOST_KEPT) > 0 ? MOST_KEPT : kept;
    }

    private static void tell(Waiter waiters, List<SocketAddress> found, String detail) {
        try {
            waiters.loop()
                    .execute(() -> {
                        if (found.isEmpty()) {
                            waiters.answer().notFound(detail);
                        } else {
                            waiters.answer().found(found);
                        }
                    });
        } catch (RejectedExecutionException e) {
            // The loop has terminated, and so have its waiting requests.
            return;
        }
    }
}
