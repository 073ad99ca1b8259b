package dev.quire.proxy.cache;

import dev.quire.proxy.gzip.Brotli;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Bodies with a content coding. */
final class Coded {
    private Coded() {}

    private interface Coder {
        OutputStream over(OutputStream out) throws IOException;
    }

    static byte[] gzip(String text) {
        return coded(text, GZIPOutputStream::new);
    }

    static byte[] zlib(String text) {
        return coded(text, DeflaterOutputStream::new);
    }

    static byte[] brotli(String text) {
        return Brotli.of(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static byte[] rawDeflate(String text) {
        return coded(text, out -> new DeflaterOutputStream(out, new Deflater(9, true)));
    }

    /** A gzip member with all optional header fields of RFC 1952 §2.3. */
    static byte[] gzipWithEverything(String text) {
        var plain = text.getBytes(StandardCharsets.ISO_8859_1);
        var crc = new CRC32();
        crc.update(plain);
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 0x1f, 1, 2, 3, 4, 0, 3});
        out.writeBytes(new byte[] {3, 0, 'a', 'b', 'c'});
        out.writeBytes("name\0comment\0".getBytes(StandardCharsets.ISO_8859_1));
        var head = new CRC32();
        head.update(out.toByteArray());
        out.write((int) head.getValue());
        out.write((int) head.getValue() >>> 8);
        out.writeBytes(rawDeflate(text));
        littleEndian(out, (int) crc.getValue());
        littleEndian(out, plain.length);
        return out.toByteArray();
    }

    static byte[] joined(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static void littleEndian(ByteArrayOutputStream out, int word) {
        for (int shift = 0; shift < 32; shift += 8) {
            out.write(word >>> shift);
        }
    }

    private static byte[] coded(String text, Coder coder) {
        var out = new ByteArrayOutputStream();
        try (var coding = coder.over(out)) {
            coding.write(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }
}
