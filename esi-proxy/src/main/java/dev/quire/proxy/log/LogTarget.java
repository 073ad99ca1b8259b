package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where lines go: opened for the first of them, and again for the next after a failure. Says once
 * that writing fails, and once that it works again. Of one thread.
 */
final class LogTarget implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogTarget.class);

    private final String name;
    private final Opening opening;
    private @Nullable OutputStream open;
    private Health health = Health.GOOD;

    /** Opens the end of the target; the target closes it. */
    @FunctionalInterface
    interface Opening {
        OutputStream open() throws IOException;
    }

    private enum Health {
        GOOD,
        /** It could not be opened: nothing was written. */
        UNOPENED,
        /** A write failed, perhaps within a line. */
        TORN
    }

    LogTarget(String name, Opening opening) {
        this.name = name;
        this.opening = opening;
    }

    /** The target of the configuration, or null if there is none. */
    static @Nullable LogTarget of(LogConfig.Target target) {
        return switch (target) {
            case LogConfig.Off off -> null;
            case LogConfig.Stderr stderr -> new LogTarget("stderr", StandardError::new);
            case LogConfig.ToFile(var path) ->
                    new LogTarget(
                            path.toString(),
                            () ->
                                    Files.newOutputStream(
                                            path,
                                            StandardOpenOption.CREATE,
                                            StandardOpenOption.APPEND));
        };
    }

    /** Writes whole lines; false if not all of them got there. */
    boolean write(byte[] lines) {
        try {
            if (open == null) {
                open = opening.open();
            }
            if (health == Health.TORN) {
                // Ends what a failed write may have left of a line, so that it spoils no other.
                open.write('\n');
            }
            open.write(lines);
        } catch (IOException e) {
            failed(e);
            return false;
        }
        if (health != Health.GOOD) {
            LOG.info("access log: {} can be written again", name);
            health = Health.GOOD;
        }
        return true;
    }

    @Override
    public void close() {
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.warn("access log: {} cannot be closed: {}", name, e.toString());
            }
            open = null;
        }
    }

    private void failed(IOException cause) {
        if (health == Health.GOOD) {
            LOG.error(
                    "access log: {} cannot be written, lines are dropped: {}",
                    name,
                    cause.toString());
        }
        if (open != null) {
            health = Health.TORN;
        } else if (health == Health.GOOD) {
            health = Health.UNOPENED;
        }
        close();
    }

    /** Never closed: it is the whole process's. */
    private static final class StandardError extends FileOutputStream {
        StandardError() {
            super(FileDescriptor.err);
        }

        @Override
        public void close() {}
    }
}
