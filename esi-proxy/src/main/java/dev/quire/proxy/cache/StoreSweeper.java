package dev.quire.proxy.cache;

import dev.quire.proxy.fault.InternalErrors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Walks through the store on a virtual thread while a sweep is due, drops hidden responses and
 * completes invalidations. Deliberately slow: a response it has not reached yet is tested on
 * lookup.
 */
public final class StoreSweeper implements AutoCloseable {

    /** How many keys it visits between two rests. */
    private static final int KEYS_AT_A_TIME = 256;

    private static final long REST_MILLIS = 1;

    /** How long it waits for fetches that began before an invalidation. */
    private static final long PAUSE_MILLIS = 1_000;

    private final InternalErrors errors =
            new InternalErrors(
                    LoggerFactory.getLogger(StoreSweeper.class),
                    "cache: a sweep failed and will be repeated");

    private final PageStore store;
    private final Semaphore woken = new Semaphore(0);
    private @Nullable Thread thread;

    public StoreSweeper(PageStore store) {
        this.store = store;
    }

    /** Starts the thread. Called once. */
    public void start() {
        thread = Thread.ofVirtual().name("quire-store-sweeper").start(this::sweep);
    }

    /** Notifies it of a new ban or purge. */
    public void wake() {
        woken.release();
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void sweep() {
        try {
            while (true) {
                woken.acquire();
                woken.drainPermits();
                while (isSwept()) {
                    woken.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sweeps if that is due; returns whether it was, or may still be. */
    private boolean isSwept() throws InterruptedException {
        try {
            boolean isDue = store.invalidations().isSweepDue();
            if (isDue) {
                store.sweep(KEYS_AT_A_TIME, () -> TimeUnit.MILLISECONDS.sleep(REST_MILLIS));
            }
            return isDue;
        } catch (RuntimeException | Error bug) {
            errors.add(bug);
            return true;
        }
    }
}
