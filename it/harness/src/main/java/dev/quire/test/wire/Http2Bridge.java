package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.Http2Setup;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.Http2Wire;
import dev.quire.test.wire.internal.Watch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients of HTTP/1.1 talk to a server over HTTP/2: each connection of a client is one
 * connection to the server, from the same address, and each request one stream of it. A stream that
 * the server resets closes the client's connection, before the response or inside it. Thread-safe.
 */
final class Http2Bridge implements AutoCloseable {
    private static final Set<String> OF_CONNECTION =
            Set.of(
                    "connection",
                    "host",
                    "keep-alive",
                    "proxy-connection",
                    "te",
                    "transfer-encoding",
                    "upgrade");

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final Watch watch = new Watch();
    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final @Nullable SSLContext tls;

    /** The client's port, then the port of its connection to the server. */
    private final Map<Integer, Integer> ports = new HashMap<>();

    private final Set<Crossing> open = new HashSet<>();
    private boolean isClosed;

    private Http2Bridge(InetSocketAddress server, @Nullable SSLContext tls) throws IOException {
        this.server = server;
        this.tls = tls;
        listener = new ServerSocket(0, 4096, InetAddress.getByAddress(LOOPBACK));
        Thread.ofVirtual().name("bridge-accept").start(this::accept);
    }

    /**
     * @param tls null for HTTP/2 by prior knowledge
     */
    static Http2Bridge to(InetSocketAddress server, @Nullable SSLContext tls) {
        try {
            return new Http2Bridge(server, tls);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open a bridge", e);
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    /** The port that the server sees for a client; waits until the bridge has connected it. */
    int portAtServer(int clientPort) {
        watch.await(() -> ports.containsKey(clientPort), () -> "a bridged port " + clientPort);
        return watch.read(() -> ports.getOrDefault(clientPort, 0));
    }

    private void accept() {
        while (true) {
            try {
                var client = listener.accept();
                Thread.ofVirtual().name("bridge").start(() -> cross(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void cross(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            try (var wire =
                    Http2Setup.to(server)
                            .over(tls)
                            .from(client.getInetAddress())
                            .patient()
                            .open()) {
                var crossing = new Crossing(client, wire);
                watch.change(() -> {
                    ports.put(client.getPort(), wire.localPort());
                    open.add(crossing);
                });
                if (!watch.read(() -> isClosed)) {
                    crossing.run();
                }
                watch.change(() -> open.remove(crossing));
            }
        } catch (IOException ended) {
            // Both sides may end at any point; the other one is closed then.
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        watch.change(() -> isClosed = true);
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close a bridge", e);
        }
        watch.read(() -> List.copyOf(open)).forEach(Crossing::close);
    }

    /** One connection. One thread reads requests, another writes their responses. */
    private static final class Crossing {
        private final Watch watch = new Watch();
        private final Socket client;
        private final Http2Wire wire;
        private final WireReader reader;
        private @Nullable Asked asked;
        private boolean isLast;
        private boolean isOver;

        /** A request without its body, and its stream. */
        private record Asked(Http2Stream stream, String method, boolean isOld, boolean isLast) {}

        Crossing(Socket client, Http2Wire wire) throws IOException {
            this.client = client;
            this.wire = wire;
            var in = client.getInputStream();
            reader = new WireReader(in::read);
        }

        void run() throws IOException {
            wire.whenEnding(() -> {
                if (watch.read(() -> asked == null)) {
                    close();
                }
            });
            Thread.ofVirtual().name("bridge-answer").start(this::answer);
            try {
                boolean goesOn = true;
                while (goesOn && !reader.isAtEnd()) {
                    // Requests of one connection are answered one after another.
                    watch.awaitChange(() -> asked == null || isOver);
                    goesOn = watch.read(() -> !isOver) && ask();
                }
            } catch (WireFault malformed) {
                // A status that no test expects: the server has not seen the request.
                watch.awaitChange(() -> asked == null || isOver);
                respond("HTTP/1.1 599 Malformed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            } catch (IOException reset) {
                cancel();
                throw reset;
            } finally {
                watch.change(() -> isLast = true);
                watch.awaitChange(() -> asked == null || isOver);
                watch.change(() -> isOver = true);
            }
        }

        /** Passes one request on. Returns whether another may follow. */
        private boolean ask() throws IOException {
            var line = reader.line();
            var words = line.split(" ", -1);
            if (words.length != 3 || !words[2].matches("HTTP/1\\.[01]")) {
                throw new WireFault("METHOD target HTTP/1.1", line);
            }
            var fields = reader.fields();
            var body = BodyReader.ofRequest(reader, fields);
            boolean isOld = words[2].equals("HTTP/1.0");
            boolean ends = isOld || "close".equalsIgnoreCase(fields.first("Connection"));
            var first = framed(fields) ? body.next() : null;
            var stream = wire.open(head(words[0], words[1], fields), first == null);
            watch.change(() -> asked = new Asked(stream, words[0], isOld, ends));
            try {
                for (var piece = first; piece != null; ) {
                    var next = body.next();
                    stream.send(piece, next == null);
                    piece = next;
                }
            } catch (WireFault malformed) {
                stream.reset(ErrorCode.CANCEL);
                close();
                throw malformed;
            }
            return !ends;
        }

        private static boolean framed(Fields fields) {
            return fields.contains("Transfer-Encoding") || fields.contains("Content-Length");
        }

        private byte[] head(String method, String target, Fields fields) {
            var head = new FieldBlock().literal(":method", method);
            var path = target;
            var hosts = new ArrayList<>(fields.all("Host"));
            var scheme = wire.scheme();
            int authority = target.startsWith("/") ? -1 : target.indexOf("://");
            if (authority > 0) {
                var named = target.substring(0, authority);
                // Tests write http for the scheme of their connection.
                scheme = named.equalsIgnoreCase("http") ? scheme : named;
                int end = target.indexOf('/', authority + 3);
                int query = target.indexOf('?', authority + 3);
                end = end < 0 || (query >= 0 && query < end) ? query : end;
                end = end < 0 ? target.length() : end;
                hosts.clear();
                hosts.add(target.substring(authority + 3, end));
                path = target.substring(end);
                path = path.startsWith("/") ? path : "/" + path;
            }
            head.literal(":scheme", scheme);
            if (!hosts.isEmpty()) {
                head.literal(":authority", hosts.removeFirst());
            }
            head.literal(":path", path);
            hosts.forEach(host -> head.literal("host", host));
            fields.forEach((name, value) -> {
                var lower = name.toLowerCase(Locale.ROOT);
                if (lower.equals("cookie")) {
                    // As browsers do (RFC 9113 §8.2.3).
                    for (var crumb : value.split("; ", -1)) {
                        head.literal(lower, crumb);
                    }
                } else if (lower.equals("te") && value.contains("trailers")) {
                    head.literal(lower, "trailers");
                } else if (!OF_CONNECTION.contains(lower)) {
                    head.literal(lower, value);
                }
            });
            return head.bytes();
        }

        private void answer() {
            try {
                boolean goesOn = true;
                while (goesOn) {
                    watch.awaitChange(() -> asked != null || isOver);
                    var next = watch.read(() -> asked);
                    goesOn = next != null && answer(next);
                    if (goesOn) {
                        watch.change(() -> asked = null);
                    }
                }
            } catch (IOException broken) {
                cancel();
            } finally {
                close();
            }
        }

        /** Passes one response on. Returns whether another may follow. */
        private boolean answer(Asked one) throws IOException {
            var response = one.stream().begin();
            for (var interim : one.stream().interims()) {
                respond(head(interim, "").toString());
            }
            int status = response.status();
            boolean hasBody = status != 204 && status != 304 && !one.method().equals("HEAD");
            var first = hasBody ? one.stream().next() : null;
            boolean hasLength = response.fields().contains("Content-Length");
            boolean isChunked = hasBody && !hasLength && first != null && !one.isOld();
            boolean isEmpty = hasBody && !hasLength && first == null;
            boolean ends =
                    one.isLast()
                            || watch.read(() -> isLast)
                            || wire.goAway() != null
                            || wire.hasEnded();
            var framing =
                    (isChunked ? "Transfer-Encoding: chunked\r\n" : "")
                            + (isEmpty ? "Content-Length: 0\r\n" : "")
                            + (ends ? "Connection: close\r\n" : "");
            respond(head(response, framing).toString());
            for (var piece = first; piece != null; piece = one.stream().next()) {
                if (piece.length > 0) {
                    var text = isChunked ? Integer.toHexString(piece.length) + "\r\n" : "";
                    respond(text, piece, isChunked ? "\r\n" : "");
                }
            }
            if (!hasBody) {
                one.stream().body();
            }
            if (isChunked) {
                respond("0\r\n" + lines(one.stream().trailers()) + "\r\n");
            }
            return !ends;
        }

        private static StringBuilder head(ResponseHead head, String more) {
            return new StringBuilder("HTTP/1.1 " + head.status() + " \r\n")
                    .append(lines(head.fields()))
                    .append(more)
                    .append("\r\n");
        }

        private static String lines(Fields fields) {
            var lines = new StringBuilder();
            fields.forEach(
                    (name, value) -> lines.append(name).append(": ").append(value).append("\r\n"));
            return lines.toString();
        }

        private void respond(String text) throws IOException {
            respond(text, new byte[0], "");
        }

        private void respond(String before, byte[] piece, String after) throws IOException {
            var start = before.getBytes(ISO_8859_1);
            var end = after.getBytes(ISO_8859_1);
            var bytes = new byte[start.length + piece.length + end.length];
            System.arraycopy(start, 0, bytes, 0, start.length);
            System.arraycopy(piece, 0, bytes, start.length, piece.length);
            System.arraycopy(end, 0, bytes, start.length + piece.length, end.length);
            client.getOutputStream().write(bytes);
        }

        /** The client has gone, or the response is incomplete. */
        private void cancel() {
            var open = watch.read(() -> asked);
            try {
                if (open != null) {
                    open.stream().reset(ErrorCode.CANCEL);
                }
            } catch (IOException e) {
                // The connection has ended.
            }
        }

        private void close() {
            watch.change(() -> isOver = true);
            try {
                client.close();
                wire.close();
            } catch (IOException e) {
                // It is unusable in any case.
            }
        }
    }
}
