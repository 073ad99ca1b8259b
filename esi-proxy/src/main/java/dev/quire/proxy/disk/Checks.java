package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Checksums, and reads and writes of whole ranges of a file. */
final class Checks {
    /** Of xxHash: spreads the bits of a number. */
    private static final long PRIME = 0x9e3779b185ebca87L;

    private Checks() {}

    /**
     * Returns the CRC-32C of the bytes of {@code in} from {@code at}, changed by {@code segment}
     * and {@code offset}: bytes that are moved to another place do not have it.
     */
    static int check(ByteBuffer in, int at, int length, long segment, long offset) {
        var check = new CRC32C();
        check.update(in.slice(at, length));
        long place = ((segment * PRIME) ^ offset) * PRIME;
        return (int) check.getValue() ^ (int) (place >>> Integer.SIZE);
    }

    /** Fills the rest of {@code out} from {@code offset}; returns false if the file is shorter. */
    static boolean readFully(FileChannel file, ByteBuffer out, long offset) throws IOException {
        long at = offset;
        while (out.hasRemaining()) {
            int count = file.read(out, at);
            if (count < 0) {
                return false;
            }
            at += count;
        }
        return true;
    }

    /** Whether {@code file} is something whose bytes may never come, such as a pipe. */
    static boolean isSpecial(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    static void writeFully(FileChannel file, ByteBuffer in, long offset) throws IOException {
        long at = offset;
        while (in.hasRemaining()) {
            at += file.write(in, at);
        }
    }
}
