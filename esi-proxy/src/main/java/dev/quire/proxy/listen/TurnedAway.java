package dev.quire.proxy.listen;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sums up the connections that were closed on accept: however many they are, each reason is
 * reported once a second. Thread-safe.
 */
final class TurnedAway {
    private static final long REPORT_SECONDS = 1;

    private final ListenEvents events;
    private final Map<Overflow, Sum> sums = new EnumMap<>(Overflow.class);

    TurnedAway(ListenEvents events) {
        this.events = events;
        for (var reason : Overflow.values()) {
            sums.put(reason, new Sum(reason));
        }
    }

    /** Counts a connection of {@code client}; called on {@code loop}. */
    void add(Overflow reason, InetAddress client, EventLoop loop) {
        events.turnedAway(reason);
        var sum = sums.get(reason);
        if (sum == null) {
            throw new IllegalStateException("no sum for " + reason);
        }
        sum.add(client, loop);
    }

    private final class Sum {
        private final Overflow reason;
        private final AtomicLong count = new AtomicLong();
        private final AtomicBoolean isReportDue = new AtomicBoolean();
        private volatile InetAddress last = InetAddress.getLoopbackAddress();

        Sum(Overflow reason) {
            this.reason = reason;
        }

        void add(InetAddress client, EventLoop loop) {
            last = client;
            count.incrementAndGet();
            if (isReportDue.compareAndSet(false, true)) {
                loop.schedule(this::report, REPORT_SECONDS, TimeUnit.SECONDS);
            }
        }

        private void report() {
            isReportDue.set(false);
            events.turnedAway(reason, count.getAndSet(0), last);
        }
    }
}
