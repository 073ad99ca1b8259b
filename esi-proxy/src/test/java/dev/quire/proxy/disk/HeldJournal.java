package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** A journal on a disk that a test can let wait or fail. */
public final class HeldJournal implements AutoCloseable {
    private volatile CountDownLatch hold = new CountDownLatch(0);
    private volatile boolean isFailing;
    private final InvalidationJournal journal;

    private HeldJournal(
            Path directory, Invalidations invalidations, InvalidationJournal.Patience patience)
            throws IOException {
        journal =
                InvalidationJournal.begin(
                        new JournalFiles(directory, new UUID(1, 2), this::force),
                        0,
                        invalidations,
                        () -> 0,
                        Time.system(),
                        patience);
    }

    /** Begins a journal of {@code invalidations} that waits for the disk as the product does. */
    public static HeldJournal begin(Path directory, Invalidations invalidations)
            throws IOException {
        return new HeldJournal(directory, invalidations, InvalidationJournal.PATIENCE);
    }

    /** Begins a journal of {@code invalidations} that waits for the disk long enough for a test. */
    public static HeldJournal patient(Path directory, Invalidations invalidations)
            throws IOException {
        return new HeldJournal(directory, invalidations, TierHouse.PATIENT);
    }

    private void force(FileChannel file, boolean withMetadata) throws IOException {
        try {
            hold.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (isFailing) {
            throw new IOException("no space left");
        }
        file.force(withMetadata);
    }

    /** Lets the disk hang until {@link #release}. */
    public void hold() {
        hold = new CountDownLatch(1);
    }

    public void release() {
        hold.countDown();
    }

    /** Lets every write fail. */
    public void fail() {
        isFailing = true;
    }

    @Override
    public void close() {
        release();
        journal.close();
    }
}
