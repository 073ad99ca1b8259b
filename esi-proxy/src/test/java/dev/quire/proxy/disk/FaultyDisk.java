package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Opens tiers whose files of records fail when a test says so. */
public final class FaultyDisk {
    private final FaultyAccess access = new FaultyAccess();

    public DiskTier open(DiskTier.Terms terms, Invalidations invalidations, Time time)
            throws IOException {
        return DiskTier.open(
                terms,
                invalidations,
                () -> Long.MAX_VALUE,
                (id, record) -> null,
                time,
                new DiskTier.Disk(
                        access,
                        (file, withMetadata) -> file.force(withMetadata),
                        InvalidationJournal.PATIENCE));
    }

    /** Writes fail from now on; they succeed again with null. */
    public void failWrites(@Nullable String failure) {
        access.writeFailure = failure;
    }

    /** The next tier is not loaded before {@code end}. */
    public void loadAfter(CountDownLatch end) {
        access.hanging = end;
    }
}
