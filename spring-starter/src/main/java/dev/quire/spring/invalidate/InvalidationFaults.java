package dev.quire.spring.invalidate;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What went wrong before a surrogate could be told anything. The change itself has succeeded and
 * stays so: a fault is said and counted here, and goes no further. Any thread.
 */
final class InvalidationFaults {

    private static final Logger log = LoggerFactory.getLogger(InvalidationFaults.class);

    private final LongAdder count = new LongAdder();

    /** Does {@code work}, which is about what {@code changed} has changed. Never throws. */
    void contain(String changed, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error fault) {
            count.increment();
            log.error(
                    "{} succeeded, but its changes could not be invalidated. Stored responses may be outdated until they expire.",
                    changed,
                    fault);
        }
    }

    /** How many there were. */
    long count() {
        return count.sum();
    }
}
