package dev.quire.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file beside the responses on disk, whose time says until when this node knew the log of its
 * fleet. The next process compares it with the log: it may lack entries that were made since.
 */
final class LogMarker implements AutoCloseable {
    static final String NAME = "fleet";

    private static final Logger LOG = LoggerFactory.getLogger(LogMarker.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Path file;
    private final CountDownLatch closing = new CountDownLatch(1);

    private LogMarker(Path file) {
        this.file = file;
    }

    /**
     * Returns until when the former process knew the log; null if there are no responses of it.
     *
     * @param directory of the disk tier
     */
    static @Nullable Instant read(Path directory) {
        try {
            return Files.getLastModifiedTime(directory.resolve(NAME), LinkOption.NOFOLLOW_LINKS)
                    .toInstant();
        } catch (IOException absent) {
            var names = directory.toFile().list();
            return names == null || names.length == 0 ? null : Instant.EPOCH;
        }
    }

    /**
     * Begins to write the time, on a thread of its own.
     *
     * @param directory of the disk tier
     * @param isCurrent whether this node has known the whole log within {@code lease}
     */
    static LogMarker start(Path directory, Duration lease, BooleanSupplier isCurrent) {
        var marker = new LogMarker(directory.resolve(NAME));
        Thread.ofPlatform()
                .daemon()
                .name("quire-fleet-marker")
                .start(() -> marker.run(lease, isCurrent));
        return marker;
    }

    private void run(Duration lease, BooleanSupplier isCurrent) {
        while (!isClosed()) {
            var known = Instant.now().minus(lease);
            if (isCurrent.getAsBoolean()) {
                write(known);
            }
        }
    }

    private boolean isClosed() {
        try {
            return closing.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void write(Instant known) {
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.createFile(file);
            }
            Files.setLastModifiedTime(file, FileTime.from(known));
        } catch (IOException e) {
            // The next process will know less, and purge more.
            LOG.debug("the time of {} cannot be written", file, e);
        }
    }

    @Override
    public void close() {
        closing.countDown();
    }
}
