package dev.quire.test.wire.internal;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Guards state shared by threads, and lets a test wait for a change. A wait lasts at most {@link
 * #PATIENCE}; then the test fails with a message of what it waited for.
 */
public final class Watch {
    /** Long enough for a busy machine; only a failing test waits so long. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Makes a change and wakes all waiting threads. */
    public void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reads the guarded state. */
    public <T> T read(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@code reached} holds.
     *
     * @param reached evaluated with the lock held, after each change
     * @param failure the message if it never holds
     * @throws AssertionError after {@link #PATIENCE}
     */
    public void await(BooleanSupplier reached, Supplier<String> failure) {
        if (!awaitFor(PATIENCE, reached)) {
            throw new AssertionError(
                    read(failure) + " (waited " + PATIENCE.toSeconds() + " seconds)");
        }
    }

    /** Waits until {@code reached} holds, without a limit: for threads that a test can end. */
    public void awaitChange(BooleanSupplier reached) {
        lock.lock();
        try {
            while (!reached.getAsBoolean()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@code reached} holds, for {@code longest} at most, or until this thread is
     * interrupted; the interrupt flag is preserved. Returns whether it holds.
     */
    public boolean awaitWhileWanted(Duration longest, BooleanSupplier reached) {
        try {
            return waited(longest, reached);
        } catch (InterruptedException unwanted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits until {@code reached} holds, for {@code longest} at most. Returns whether it holds. */
    public boolean awaitFor(Duration longest, BooleanSupplier reached) {
        try {
            return waited(longest, reached);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    private boolean waited(Duration longest, BooleanSupplier reached) throws InterruptedException {
        long left = longest.toNanos();
        lock.lock();
        try {
            while (!reached.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
