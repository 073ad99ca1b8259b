package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * Clients that repeat one request to one server, each on its own connection. All send, then all
 * read, so that the server always has several requests pending. Every response is compared byte by
 * byte with the expected one. Not thread-safe.
 */
final class Clients implements AutoCloseable {
    private static final int CLIENTS = 16;
    private static final int PATIENCE_MILLIS = 300_000;
    private static final int MOST_BYTES = 1 << 17;
    private static final String END = "\r\n\r\n";
    private static final String LENGTH = "\r\ncontent-length: ";

    /** The number of requests of different lengths, made with a padding field. */
    private static final int PADDINGS = 256;

    private final List<Socket> connections = new ArrayList<>();
    private final byte[] buffer = new byte[MOST_BYTES];
    private final List<byte[]> requests = new ArrayList<>();
    private final Random random = new Random(1);
    private byte[] body = new byte[0];
    private String head = "";

    /** The end of the bytes in {@code buffer}. */
    private int end;

    private Clients() {}

    /**
     * Connects, and repeats the request until the response has the expected content coding.
     *
     * @param body the expected body, decoded
     * @param isPadded whether requests differ in length
     * @throws IOException if there is no response or a wrong one
     */
    static Clients of(InetSocketAddress server, Asked asked, byte[] body, boolean isPadded)
            throws IOException {
        var clients = new Clients();
        try {
            clients.connect(server, asked, isPadded);
            clients.settle(asked, body);
            return clients;
        } catch (IOException e) {
            clients.close();
            throw e;
        }
    }

    /** Connects to a server whose responses have exactly this body, encoded or not. */
    static Clients bare(InetSocketAddress server, Asked asked, byte[] body) throws IOException {
        var clients = new Clients();
        try {
            clients.connect(server, asked, false);
            clients.body = body;
            return clients;
        } catch (IOException e) {
            clients.close();
            throw e;
        }
    }

    private void connect(InetSocketAddress server, Asked asked, boolean isPadded)
            throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            var socket = new Socket();
            connections.add(socket);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(server, PATIENCE_MILLIS);
        }
        var head = asked.requestHead(server.getAddress().getHostAddress() + ":" + server.getPort());
        for (int i = 0; i < (isPadded ? PADDINGS : 1); i++) {
            var padding = isPadded ? "X-Padding: " + "x".repeat(i) + "\r\n" : "";
            requests.add((head + padding + "\r\n").getBytes(US_ASCII));
        }
    }

    /** The body of all responses, in its content coding. */
    byte[] body() {
        return body.clone();
    }

    /** The head of the first response with that body, without the final empty line. */
    String head() {
        return head;
    }

    /**
     * Sends requests until there are at least {@code count} responses; returns their number.
     *
     * @throws IOException if a response is wrong
     */
    int ask(int count) throws IOException {
        int asked = 0;
        while (asked < count) {
            for (var connection : connections) {
                connection
                        .getOutputStream()
                        .write(
                                requests.size() == 1
                                        ? requests.getFirst()
                                        : requests.get(random.nextInt(requests.size())));
            }
            for (var connection : connections) {
                int bodyAt = read(connection);
                if (!isExpected(bodyAt)) {
                    throw new IOException(
                            "expected the same body of %d bytes as before, found '%s' with %d bytes"
                                    .formatted(
                                            body.length,
                                            head(bodyAt).lines().findFirst().orElse(""),
                                            end - bodyAt));
                }
            }
            asked += connections.size();
        }
        return asked;
    }

    @Override
    public void close() {
        for (var connection : connections) {
            try {
                connection.close();
            } catch (IOException gone) {
                // There is no unread data to lose.
            }
        }
    }

    /**
     * Repeats the request until the response has its final content coding: the first responses may
     * not be compressed yet.
     */
    private void settle(Asked asked, byte[] plain) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (true) {
            var connection = connections.getFirst();
            connection.getOutputStream().write(requests.getFirst());
            int bodyAt = read(connection);
            head = head(bodyAt);
            boolean isGzip = head.toLowerCase(Locale.ROOT).contains("content-encoding: gzip");
            if (isGzip == asked.isGzip()) {
                body = Arrays.copyOfRange(buffer, bodyAt, end);
                requireBody(isGzip ? inflated(body) : body, plain);
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        "expected %s, found this response head:%n%s"
                                .formatted(asked.isGzip() ? "gzip" : "no content coding", head));
            }
        }
    }

    private static byte[] inflated(byte[] coded) throws IOException {
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(coded))) {
            return gzip.readAllBytes();
        }
    }

    private void requireBody(byte[] found, byte[] plain) throws IOException {
        if (!Arrays.equals(found, plain)) {
            throw new IOException(
                    "expected a body of %d bytes, found another (%d) after this head:%n%s"
                            .formatted(plain.length, found.length, head));
        }
    }

    /** Reads one response into the buffer; returns the index of its body. */
    private int read(Socket connection) throws IOException {
        var in = connection.getInputStream();
        end = 0;
        int bodyAt = -1;
        int whole = Integer.MAX_VALUE;
        while (end < whole) {
            int read = in.read(buffer, end, buffer.length - end);
            if (read <= 0) {
                throw new IOException(
                        "expected a complete response, found its first " + end + " bytes");
            }
            end += read;
            if (bodyAt < 0) {
                bodyAt = bodyAt();
                if (bodyAt >= 0) {
                    whole = bodyAt + length(head(bodyAt));
                }
            }
        }
        return bodyAt;
    }

    private int bodyAt() {
        for (int i = END.length(); i <= end; i++) {
            if (buffer[i - 1] == '\n'
                    && buffer[i - 2] == '\r'
                    && buffer[i - 3] == '\n'
                    && buffer[i - 4] == '\r') {
                return i;
            }
        }
        return -1;
    }

    private String head(int bodyAt) {
        return new String(buffer, 0, bodyAt - END.length(), ISO_8859_1);
    }

    private static int length(String head) throws IOException {
        if (!head.startsWith("HTTP/1.1 200 ")) {
            throw new IOException("expected status 200, found this response head:\n" + head);
        }
        int at = head.toLowerCase(Locale.ROOT).indexOf(LENGTH);
        if (at < 0) {
            throw new IOException("expected a Content-Length, found this response head:\n" + head);
        }
        int from = at + LENGTH.length();
        int to = head.indexOf('\r', from);
        return Integer.parseInt(head.substring(from, to < 0 ? head.length() : to).strip());
    }

    private boolean isExpected(int bodyAt) {
        return Arrays.equals(buffer, bodyAt, end, body, 0, body.length);
    }
}
