package dev.quire.proxy;

import dev.quire.proxy.path.CurrentParts.Responses;
import java.util.ArrayDeque;
import java.util.Deque;

/** The share of errors among the responses of the last minute, sampled once a second. */
final class ErrorHistory {
    static final int SECONDS = 60;

    private final Deque<Responses> samples = new ArrayDeque<>(SECONDS + 1);

    /** Adds the responses so far. */
    synchronized void add(Responses soFar) {
        samples.addLast(soFar);
        if (samples.size() > SECONDS) {
            samples.removeFirst();
        }
    }

    /** Returns the share from the oldest sample to {@code now}; 0 without responses. */
    synchronized double shareUntil(Responses now) {
        var first = samples.isEmpty() ? new Responses(0, 0) : samples.getFirst();
        long all = now.all() - first.all();
        return all <= 0 ? 0 : (double) (now.errors() - first.errors()) / all;
    }
}
