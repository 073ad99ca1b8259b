package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.test.wire.internal.Excerpt;
import dev.quire.test.wire.internal.Watch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.IntUnaryOperator;

/**
 * One client connection on which the test controls every byte. Requests are sent as given;
 * responses are parsed strictly, one by one. An invalid HTTP/1.1 response, or one that does not
 * arrive in time, is an {@link AssertionError}. One thread.
 */
public final class HttpWire implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String authority;
    private final WireReader reader;
    private final Queue<String> methodsAsked = new ArrayDeque<>();
    private IntUnaryOperator portAtServer = IntUnaryOperator.identity();

    /**
     * @param authority the value of {@code Host} in requests
     */
    HttpWire(Socket socket, String authority) throws IOException {
        this.socket = socket;
        this.authority = authority;
        in = socket.getInputStream();
        out = socket.getOutputStream();
        reader = new WireReader(this::read);
    }

    public static HttpWire to(InetSocketAddress address) {
        return to(address, new Socket());
    }

    /** A connection of {@code socket}, for example a narrow one; connects it unless it is. */
    public static HttpWire to(InetSocketAddress address, Socket socket) {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) Watch.PATIENCE.toMillis());
            if (address.isUnresolved()) {
                throw new UnknownHostException(address.getHostString());
            }
            if (!socket.isConnected()) {
                socket.connect(address, (int) Watch.PATIENCE.toMillis());
            }
            return new HttpWire(socket, address.getHostString() + ":" + address.getPort());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect to " + address, e);
        }
    }

    /** The port of the client as the server sees it. */
    public int localPort() {
        return portAtServer.applyAsInt(socket.getLocalPort());
    }

    /** This connection to a bridge, which connects to the server from another port. */
    HttpWire behind(IntUnaryOperator bridge) {
        portAtServer = bridge;
        return this;
    }

    public Response get(String target, String... fields) {
        return request("GET", target, fields).response();
    }

    /**
     * Sends a request without a body.
     *
     * @param fields names and values alternating; {@code Host} is added if absent
     */
    public HttpWire request(String method, String target, String... fields) {
        return send(head(method, target, fields).append("\r\n").toString());
    }

    /** Sends a request with a body and its {@code Content-Length}. */
    public HttpWire request(String method, String target, byte[] body, String... fields) {
        var head = head(method, target, fields);
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        send(head.toString());
        return send(body);
    }

    /** Sends {@code request} without the fields of its own connection, and with {@code more}. */
    public HttpWire request(Request request, String... more) {
        var lines = new ArrayList<String>();
        request.fields()
                .without(Request::isOfConnection)
                .forEach((name, value) -> lines.addAll(List.of(name, value)));
        lines.addAll(List.of(more));
        var fields = lines.toArray(String[]::new);
        return request.body().length() == 0
                ? request(request.method(), request.target(), fields)
                : request(request.method(), request.target(), request.body().bytes(), fields);
    }

    /** Sends these bytes unchanged, one for each char (ISO 8859-1). */
    public HttpWire send(String bytes) {
        return send(bytes.getBytes(ISO_8859_1));
    }

    public HttpWire send(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(
                    "expected the connection to accept " + bytes.length + " bytes, but " + e, e);
        }
        return this;
    }

    /** Closes the sending side; responses may still arrive. */
    public HttpWire halfClose() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot half-close", e);
        }
        return this;
    }

    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reset", e);
        }
    }

    /** Waits for the next byte or for any end of the connection; returns whether it has ended. */
    public boolean awaitEnded() {
        try {
            return reader.isAtEnd();
        } catch (IOException e) {
            if (isReset(e)) {
                return true;
            }
            throw new AssertionError("expected a byte or an end of the connection, but " + e, e);
        }
    }

    public ArrivingResponse begin() {
        try {
            return readHead();
        } catch (IOException e) {
            throw new AssertionError(
                    "expected a response, but %s; unread: %s"
                            .formatted(e.getMessage(), Excerpt.of(reader.unread())),
                    e);
        }
    }

    public Response response() {
        return begin().finish();
    }

    /** Waits for the peer to close the connection; a byte before that is an error. */
    public void awaitClosed() {
        if (!awaitEnded()) {
            throw new AssertionError(
                    "expected the connection to close, found " + Excerpt.of(reader.unread()));
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close", e);
        }
    }

    static boolean isReset(IOException e) {
        return e instanceof SocketException;
    }

    private StringBuilder head(String method, String target, String... fields) {
        methodsAsked.add(method);
        var head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        var lines = Fields.of(fields);
        if (!lines.contains("Host")) {
            head.append("Host: ").append(authority).append("\r\n");
        }
        lines.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head;
    }

    private ArrivingResponse readHead() throws IOException {
        var interims = new ArrayList<ResponseHead>();
        while (true) {
            var line = reader.line();
            if (!line.matches("HTTP/1\\.[01] [1-9][0-9]{2} [\\t\\x20-\\x7e\\x80-\\xff]*")) {
                throw new WireFault("a status line", line);
            }
            int status = Integer.parseInt(line.substring(9, 12));
            var head = new ResponseHead(status, line.substring(13), reader.fields());
            if (status >= 200) {
                var method = methodsAsked.isEmpty() ? "GET" : methodsAsked.remove();
                var body = bodyOf(head, method);
                return new ArrivingResponse(line.substring(0, 8), head, interims, body);
            }
            interims.add(head);
        }
    }

    private BodyReader bodyOf(ResponseHead head, String method) throws WireFault {
        var framed = BodyReader.ofResponse(reader, head.fields());
        if (head.status() == 204 && !framed.isUntilClose()) {
            throw new WireFault("a 204 without framing", head.fields().all("Content-Length") + "");
        }
        boolean bodiless = head.status() == 204 || head.status() == 304 || method.equals("HEAD");
        return bodiless ? BodyReader.none(reader) : framed;
    }

    private int read(byte[] into, int offset, int length) throws IOException {
        try {
            return in.read(into, offset, length);
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "nothing received for " + Watch.PATIENCE.toSeconds() + " seconds", e);
        }
    }
}
