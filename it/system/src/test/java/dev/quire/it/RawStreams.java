package dev.quire.it;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A connection of HTTP/2 whose frames are written by hand. Confined to one thread. */
final class RawStreams implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);
    private final Map<Integer, String> statuses = new HashMap<>();
    private final Map<Integer, StringBuilder> bodies = new HashMap<>();
    private final Set<Integer> ended = new HashSet<>();
    private int nextStream = 1;
    private int goAway = -1;

    /**
     * @param windowBytes of each stream
     */
    RawStreams(InetSocketAddress proxy, int windowBytes) throws IOException {
        socket.connect(proxy);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(
                SETTINGS,
                0,
                0,
                bytes(0, 4, windowBytes >> 24, windowBytes >> 16, windowBytes >> 8, windowBytes));
        frame(WINDOW_UPDATE, 0, 0, bytes(0x10, 0, 0, 0));
        send();
    }

    private static byte[] bytes(int... values) {
        var bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /** Adds a frame to those that {@link #send} sends. */
    void frame(int type, int flags, int stream, byte... payload) {
        int length = payload.length;
        out.writeBytes(bytes(length >> 16, length >> 8, length, type, flags));
        out.writeBytes(bytes(stream >> 24, stream >> 16, stream >> 8, stream));
        out.writeBytes(payload);
    }

    void send() throws IOException {
        socket.getOutputStream().write(out.toByteArray());
        out.reset();
    }

    /** Adds a request without a body; returns its stream. */
    int get(String path, String... fields) {
        int stream = nextStream;
        nextStream += 2;
        var block = new ByteArrayOutputStream();
        line(block, ":method", "GET");
        line(block, ":scheme", "http");
        line(block, ":authority", "news.example");
        line(block, ":path", path);
        for (int i = 0; i < fields.length; i += 2) {
            line(block, fields[i], fields[i + 1]);
        }
        frame(HEADERS, 5, stream, block.toByteArray());
        return stream;
    }

    private static void line(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        block.write(name.length());
        block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        block.write(value.length());
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    void reset(int stream) {
        frame(RST_STREAM, 0, stream, (byte) 0, (byte) 0, (byte) 0, (byte) 8);
    }

    void window(int stream, int bytes) {
        frame(WINDOW_UPDATE, 0, stream, bytes(bytes >> 24, bytes >> 16, bytes >> 8, bytes));
    }

    /** Reads until {@code stream} has ended; returns its status and body. */
    String answer(int stream) throws IOException {
        while (!ended.contains(stream)) {
            read();
        }
        return statuses.get(stream) + ' ' + body(stream);
    }

    String body(int stream) {
        var body = bodies.get(stream);
        return body == null ? "" : body.toString();
    }

    /** Reads until the proxy has ended the connection; returns the code of its last GOAWAY. */
    int goAway() throws IOException {
        try {
            while (true) {
                read();
            }
        } catch (EOFException end) {
            return goAway;
        }
    }

    /** Reads one frame. */
    void read() throws IOException {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        var payload = in.readNBytes(length);
        switch (type) {
            case DATA ->
                    bodies.computeIfAbsent(stream, same -> new StringBuilder())
                            .append(new String(payload, StandardCharsets.ISO_8859_1));
            case HEADERS -> statuses.put(stream, status(stream, payload));
            case RST_STREAM -> {
                statuses.put(stream, "reset " + payload[3]);
                ended.add(stream);
            }
            case PING -> {
                if (flags == 0) {
                    frame(PING, 1, 0, payload);
                    send();
                }
            }
            case GOAWAY -> goAway = payload[7];
            default -> {}
        }
        if (type <= HEADERS && (flags & 1) != 0) {
            ended.add(stream);
        }
    }

    private String status(int stream, byte[] block) {
        try {
            return String.valueOf(
                    hpack.decodeHeaders(stream, Unpooled.wrappedBuffer(block)).status());
        } catch (Http2Exception e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
