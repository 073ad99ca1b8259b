package dev.quire.proxy.path;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.proxy.gzip.Brotli;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Bodies in content codings, one char for each byte. */
final class Coded {
    private Coded() {}

    static String gzip(String text) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(ISO_8859_1);
    }

    static String brotli(String text) {
        return new String(Brotli.of(text.getBytes(ISO_8859_1)), ISO_8859_1);
    }

    /** A text that gzip hardly shortens. */
    static String noise(int bytes) {
        var text = new StringBuilder(bytes);
        var random = new Random(1);
        for (int i = 0; i < bytes; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
