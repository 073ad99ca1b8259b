package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.InvalidationReport.Delivery;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** The last hundred deliveries. Thread-safe, guarded by a lock. */
public final class RecentInvalidations implements InvalidationHistory {

    private static final int MOST = 100;

    private final Clock clock;
    private final Deque<Entry> entries = new ArrayDeque<>(MOST);

    public RecentInvalidations(Clock clock) {
        this.clock = clock;
    }

    void add(Delivery delivery) {
        var entry =
                new Entry(
                        clock.instant(),
                        List.copyOf(delivery.invalidation().tags()),
                        delivery.invalidation().urls().stream().map(URI::toString).toList(),
                        outcome(delivery));
        synchronized (entries) {
            if (entries.size() == MOST) {
                entries.removeLast();
            }
            entries.addFirst(entry);
        }
    }

    @Override
    public List<Entry> latest() {
        synchronized (entries) {
            return List.copyOf(entries);
        }
    }

    private static String outcome(Delivery delivery) {
        var outcome = delivery.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return delivery.detail().isEmpty()
                ? "%s: %s".formatted(delivery.surrogate(), outcome)
                : "%s: %s, %s".formatted(delivery.surrogate(), outcome, delivery.detail());
    }
}
