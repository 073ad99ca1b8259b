package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes sure that no later process uses the files of a tier that has failed. */
final class Retirement {

    /** Between two attempts. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final LogDirectory directory;
    private final DirectoryLock lock;
    private final DiskTier.Disk disk;
    private final CountDownLatch closing;
    private final Runnable whenRetired;
    private volatile @Nullable Thread thread;

    /**
     * @param closing ends the attempts
     */
    Retirement(
            LogDirectory directory,
            DirectoryLock lock,
            DiskTier.Disk disk,
            CountDownLatch closing,
            Runnable whenRetired) {
        this.directory = directory;
        this.lock = lock;
        this.disk = disk;
        this.closing = closing;
        this.whenRetired = whenRetired;
    }

    /** Does not wait. Called once. */
    void start() {
        try {
            var started = disk.threads().newThread(this::retire);
            thread = started;
            started.start();
        } catch (OutOfMemoryError e) {
            // The system may have a thread for it later.
            CompletableFuture.delayedExecutor(RETRY.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(this::startAgain);
        }
    }

    private void startAgain() {
        if (closing.getCount() > 0) {
            start();
        }
    }

    private void retire() {
        boolean isOver = false;
        while (!isOver) {
            isOver = isRetired() || isClosingWithin(RETRY);
        }
    }

    private boolean isRetired() {
        try {
            directory.format().retire();
            disk.sync().directory(directory.path());
            // A directory that was moved away may come back.
            boolean isRetired = lock.isIntact();
            if (isRetired) {
                whenRetired.run();
            }
            return isRetired;
        } catch (IOException | RuntimeException | Error e) {
            // A full disk can delete, but one that is read-only may be writable again later.
            return false;
        }
    }

    private boolean isClosingWithin(Duration time) {
        try {
            return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** The thread that makes the files unusable. */
    Thread thread() {
        return requireNonNull(thread);
    }
}
