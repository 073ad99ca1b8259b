package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The right to use a directory, against other processes and other tiers of this one. */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = "lock";

    /** The directories of this process. On Linux, closing any channel of a file unlocks it. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel file;

    /** Null on a file system that does not tell files apart. */
    private final @Nullable Object identity;

    private DirectoryLock(Path directory, FileChannel file) throws IOException {
        this.directory = directory;
        this.file = file;
        this.identity = identity(directory);
    }

    private static @Nullable Object identity(Path directory) throws IOException {
        return Files.readAttributes(directory.resolve(NAME), BasicFileAttributes.class).fileKey();
    }

    /** Locks a directory until the lock is closed, or the process ends. Never waits for another. */
    static DirectoryLock of(Path existing) throws IOException {
        var directory = existing.toRealPath();
        if (!OWN.add(directory)) {
            throw new IOException("another disk tier of this process uses it");
        }
        FileChannel file = null;
        boolean isUsable = false;
        try {
            file = FileAccess.SYSTEM.open(directory.resolve(NAME));
            if (file.tryLock() == null) {
                throw new IOException("another process uses it");
            }
            var lock = new DirectoryLock(directory, file);
            isUsable = true;
            return lock;
        } finally {
            if (!isUsable) {
                OWN.remove(directory);
                if (file != null) {
                    file.close();
                }
            }
        }
    }

    /** Whether the directory is still there, and the same. Blocks. */
    boolean isIntact() {
        try {
            return Objects.equals(identity, identity(directory));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        if (file.isOpen()) {
            try {
                file.close();
            } finally {
                OWN.remove(directory);
            }
        }
    }
}
