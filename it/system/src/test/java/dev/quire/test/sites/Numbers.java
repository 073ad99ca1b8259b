package dev.quire.test.sites;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Bytes that are known by their offset, so that a misplaced part is noticed. */
final class Numbers {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private Numbers() {}

    static byte at(long offset) {
        return (byte) ((offset / Long.BYTES * SPREAD) >>> (Long.SIZE - 8 - offset % 8 * 8));
    }

    /** Returns the {@code length} bytes from {@code offset} on. */
    static byte[] from(long offset, int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(offset + i);
        }
        return bytes;
    }

    /** Writes {@code head} and {@code length} bytes. */
    static void write(Path file, byte[] head, long length) throws IOException {
        try (var out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            out.write(head);
            for (long at = 0; at < length; at += 1 << 16) {
                out.write(from(at, (int) Math.min(1 << 16, length - at)));
            }
        }
    }

    /** An uncompressed sound of {@code length} bytes: 44,100 stereo samples of 16 bits a second. */
    static void writeSound(Path file, int length) throws IOException {
        var head = ByteBuffer.allocate(44).order(ByteOrder.LITTLE_ENDIAN);
        head.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(36 + length);
        head.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16);
        head.putShort((short) 1).putShort((short) 2).putInt(44_100).putInt(4 * 44_100);
        head.putShort((short) 4).putShort((short) 16);
        head.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(length);
        write(file, head.array(), length);
    }

    /** Reads to the end. Returns the number of bytes; -1 if one differs from {@link #at}. */
    static long matching(InputStream in, long offset) throws IOException {
        var buffer = new byte[1 << 16];
        long count = 0;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            for (int i = 0; i < read; i++) {
                if (buffer[i] != at(offset + count + i)) {
                    return -1;
                }
            }
            count += read;
        }
        return count;
    }
}
