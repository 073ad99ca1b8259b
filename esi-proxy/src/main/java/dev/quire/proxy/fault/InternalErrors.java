package dev.quire.proxy.fault;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Logs faults of steps that others follow: one in a minute, since the next steps may have the same.
 * Thread-safe.
 */
public final class InternalErrors {
    private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final String message;
    private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());

    /**
     * @param message which step failed, and what goes on
     */
    public InternalErrors(Logger log, String message) {
        this.log = log;
        this.message = message;
    }

    /** Logs {@code fault}, if none was within the last minute; never throws. */
    public void add(Throwable fault) {
        long now = System.nanoTime();
        long next = nextNanos.get();
        if (now - next < 0 || !nextNanos.compareAndSet(next, now + PERIOD_NANOS)) {
            return;
        }
        if (!log(log, fault, message)) {
            nextNanos.compareAndSet(now + PERIOD_NANOS, now);
        }
    }

    /**
     * Logs {@code fault}, however many were before; never throws.
     *
     * @param message which step failed
     * @return whether it is logged: the memory that lacked may still lack
     */
    public static boolean log(Logger log, Throwable fault, String message, Object... arguments) {
        try {
            log.atError()
                    .addKeyValue("event", "internal-error")
                    .setCause(fault)
                    .log(message, arguments);
            return true;
        } catch (RuntimeException | Error again) {
            return false;
        }
    }
}
