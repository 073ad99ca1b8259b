package dev.quire.proxy.path;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;

/**
 * A response as received by a client, one char for each byte.
 *
 * @param head including its last line end
 * @param body without chunk framing
 */
record Received(String head, String body) {
    private static final int GZIP_HEADER_BYTES = 10;

    static Received of(String raw) {
        int end = raw.indexOf("\r\n\r\n");
        var head = raw.substring(0, end + 2);
        var rest = raw.substring(end + 4);
        return new Received(
                head, head.contains("\r\nTransfer-Encoding: chunked\r\n") ? joined(rest) : rest);
    }

    /** The decompressed body, with its checksum verified. */
    String inflated() {
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(body.getBytes(ISO_8859_1)))) {
            return new String(plain.readAllBytes(), ISO_8859_1);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** The readable part of an incomplete gzip body. */
    String inflatedSoFar() {
        var inflater = new Inflater(true);
        try {
            var bytes = body.getBytes(ISO_8859_1);
            inflater.setInput(bytes, GZIP_HEADER_BYTES, bytes.length - GZIP_HEADER_BYTES);
            var plain = new ByteArrayOutputStream();
            var step = new byte[512];
            for (int read; (read = inflater.inflate(step)) > 0; ) {
                plain.write(step, 0, read);
            }
            return plain.toString(ISO_8859_1);
        } catch (DataFormatException broken) {
            throw new AssertionError("expected the beginning of a gzip body", broken);
        } finally {
            inflater.end();
        }
    }

    /** The value of the only line called {@code name}. */
    String field(String name) {
        var line = "\r\n" + name + ": ";
        int start = head.indexOf(line);
        if (start < 0 || head.indexOf(line, start + 1) >= 0) {
            throw new AssertionError("expected one " + name + " in " + head);
        }
        return head.substring(start + line.length(), head.indexOf("\r\n", start + 2));
    }

    private static String joined(String chunks) {
        var body = new StringBuilder();
        for (int at = 0; at < chunks.length(); ) {
            int line = chunks.indexOf("\r\n", at);
            int size = Integer.parseInt(chunks.substring(at, line), 16);
            body.append(chunks, line + 2, line + 2 + size);
            at = line + 2 + size + 2;
        }
        return body.toString();
    }
}
