package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;
import dev.quire.proxy.exchange.PlainWords;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file or stream of the access log. Opened for the first line, and reopened for the next line
 * after a failure, and when the file was renamed or deleted. Logs once that writing fails and once
 * that it works again. Confined to one thread.
 */
final class LogTarget implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogTarget.class);

    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final String name;
    private final Opening opening;

    /** The file; null for a stream. */
    private final @Nullable Path file;

    private @Nullable OutputStream open;

    /** Identifies the open file on its file system; null if unknown. */
    private @Nullable Object openKey;

    private Health health = Health.GOOD;

    /** Opens the target for appending; the target closes the stream. */
    @FunctionalInterface
    interface Opening {
        OutputStream open() throws IOException;
    }

    private enum Health {
        GOOD,
        /** Opening failed: nothing was written. */
        UNOPENED,
        /** A write failed, possibly within a line. */
        TORN
    }

    LogTarget(String name, Opening opening) {
        this(name, opening, null);
    }

    private LogTarget(String name, Opening opening, @Nullable Path file) {
        this.name = name;
        this.opening = opening;
        this.file = file;
    }

    /** Returns the configured target, or null if the log is off. */
    static @Nullable LogTarget of(LogConfig.Target target) {
        return switch (target) {
            case LogConfig.Off off -> null;
            case LogConfig.Stderr stderr -> new LogTarget("stderr", StandardError::new);
            case LogConfig.ToFile(var path) ->
                    new LogTarget(
                            path.toString(), () -> Channels.newOutputStream(appending(path)), path);
        };
    }

    /** Opens {@code path}; a new file is readable by its owner only, as it names clients. */
    private static WritableByteChannel appending(Path path) throws IOException {
        Set<StandardOpenOption> options =
                EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? Files.newByteChannel(path, options, PosixFilePermissions.asFileAttribute(OWNER))
                : Files.newByteChannel(path, options);
    }

    /** Writes whole lines; returns false if some were not written. */
    boolean write(byte[] lines) {
        try {
            if (open != null && isMoved()) {
                close();
            }
            var target = opened();
            if (health == Health.TORN) {
                // Ends a line that a failed write may have left incomplete.
                target.write('\n');
            }
            target.write(lines);
        } catch (IOException e) {
            failed(e);
            return false;
        }
        if (health != Health.GOOD) {
            LOG.atInfo()
                    .addKeyValue("event", "access-log-restored")
                    .addKeyValue("target", name)
                    .log("access log: {} can be written again", name);
            health = Health.GOOD;
        }
        return true;
    }

    /** Closes the file and opens what now has its name; a file that is absent is created. */
    void reopen() {
        if (file == null) {
            return;
        }
        close();
        try {
            opened();
        } catch (IOException e) {
            failed(e);
        }
    }

    private OutputStream opened() throws IOException {
        var target = open;
        if (target == null) {
            target = opening.open();
            open = target;
            openKey = key();
        }
        return target;
    }

    /** Whether the open file no longer has its name: it was renamed, deleted or replaced. */
    private boolean isMoved() {
        return file != null && openKey != null && !openKey.equals(key());
    }

    /** Returns what identifies the file that now has the name; null if absent. */
    private @Nullable Object key() {
        try {
            return file == null
                    ? null
                    : Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("event", "access-log-failed")
                        .addKeyValue("target", name)
                        .log("access log: {} cannot be closed: {}", name, PlainWords.of(e));
            }
            open = null;
        }
    }

    private void failed(IOException cause) {
        if (health == Health.GOOD) {
            LOG.atError()
                    .addKeyValue("event", "access-log-failed")
                    .addKeyValue("target", name)
                    .log(
                            "access log: {} cannot be written, lines are dropped: {}",
                            name,
                            PlainWords.of(cause));
        }
        if (open != null) {
            health = Health.TORN;
        } else if (health == Health.GOOD) {
            health = Health.UNOPENED;
        }
        close();
    }

    /** Not closed: it belongs to the process. */
    private static final class StandardError extends FileOutputStream {
        StandardError() {
            super(FileDescriptor.err);
        }

        @Override
        public void close() {}
    }
}
