package dev.quire.proxy.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.http.Scheme;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.List;

/** Sends requests of HTTP/2 in the shortest form for a rehearsal (RFC 9113 §3.4, RFC 7541). */
final class RehearsedHttp2 {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;

    /** {@code :status} 200. */
    private static final byte OK = (byte) 0x88;

    /** END_STREAM and END_HEADERS. */
    private static final int WHOLE = 0x5;

    private static final int FRAME_HEAD_BYTES = 9;

    private RehearsedHttp2() {}

    /**
     * Requests {@code targets} on one connection; returns the number of those with 200.
     *
     * @param connection connected; closed afterwards
     */
    static int responses(Socket connection, Scheme scheme, List<String> targets)
            throws IOException {
        var asked = new ByteArrayOutputStream();
        asked.writeBytes(PREFACE);
        frame(asked, SETTINGS, 0, 0, new byte[0]);
        int stream = 1;
        for (var target : targets) {
            frame(asked, HEADERS, WHOLE, stream, get(scheme, target));
            stream += 2;
        }
        // No more requests: the server closes behind the last response.
        frame(asked, GOAWAY, 0, 0, new byte[8]);
        try (connection) {
            connection.getOutputStream().write(asked.toByteArray());
            return heads(connection.getInputStream().readAllBytes());
        }
    }

    private static void frame(
            ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.writeBytes(
                new byte[] {
                    0,
                    (byte) (payload.length >> 8),
                    (byte) payload.length,
                    (byte) type,
                    (byte) flags,
                    0,
                    0,
                    (byte) (stream >> 8),
                    (byte) stream
                });
        out.writeBytes(payload);
    }

    private static byte[] get(Scheme scheme, String target) {
        var block = new ByteArrayOutputStream();
        // :method GET and :scheme, then literals of :authority and :path.
        block.write(0x82);
        block.write(scheme == Scheme.HTTPS ? 0x87 : 0x86);
        literal(block, 1, "localhost");
        literal(block, 4, target);
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, int name, String value) {
        block.write(name);
        block.write(value.length());
        block.writeBytes(value.getBytes(US_ASCII));
    }

    private static int heads(byte[] frames) {
        int heads = 0;
        for (int at = 0; at + FRAME_HEAD_BYTES + 1 < frames.length; ) {
            int payload = at + FRAME_HEAD_BYTES;
            // The first block of a connection begins with the size of the table.
            boolean isOk = frames[payload] == OK || frames[payload + 1] == OK;
            heads += frames[at + 3] == HEADERS && isOk ? 1 : 0;
            int length = ((frames[at + 1] & 0xff) << 8) | (frames[at + 2] & 0xff);
            at += FRAME_HEAD_BYTES + length;
        }
        return heads;
    }
}
