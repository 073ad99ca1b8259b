package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Opens and deletes the files of a log, and reads the free space of its file system. */
interface FileAccess {
    FileAccess SYSTEM =
            new FileAccess() {
                @Override
                public FileChannel open(Path file) throws IOException {
                    return OwnerOnly.open(file, OPTIONS);
                }

                @Override
                public void delete(Path file) throws IOException {
                    Files.deleteIfExists(file);
                }

                @Override
                public Space space(Path directory) throws IOException {
                    // A FileStore reads the list of all file systems.
                    var file = directory.toFile();
                    return new Space(file.getTotalSpace(), file.getUsableSpace());
                }
            };

    Set<OpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    /** The bytes of a file system. */
    record Space(long totalBytes, long usableBytes) {}

    /** Opens {@code file} to be read and written; creates it if it is absent. */
    FileChannel open(Path file) throws IOException;

    /** Deletes {@code file} if it exists. */
    void delete(Path file) throws IOException;

    Space space(Path directory) throws IOException;
}
