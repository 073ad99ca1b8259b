package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An origin that speaks WebSocket (RFC 6455) on a socket, without a library. The path selects its
 * behaviour. Thread-safe.
 */
final class WebSocketOrigin implements Closeable {
    private static final int CLOSE = 8;
    private static final byte[] PLAIN =
            bytes(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
                            + "Content-Length: 5\r\n\r\nplain");

    private final ServerSocket server = listening();

    /** Null without TLS. */
    private final @Nullable SSLContext tls;

    final List<String> heads = new CopyOnWriteArrayList<>();
    final List<Socket> connections = new CopyOnWriteArrayList<>();
    final AtomicInteger ended = new AtomicInteger();
    final AtomicLong sent = new AtomicLong();
    final AtomicLong received = new AtomicLong();
    final CountDownLatch reading = new CountDownLatch(1);

    WebSocketOrigin() {
        this(null);
    }

    WebSocketOrigin(@Nullable SSLContext tls) {
        this.tls = tls;
        Thread.ofVirtual().start(this::accept);
    }

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI url() {
        var scheme = tls == null ? "http" : "https";
        return URI.create(scheme + "://127.0.0.1:" + server.getLocalPort());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                connections.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket plain) {
        try (plain;
                var socket = tls == null ? plain : over(plain, tls)) {
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            var out = socket.getOutputStream();
            while (answer(plain, socket, in, out)) {
                out.flush();
            }
        } catch (IOException e) {
            // The other side has gone.
        } finally {
            ended.incrementAndGet();
        }
    }

    private static Socket over(Socket plain, SSLContext tls) throws IOException {
        var socket =
                (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
        socket.setUseClientMode(false);
        return socket;
    }

    /** Serves one request. Returns whether another one may follow. */
    private boolean answer(Socket plain, Socket socket, DataInputStream in, OutputStream out)
            throws IOException {
        var head = head(in);
        heads.add(head);
        var path = head.split(" ", 3)[1];
        return switch (path) {
            case "/echo" -> {
                out.write(accepting(head, ""));
                while (echo(in, out)) {}
                yield false;
            }
            case "/either" -> {
                if (!head.toLowerCase(Locale.ROOT).contains("\r\nupgrade: websocket\r\n")) {
                    out.write(PLAIN);
                    yield true;
                }
                out.write(accepting(head, ""));
                while (echo(in, out)) {}
                yield false;
            }
            case "/greeting" -> {
                out.write(accepting(head, "greeting"));
                while (echo(in, out)) {}
                yield false;
            }
            case "/wrong-key" -> {
                out.write(switching("AAAAAAAAAAAAAAAAAAAAAAAAAAA="));
                in.read();
                yield false;
            }
            case "/always-101" -> {
                out.write(switching(accept("dGhlIHNhbXBsZSBub25jZQ==")));
                in.read();
                yield false;
            }
            case "/declines" -> {
                out.write(bytes("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"));
                yield true;
            }
            case "/flood" -> {
                out.write(accepting(head, ""));
                var piece = new byte[64 * 1024];
                for (int i = 0; i < 1024; i++) {
                    out.write(piece);
                    sent.addAndGet(piece.length);
                }
                yield false;
            }
            case "/late-reader" -> {
                out.write(accepting(head, ""));
                await(reading);
                long count = in.skip(Long.MAX_VALUE);
                while (in.read() >= 0) {
                    count += 1 + in.skip(Long.MAX_VALUE);
                }
                out.write(bytes(count + " bytes"));
                yield false;
            }
            case "/answers-at-the-end" -> {
                out.write(accepting(head, ""));
                out.flush();
                received.set(in.readAllBytes().length);
                out.write(new byte[1 << 20]);
                yield false;
            }
            case "/ends-first" -> {
                out.write(accepting(head, "last words"));
                out.flush();
                socket.shutdownOutput();
                received.set(in.readAllBytes().length);
                yield false;
            }
            case "/ticks" -> {
                out.write(accepting(head, ""));
                while (true) {
                    out.write('.');
                    out.flush();
                    LockSupport.parkNanos(10_000_000);
                }
            }
            case "/dies" -> {
                out.write(accepting(head, "last words"));
                yield false;
            }
            case "/resets" -> {
                out.write(accepting(head, ""));
                in.read();
                plain.setSoLinger(true, 0);
                plain.close();
                yield false;
            }
            case "/silent" -> {
                while (in.read() >= 0) {}
                yield false;
            }
            default -> {
                out.write(PLAIN);
                yield true;
            }
        };
    }

    private static String head(DataInputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            head.write(in.readUnsignedByte());
        }
        return head.toString(ISO_8859_1);
    }

    /** Sends one frame back. Returns false after a close frame (RFC 6455 §5.2). */
    private static boolean echo(DataInputStream in, OutputStream out) throws IOException {
        int first = in.readUnsignedByte();
        int second = in.readUnsignedByte();
        long length = second & 0x7f;
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        var mask = new byte[4];
        in.readFully(mask);
        var payload = new byte[(int) length];
        in.readFully(payload);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i % 4];
        }
        var frame = new ByteArrayOutputStream();
        // A ping is answered with a pong.
        frame.write(first == 0x89 ? 0x8a : first);
        if (length < 126) {
            frame.write((int) length);
        } else if (length < 65_536) {
            frame.write(126);
            frame.write((int) (length >> 8));
            frame.write((int) length);
        } else {
            frame.write(127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                frame.write((int) (length >> shift));
            }
        }
        frame.write(payload);
        out.write(frame.toByteArray());
        out.flush();
        return (first & 0x0f) != CLOSE;
    }

    private static byte[] accepting(String head, String behind) {
        var key =
                head.lines()
                        .filter(line -> line.regionMatches(true, 0, "sec-websocket-key:", 0, 18))
                        .map(line -> line.substring(18).strip())
                        .findFirst()
                        .orElseThrow();
        return bytes(new String(switching(accept(key)), ISO_8859_1) + behind);
    }

    private static byte[] switching(String accept) {
        return bytes(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n"
                        + "Connection: keep-alive, Upgrade\r\nSet-Cookie: s=1\r\n"
                        + "Sec-WebSocket-Accept: "
                        + accept
                        + "\r\n\r\n");
    }

    static String accept(String key) {
        try {
            return Base64.getEncoder()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-1")
                                    .digest(bytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (var connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
