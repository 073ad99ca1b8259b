package dev.quire.test;

import java.time.Duration;

/**
 * A request that reached the application, and what came of it.
 *
 * @param from when it came, since the site was opened
 * @param to when the reply was whole
 * @param reply with the faults the test wanted
 */
public record ApplicationRequest(Request request, Duration from, Duration to, Reply reply) {

    /** Path and query. */
    public String target() {
        return request.target();
    }

    /** Whether both were under way at one moment. */
    public boolean overlaps(ApplicationRequest other) {
        return from.compareTo(other.to) < 0 && other.from.compareTo(to) < 0;
    }

    @Override
    public String toString() {
        return request + " -> " + reply.status();
    }
}
