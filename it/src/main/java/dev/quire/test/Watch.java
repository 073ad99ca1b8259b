package dev.quire.test;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Guards what several threads change, and lets a test wait for a change. Nobody waits longer than
 * {@link #PATIENCE}: a test that would hang fails and says what it was waiting for.
 */
final class Watch {
    /** Long enough for a busy machine; only a failing test ever waits so long. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Makes a change and wakes all who wait for one. */
    void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reads what changes are made to. */
    <T> T read(Supplier<T> reading) {
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
     * @param failure what to say when it never held
     * @throws AssertionError when patience ends first
     */
    void await(BooleanSupplier reached, Supplier<String> failure) {
        if (!awaitFor(PATIENCE, reached)) {
            throw new AssertionError(
                    read(failure) + " (waited " + PATIENCE.toSeconds() + " seconds)");
        }
    }

    /** Waits until {@code reached} holds, as long as it takes: for threads a test can end. */
    void awaitChange(BooleanSupplier reached) {
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
     * Waits until {@code reached} holds, at most for {@code longest}, and no longer than this
     * thread is not interrupted, which it then stays; whether it did.
     */
    boolean awaitWhileWanted(Duration longest, BooleanSupplier reached) {
        try {
            return waited(longest, reached);
        } catch (InterruptedException unwanted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits until {@code reached} holds, at most for {@code longest}; whether it did. */
    boolean awaitFor(Duration longest, BooleanSupplier reached) {
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
