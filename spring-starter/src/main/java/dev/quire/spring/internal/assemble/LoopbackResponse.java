package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.spring.internal.fields.Documents;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/**
 * One response of the application's own server, on a connection that closes after it (RFC 9112).
 */
final class LoopbackResponse {

    private static final int MOST_HEAD_BYTES = 64 * 1024;
    private static final int PIECE = 8192;

    private final Socket socket;
    private final InputStream in;
    private final long end;
    private final ByteBudget allowance;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int headBytes;
    private boolean overflown;

    /**
     * Reads from {@code socket}.
     *
     * @param end the deadline for the whole response, as {@link System#nanoTime}
     * @param allowance limits its body
     */
    public LoopbackResponse(Socket socket, long end, ByteBudget allowance) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.end = end;
        this.allowance = allowance;
    }

    /**
     * Reads the whole response.
     *
     * @param method of the request
     */
    public Fetched read(CacheKey key, String method) throws IOException {
        try {
            int status = status();
            while (status < 200) {
                fields();
                status = status();
            }
            var fields = fields();
            if (!method.equals("HEAD") && status != 204 && status != 304) {
                readBody(fields);
            }
            var arrived =
                    new Fetched.Arrived(
                            key,
                            fields,
                            fields.first("Location"),
                            fields.first("Content-Type"),
                            fields.contains("Content-Encoding"),
                            Documents.processing(fields),
                            overflown,
                            new FragmentBody(body.toByteArray(), status, null));
            if (status >= 300) {
                // an error or a redirect does not become part of the page
                allowance.giveBack(body.size());
            }
            return arrived;
        } catch (EOFException cut) {
            return failed(key, Kind.TRUNCATED, " ended before it was complete");
        } catch (ProtocolException | NumberFormatException wrong) {
            return failed(key, Kind.MALFORMED, " sent a malformed HTTP/1.1 response");
        }
    }

    private Fetched failed(CacheKey key, Kind kind, String what) {
        allowance.giveBack(body.size());
        return new Fetched.Failed(new Failure(Side.ORIGIN, kind, key.target() + what));
    }

    private int status() throws IOException {
        var line = line();
        if (!line.matches("HTTP/1\\.[01] [1-5]\\d\\d( .*)?")) {
            throw new ProtocolException(line);
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private Fields fields() throws IOException {
        var fields = new Fields.Builder();
        for (var line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new ProtocolException(line);
            }
            fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        return fields.build();
    }

    private void readBody(Fields fields) throws IOException {
        var coding = fields.first("Transfer-Encoding");
        var length = fields.first("Content-Length");
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new ProtocolException(coding);
            }
            readChunks();
        } else if (length != null) {
            readBytes(Long.parseLong(length));
        } else {
            while (!overflown && readPiece(PIECE) >= 0) {}
        }
    }

    private void readChunks() throws IOException {
        while (!overflown) {
            var line = line();
            int extension = line.indexOf(';');
            long length =
                    Long.parseLong(
                            (extension < 0 ? line : line.substring(0, extension)).strip(), 16);
            if (length == 0) {
                fields();
                return;
            }
            readBytes(length);
            if (!overflown && !line().isEmpty()) {
                throw new ProtocolException("a chunk is longer than its size");
            }
        }
    }

    private void readBytes(long length) throws IOException {
        long left = length;
        while (left > 0 && !overflown) {
            int read = readPiece((int) Math.min(left, PIECE));
            if (read < 0) {
                throw new EOFException();
            }
            left -= read;
        }
    }

    /** Reads at most {@code most} bytes of the body; returns -1 at its end. */
    private int readPiece(int most) throws IOException {
        var piece = new byte[most];
        waitNoLonger();
        int read = in.read(piece);
        if (read > 0) {
            if (allowance.take(read)) {
                body.write(piece, 0, read);
            } else {
                overflown = true;
                allowance.giveBack(body.size());
                body.reset();
            }
        }
        return read;
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        waitNoLonger();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            if (++headBytes > MOST_HEAD_BYTES) {
                throw new ProtocolException("the response head is too long");
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** Limits the next read to the remaining time. */
    private void waitNoLonger() throws IOException {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw new SocketTimeoutException();
        }
        socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
    }
}
