package dev.quire.proxy.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files of certificates and keys. */
final class SmallFile {
    private SmallFile() {}

    /**
     * Returns the first bytes of {@code file}, at most {@code most}; all links are resolved anew.
     * Blocks, but not for a pipe or a device, which may have no end.
     */
    static byte[] read(Path file, int most) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("it is not a regular file");
        }
        try (var in = Files.newInputStream(file)) {
            return in.readNBytes(most);
        }
    }
}
