package dev.quire.bench.kill;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A connection to a port of the loopback address, for a server that may be killed at any moment:
 * whatever is not a complete response is an {@link IOException}. Requests may be pipelined. Not
 * thread-safe.
 */
public final class Client implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int LONGEST_HEAD = 1 << 16;
    private static final Pattern LENGTH =
            Pattern.compile("^content-length: *(\\d+) *$", Pattern.MULTILINE);
    private static final Pattern CHUNKED =
            Pattern.compile("^transfer-encoding: *chunked *$", Pattern.MULTILINE);
    private static final Pattern HIT =
            Pattern.compile("^cache-status: [^\n]*; *hit\\b", Pattern.MULTILINE);

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int start;
    private int end;

    public Client(int port) throws IOException {
        this(port, PATIENCE);
    }

    /**
     * @param patience to connect, and for each part of a response
     */
    public Client(int port, Duration patience) throws IOException {
        boolean isConnected = false;
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) patience.toMillis());
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    (int) patience.toMillis());
            in = socket.getInputStream();
            out = socket.getOutputStream();
            isConnected = true;
        } finally {
            if (!isConnected) {
                socket.close();
            }
        }
    }

    /**
     * A complete response.
     *
     * @param head in lower case, lines separated by LF
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Answer(int status, String head, byte[] body) {
        /** Whether it came from the cache, by its field Cache-Status. */
        public boolean isHit() {
            return HIT.matcher(head).find();
        }

        public String text() {
            return new String(body, UTF_8);
        }
    }

    /** The text of a GET. */
    public static String request(String host, String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    public Answer get(String host, String target) throws IOException {
        send(request(host, target));
        return receive();
    }

    /** Posts {@code body} as JSON. */
    public Answer post(String host, String target, String body) throws IOException {
        send(
                "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(target, host, body.length(), body));
        return receive();
    }

    /** Sends requests, of which {@link #receive} returns the responses in order. */
    public void send(String requests) throws IOException {
        out.write(requests.getBytes(ISO_8859_1));
    }

    public Answer receive() throws IOException {
        var head = head();
        var length = LENGTH.matcher(head);
        if (!head.startsWith("http/1.1 ")) {
            throw new IOException("expected a status line, found this head: " + head);
        }
        byte[] body;
        if (length.find()) {
            body = bytes(Integer.parseInt(length.group(1)));
        } else if (CHUNKED.matcher(head).find()) {
            body = chunks();
        } else {
            throw new IOException("expected Content-Length or chunks, found this head: " + head);
        }
        return new Answer(Integer.parseInt(head.substring(9, 12)), head, body);
    }

    private byte[] bytes(int length) throws IOException {
        var bytes = new byte[length];
        int buffered = Math.min(length, end - start);
        System.arraycopy(buffer, start, bytes, 0, buffered);
        start += buffered;
        int read = buffered + in.readNBytes(bytes, buffered, length - buffered);
        if (read < length) {
            throw new IOException(
                    "expected %d bytes, the connection ended after %d".formatted(length, read));
        }
        return bytes;
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(), 16);
            body.writeBytes(bytes(length));
            if (!line().isEmpty()) {
                throw new IOException("expected the end of a chunk or of the body");
            }
            if (length == 0) {
                return body.toByteArray();
            }
        }
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (char next = (char) next(); next != '\n'; next = (char) next()) {
            if (next != '\r') {
                line.append(next);
            }
        }
        return line.toString();
    }

    /** Returns the next head without its last empty line. */
    private String head() throws IOException {
        var head = new StringBuilder(512);
        while (true) {
            char next = (char) next();
            if (next == '\n' && !head.isEmpty() && head.charAt(head.length() - 1) == '\n') {
                return head.toString();
            }
            if (next != '\r') {
                head.append(next >= 'A' && next <= 'Z' ? (char) (next + ('a' - 'A')) : next);
            }
            if (head.length() > LONGEST_HEAD) {
                throw new IOException("expected a head, found " + head.substring(0, 200));
            }
        }
    }

    private int next() throws IOException {
        if (start == end) {
            start = 0;
            end = Math.max(0, in.read(buffer));
            if (end == 0) {
                throw new IOException("expected a response, the connection ended");
            }
        }
        return buffer[start++] & 0xff;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException gone) {
            // There is no unread data to lose.
        }
    }
}
