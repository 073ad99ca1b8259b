package dev.quire.proxy.disk;

import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the faults of the disk of a tier: each once when it begins, until a look does not find it
 * any more. Used by one thread.
 */
public final class DiskFaults {
    private final DiskTier tier;
    private final Path path;
    private final Logger log;

    private final Fault slow = new Fault();
    private final Fault paused = new Fault();
    private final Fault damaged = new Fault();
    private final Fault stalled = new Fault();

    /** The damaged records up to the last look. */
    private long damagedRecords;

    private boolean areLossesLogged;

    /** Whether a fault was there at the last look. */
    private static final class Fault {
        private boolean isThere;

        /** Returns whether it is there now, and was not before. */
        boolean begins(boolean isThereNow) {
            boolean begins = isThereNow && !isThere;
            isThere = isThereNow;
            return begins;
        }
    }

    /**
     * @param path of the directory
     */
    public DiskFaults(DiskTier tier, Path path, Logger log) {
        this.tier = tier;
        this.path = path;
        this.log = log;
    }

    /** Whether they are those of {@code other}. */
    public boolean areOf(DiskTier other) {
        return tier.equals(other);
    }

    /**
     * Looks at the tier, and logs what has begun since the last look.
     *
     * @param wasStalled whether all threads that read have waited for the disk at a time since then
     */
    public void look(boolean wasStalled) {
        var stats = tier.stats().log();
        if (slow.begins(tier.wasSlow())) {
            warning("disk-slow")
                    .log(
                            "disk: {} is slow: invalidations are answered before they are durable"
                                    + " (expected syncs within 100 ms)",
                            path);
        }
        lookAtStart(stats);
        lookAtWrites(stats);
        lookAtRecords(stats);
        if (stalled.begins(wasStalled)) {
            warning("disk-stalled")
                    .log(
                            "disk: {} does not answer: all threads that read wait for it, and"
                                    + " requests go to the origin (expected reads within"
                                    + " disk.io-timeout)",
                            path);
        }
    }

    private void lookAtStart(LogStats stats) {
        if (stats.lostFiles() > 0 && !areLossesLogged) {
            areLossesLogged = true;
            warning("disk-files-lost")
                    .addKeyValue("files", stats.lostFiles())
                    .log(
                            "disk: the start deleted {} files in {}, with all responses in them"
                                    + " (expected files with the bytes that were written, and a"
                                    + " disk.index that has room for all responses)",
                            stats.lostFiles(),
                            path);
        }
    }

    private void lookAtWrites(LogStats stats) {
        boolean wasPaused = paused.isThere;
        if (paused.begins(stats.isPaused())) {
            warning("disk-paused")
                    .log(
                            "disk: nothing is written to {}, which is tried again every 30 s: {}"
                                    + " (expected a writable disk with free space)",
                            path,
                            String.valueOf(stats.failure()));
        } else if (wasPaused && !stats.isPaused()) {
            log.atInfo()
                    .addKeyValue("event", "disk-resumed")
                    .log("disk: responses are written to {} again", path);
        }
    }

    private void lookAtRecords(LogStats stats) {
        long records = stats.damaged() - damagedRecords;
        damagedRecords = stats.damaged();
        if (damaged.begins(records > 0)) {
            var file = LogDirectory.segmentName(stats.damagedSegment());
            warning("disk-damaged")
                    .addKeyValue("records", records)
                    .addKeyValue("file", file)
                    .log(
                            "disk: {} records in {} are not used, the last one in {} (expected"
                                    + " readable files with the bytes that were written)",
                            records,
                            path,
                            file);
        }
    }

    private LoggingEventBuilder warning(String event) {
        return log.atWarn().addKeyValue("event", event);
    }
}
