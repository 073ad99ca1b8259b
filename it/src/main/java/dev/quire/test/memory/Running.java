package dev.quire.test.memory;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What one request has started and waits for in the end. Any thread. */
final class Running {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private int running;
    private @Nullable Throwable bug;

    /** Runs {@code step} on a virtual thread of its own, which may be interrupted. */
    Thread start(String name, Runnable step) {
        lock.lock();
        try {
            running++;
        } finally {
            lock.unlock();
        }
        return Thread.ofVirtual().name(name).start(() -> run(step));
    }

    private void run(Runnable step) {
        Throwable thrown = null;
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        lock.lock();
        try {
            running--;
            bug = bug == null ? thrown : bug;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until nothing runs any more, but not for longer than {@code longest}.
     *
     * @throws RuntimeException what a step has thrown, if one has
     */
    void await(Duration longest) {
        long left = longest.toNanos();
        lock.lock();
        try {
            while (running > 0 && left > 0) {
                left = ended.awaitNanos(left);
            }
            switch (bug) {
                case null -> {}
                case RuntimeException thrown -> throw thrown;
                case Error thrown -> throw thrown;
                default -> throw new IllegalStateException(bug);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
