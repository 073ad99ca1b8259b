package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and directories that only their owner may use: they have responses and the secret
 * of a hash. Existing ones keep their permissions.
 */
final class OwnerOnly {
    private OwnerOnly() {}

    /**
     * Opens {@code file}, if it is a regular one or absent.
     *
     * @throws IOException also in the place of a file that cannot be read at an offset, such as a
     *     pipe
     */
    static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
        if (Checks.isSpecial(file)) {
            throw new FileSystemException(
                    file.toString(), null, file.getFileName() + " is not a regular file");
        }
        return FileChannel.open(file, options, permissions(file, "rw-------"));
    }

    /** Creates {@code directory} and those above it, if they are absent. */
    static Path directory(Path directory) throws IOException {
        return Files.createDirectories(directory, permissions(directory, "rwx------"));
    }

    private static FileAttribute<?>[] permissions(Path path, String text) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))
                }
                : new FileAttribute<?>[0];
    }
}
