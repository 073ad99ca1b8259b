package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.ReceivedRequest;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** A connection that takes bytes slowly, or in small pieces. Used on the answer's own thread. */
public final class SlowLine extends FilterOutputStream {
    private final int pieceBytes;
    private final Runnable pause;

    private SlowLine(OutputStream out, int pieceBytes, Runnable pause) {
        super(out);
        this.pieceBytes = pieceBytes;
        this.pause = pause;
    }

    /** Writes pieces of {@code bytes} bytes, head included. */
    public static UnaryOperator<OutputStream> dripping(int bytes) {
        return out -> new SlowLine(out, bytes, () -> {});
    }

    /** Writes {@code bytesPerSecond}, by the machine's clock, in pieces of {@code bytes} bytes. */
    static UnaryOperator<OutputStream> of(int bytesPerSecond, int bytes) {
        var pause = Duration.ofNanos(TimeUnit.SECONDS.toNanos(bytes) / bytesPerSecond);
        return out -> new SlowLine(out, bytes, () -> LockSupport.parkNanos(pause.toNanos()));
    }

    /** A reader whose kernel buffers only about {@code bytes} of unread data. */
    static HttpWire narrowTo(InetSocketAddress address, int bytes) {
        var socket = new Socket();
        try {
            socket.setReceiveBufferSize(bytes);
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
        return HttpWire.to(address, socket);
    }

    /** Writes an interim response at once, even while the answer is held. */
    static UnaryOperator<OutputStream> afterInterim(String lines) {
        return out -> {
            try {
                out.write(("HTTP/1.1 " + lines + "\r\n\r\n").getBytes(UTF_8));
                return out;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /**
     * Waits until the origin has written no byte of its answer to {@code request} for {@code
     * quiet}, and returns the number of bytes written.
     */
    static long awaitStalled(ReceivedRequest request, Duration quiet) {
        long before;
        do {
            before = request.writtenBytes();
            LockSupport.parkNanos(quiet.toNanos());
        } while (request.writtenBytes() > before);
        return before;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int at = 0; at < length; at += pieceBytes) {
            pause.run();
            out.write(bytes, offset + at, Math.min(pieceBytes, length - at));
        }
    }
}
