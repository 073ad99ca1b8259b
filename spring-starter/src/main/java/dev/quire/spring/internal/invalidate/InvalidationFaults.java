package dev.quire.spring.internal.invalidate;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults that occur before an invalidation is queued. The change itself has succeeded and stays so:
 * a fault is logged and counted here and not propagated. Thread-safe.
 */
public final class InvalidationFaults {

    private static final Logger log = LoggerFactory.getLogger(InvalidationFaults.class);

    private final LongAdder count = new LongAdder();

    /** Runs {@code work}, which invalidates the changes of {@code changed}. Never throws. */
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

    long count() {
        return count.sum();
    }
}
