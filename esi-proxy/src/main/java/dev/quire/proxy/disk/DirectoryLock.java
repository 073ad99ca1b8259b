package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The right to use a directory, against other processes and other tiers of this one. */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = "lock";

    /** The directories of this process. On Linux, closing any channel of a file unlocks it. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel file;

    private DirectoryLock(Path directory, FileChannel file) {
        this.directory = directory;
        this.file = file;
    }

    /** Locks a directory until the lock is closed, or the process ends. Never waits for another. */
    static DirectoryLock of(Path existing) throws IOException {
        var directory = existing.toRealPath();
        if (!OWN.add(directory)) {
            throw new IOException("another disk tier of this process uses it");
        }
        FileChannel file = null;
        boolean isLocked = false;
        try {
            file = FileChannel.open(directory.resolve(NAME), FileAccess.OPTIONS);
            isLocked = file.tryLock() != null;
            if (!isLocked) {
                throw new IOException("another process uses it");
            }
            return new DirectoryLock(directory, file);
        } finally {
            if (!isLocked) {
                OWN.remove(directory);
                if (file != null) {
                    file.close();
                }
            }
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
