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
 * The addresses behind a host name, kept as long as the name servers say and handed out in turn,
 * those that have failed of late at the end. One look-up runs at a time; everyone who asks
 * meanwhile gets its result. All state is guarded by the object's own lock, which is never held
 * while an answer is given or asked for.
 */
final class NamedAddresses implements Addresses {

    /*
     * Addresses that have run out serve a little longer while new ones are looked up behind them,
     * so a name that is in use is never waited for. If the name servers do not answer, the last
     * known addresses serve for some minutes: a failing name server takes down no origin.
     */

    private static final Duration LEAST_KEPT = Duration.ofSeconds(1);
    private static final Duration MOST_KEPT = Duration.ofMinutes(5);
    private static final Duration OVERRUN = Duration.ofSeconds(30);
    private static final Duration WITHOUT_ANSWER = Duration.ofMinutes(10);
    private static final Duration AVOIDED = Duration.ofSeconds(10);

    /** Asks for the addresses of one name. */
    interface Lookup extends AutoCloseable {
        /** Calls {@code result} once, on any thread; does not wait. */
        void ask(EventLoop loop, Result result);

        @Override
        void close();

        /** What a look-up brings. */
        interface Result {
            /** At least one address, and how long it is good for. */
            void found(List<InetAddress> addresses, Duration kept);

            /** None; {@code detail} says why. */
            void notFound(String detail);
        }
    }

    private record Asked(EventLoop loop, Answer answer) {}

    private final String host;
    private final int port;
    private final Lookup lookup;
    private final List<Asked> asked = new ArrayList<>();
    private final Map<SocketAddress, Long> avoidedUntil = new HashMap<>();
    private List<SocketAddress> known = List.of();
    private long knownAt;
    private long knownUntil;
    private boolean isAsking;
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
                asked.add(new Asked(loop, answer));
            }
            isDue = !isAsking && (known.isEmpty() || now - knownUntil >= 0);
            isAsking |= isDue;
        }
        if (isDue) {
            lookup.ask(loop, new Asking(loop));
        }
        if (!atHand.isEmpty()) {
            answer.found(atHand);
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

    /** The next in turn first, and those to avoid last. */
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

    /** A look-up under way. */
    private final class Asking implements Lookup.Result {
        private final EventLoop clock;

        Asking(EventLoop clock) {
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
            List<Asked> waiting;
            List<List<SocketAddress>> found = new ArrayList<>();
            synchronized (NamedAddresses.this) {
                isAsking = false;
                waiting = List.copyOf(asked);
                asked.clear();
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
}
