package dev.quire.test;

import dev.quire.test.wire.Request;
import java.time.Duration;

/**
 * A request that reached the application, and the reply.
 *
 * @param from when the request arrived, since the site was opened
 * @param to when the reply was complete
 * @param reply including the faults of the test
 */
public record ApplicationRequest(Request request, Duration from, Duration to, Reply reply) {

    public String target() {
        return request.target();
    }

    @Override
    public String toString() {
        return request + " -> " + reply.status();
    }
}
