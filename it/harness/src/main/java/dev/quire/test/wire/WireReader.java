package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;

/**
 * Reads HTTP/1.1 from a connection, strictly: leniencies that RFC 9112 allows a recipient are a
 * {@link WireFault} here. An end of the connection inside a message is an {@link EOFException}. One
 * thread.
 */
final class WireReader {
    private static final int LONGEST_LINE = 256 * 1024;

    private final Source source;
    private final byte[] buffer = new byte[16 * 1024];
    private final StringBuilder line = new StringBuilder();
    private int start;
    private int end;

    WireReader(Source source) {
        this.source = source;
    }

    /** The source of bytes; as {@link java.io.InputStream#read(byte[], int, int)}. */
    interface Source {
        int read(byte[] into, int offset, int length) throws IOException;
    }

    /** Waits for a byte or the end of the connection. Returns whether it has ended. */
    boolean isAtEnd() throws IOException {
        return start == end && !fill();
    }

    /** One line without its CRLF, one char for each byte. */
    String line() throws IOException {
        line.setLength(0);
        while (true) {
            int b = next();
            if (b == '\r') {
                int after = next();
                if (after != '\n') {
                    throw new WireFault("LF after CR", line + "\r" + (char) after);
                }
                var whole = line.toString();
                line.setLength(0);
                return whole;
            }
            if (b == '\n') {
                throw new WireFault("CR before LF", line + "\n");
            }
            line.append((char) b);
            if (line.length() > LONGEST_LINE) {
                throw new WireFault("a line of at most " + LONGEST_LINE + " bytes", line + "");
            }
        }
    }

    /** Field lines, including the empty line at their end (RFC 9112 §5). */
    Fields fields() throws IOException {
        var namesAndValues = new ArrayList<String>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon <= 0 || !FieldSyntax.isToken(line.substring(0, colon))) {
                throw new WireFault("a field line", line);
            }
            var value = line.substring(colon + 1);
            if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f)) {
                throw new WireFault("a field value without control characters", line);
            }
            namesAndValues.add(line.substring(0, colon));
            namesAndValues.add(value.strip());
        }
        return Fields.of(namesAndValues.toArray(String[]::new));
    }

    /** The bytes that have arrived, at least one and at most {@code most}; empty at the end. */
    byte[] some(long most) throws IOException {
        if (isAtEnd()) {
            return new byte[0];
        }
        int taken = (int) Math.min(most, end - start);
        var piece = new byte[taken];
        System.arraycopy(buffer, start, piece, 0, taken);
        start += taken;
        return piece;
    }

    String unread() {
        return line + new String(buffer, start, end - start, ISO_8859_1);
    }

    private int next() throws IOException {
        if (isAtEnd()) {
            throw new EOFException("the connection ended inside a message");
        }
        return buffer[start++] & 0xff;
    }

    private boolean fill() throws IOException {
        int read = source.read(buffer, 0, buffer.length);
        if (read <= 0) {
            return false;
        }
        start = 0;
        end = read;
        return true;
    }
}
