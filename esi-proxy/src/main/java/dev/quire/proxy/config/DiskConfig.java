package dev.quire.proxy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The {@code disk} section.
 *
 * @param path the directory of the disk tier; empty for none
 * @param sizeBytes limit of its files
 * @param indexBytes limit of its index, in memory
 * @param minLifetime what has a shorter lifetime left is not written
 * @param writeBytes limit of writing, in bytes a second
 * @param threads that read
 * @param timeout how long a request waits for a read
 */
public record DiskConfig(
        Optional<Path> path,
        long sizeBytes,
        long indexBytes,
        Duration minLifetime,
        long writeBytes,
        int threads,
        Duration timeout) {

    /** Without a disk tier. */
    public static final DiskConfig DEFAULTS =
            new DiskConfig(
                    Optional.empty(),
                    20L << 30,
                    128L << 20,
                    Duration.ofSeconds(10),
                    64L << 20,
                    4,
                    Duration.ofMillis(100));

    /** Responses that wait to be written. */
    private static final long QUEUE_BYTES = 64L << 20;

    /** Whether there is a disk tier. */
    public boolean isOn() {
        return path.isPresent();
    }

    /** Limit of the responses that wait to be written, and of those being read. */
    public long queueBytes() {
        return isOn() ? QUEUE_BYTES : 0;
    }

    /** The direct memory that it needs. */
    public long neededBytes() {
        return isOn() ? indexBytes + QUEUE_BYTES : 0;
    }
}
