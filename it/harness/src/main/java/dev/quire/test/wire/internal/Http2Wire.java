package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One client connection of HTTP/2 on which the test controls every byte. Requests are {@link
 * Http2Stream}s; {@link #send(WireFrame)} sends any other frame, valid or not. A virtual thread
 * reads what the server sends. Waits are limited by {@link Watch#PATIENCE}. Thread-safe.
 */
public final class Http2Wire implements AutoCloseable {
    /** The last part of the preface (RFC 9113 §3.4). */
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    static final int INITIAL_WINDOW = 65_535;
    private static final int INITIAL_WINDOW_SETTING = 4;
    private static final int FRAME_SIZE_SETTING = 5;

    private final Watch watch = new Watch();
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String scheme;
    private final String authority;
    private final boolean grants;
    private final long window;
    private final boolean acknowledges;
    private final boolean isPatient;
    private final ReentrantLock writing = new ReentrantLock();
    private final BlockingQueue<WireFrame> replies = new LinkedBlockingQueue<>();
    private final ReceivedFields decoder = new ReceivedFields();

    private final Map<Integer, Http2Stream> streams = new HashMap<>();
    private final Map<Integer, ErrorCode> resets = new HashMap<>();
    private final Map<Integer, Long> settings = new HashMap<>();
    private final List<WireFrame> goAways = new ArrayList<>();
    private Runnable atEnd = () -> {};
    private int nextStream = 1;
    private long room = INITIAL_WINDOW;
    private long initialRoom = INITIAL_WINDOW;
    private int largestFrame = 16_384;
    private int acknowledgements;
    private long received;
    private int ungranted;
    private boolean hasSettings;
    private @Nullable String ended;

    /** The block of fields that is arriving. Used by the reading thread. */
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();

    private boolean isLast;

    Http2Wire(Socket socket, Http2Setup setup) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        scheme = setup.scheme();
        authority = setup.authority();
        grants = setup.grants();
        window = setup.setting(INITIAL_WINDOW_SETTING, INITIAL_WINDOW);
        acknowledges = setup.acknowledges();
        isPatient = setup.isPatient();
        send(PREFACE.getBytes(US_ASCII));
        send(WireFrame.settings(setup.settings()));
        Thread.ofVirtual().name("http2-read").start(this::read);
        Thread.ofVirtual().name("http2-reply").start(this::reply);
    }

    Watch watch() {
        return watch;
    }

    boolean grants() {
        return grants;
    }

    /** The window of each stream that the server may fill. */
    long window() {
        return window;
    }

    /** The scheme of its requests. */
    public String scheme() {
        return scheme;
    }

    public int localPort() {
        return socket.getLocalPort();
    }

    /** Runs {@code what} after GOAWAY and once the connection has ended. */
    public void whenEnding(Runnable what) {
        watch.change(() -> atEnd = what);
        if (watch.read(() -> ended != null || !goAways.isEmpty())) {
            what.run();
        }
    }

    // Requests.

    /** Sends a request without a body. */
    public Http2Stream get(String path, String... fields) throws IOException {
        return request("GET", path, fields);
    }

    /** Sends a request without a body. */
    public Http2Stream request(String method, String path, String... fields) throws IOException {
        return open(FieldBlock.request(method, scheme, authority, path, fields), true);
    }

    /** Sends the head of a request whose body follows by {@link Http2Stream#send}. */
    public Http2Stream begin(String method, String path, String... fields) throws IOException {
        return open(FieldBlock.request(method, scheme, authority, path, fields), false);
    }

    /**
     * Opens the next stream with any block of fields, in frames of the size that the peer reads.
     */
    public Http2Stream open(byte[] fields, boolean isComplete) throws IOException {
        // One thread at a time: numbers of streams must increase on the wire.
        writing.lock();
        try {
            var stream = newStream();
            int most = watch.read(() -> largestFrame);
            int first = Math.min(most, fields.length);
            var bytes = new ByteArrayOutputStream();
            int flags =
                    (first == fields.length ? WireFrame.END_HEADERS : 0)
                            | (isComplete ? WireFrame.END_STREAM : 0);
            bytes.writeBytes(
                    WireFrame.of(WireFrame.HEADERS, flags, stream.id(), slice(fields, 0, first))
                            .bytes());
            for (int at = first; at < fields.length; at += most) {
                int end = Math.min(fields.length, at + most);
                bytes.writeBytes(
                        WireFrame.continuation(
                                        stream.id(), slice(fields, at, end), end == fields.length)
                                .bytes());
            }
            send(bytes.toByteArray());
            return stream;
        } finally {
            writing.unlock();
        }
    }

    /** The next stream, without sending a byte: for frames that the test sends itself. */
    public Http2Stream newStream() {
        var opened = new Http2Stream[1];
        watch.change(() -> {
            opened[0] = new Http2Stream(this, nextStream, initialRoom);
            streams.put(nextStream, opened[0]);
            if (ended != null) {
                opened[0].broken(ended);
            }
            nextStream += 2;
        });
        return opened[0];
    }

    private static byte[] slice(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    // Frames.

    public Http2Wire send(WireFrame frame) throws IOException {
        return send(frame.bytes());
    }

    /** Sends these bytes unchanged. */
    public Http2Wire send(byte[] bytes) throws IOException {
        writing.lock();
        try {
            out.write(bytes);
            out.flush();
        } finally {
            writing.unlock();
        }
        return this;
    }

    /**
     * Sends these frames until the connection ends, in writes of some kilobytes. Returns whether it
     * accepted all of them.
     */
    public boolean flood(int times, IntFunction<byte[]> frames) {
        var some = new ByteArrayOutputStream();
        try {
            for (int i = 0; i < times && !hasEnded(); i++) {
                some.writeBytes(frames.apply(i));
                if (some.size() > 4096) {
                    send(some.toByteArray());
                    some.reset();
                }
            }
            send(some.toByteArray());
        } catch (IOException refused) {
            return false;
        }
        return !hasEnded();
    }

    /** Sends PING and waits for its acknowledgement: the server has read all frames before it. */
    public void ping() throws IOException {
        int before = watch.read(() -> acknowledgements);
        send(WireFrame.ping(before));
        await(() -> acknowledgements > before || ended != null, "an acknowledged PING");
        if (watch.read(() -> acknowledgements <= before)) {
            throw new IOException("expected an acknowledged PING, but " + watch.read(() -> ended));
        }
    }

    // The received frames.

    /** A setting that the server announced, once its SETTINGS have arrived; -1 if absent. */
    public long setting(int id) throws IOException {
        await(() -> hasSettings || ended != null, "SETTINGS");
        return watch.read(() -> settings.getOrDefault(id, -1L));
    }

    /** The codes of the streams that the server has reset, by their numbers. */
    public Map<Integer, ErrorCode> resets() {
        return watch.read(() -> Map.copyOf(resets));
    }

    /** Waits for GOAWAY or the end of the connection; null if it ended without GOAWAY. */
    public @Nullable ErrorCode awaitGoAway() {
        await(() -> !goAways.isEmpty() || ended != null, "GOAWAY");
        return goAway();
    }

    /** The code of the last GOAWAY so far, or null. */
    public @Nullable ErrorCode goAway() {
        return watch.read(
                () -> goAways.isEmpty() ? null : ErrorCode.of(goAways.getLast().number(4)));
    }

    /** The last streams of each GOAWAY so far. */
    public List<Integer> lastStreams() {
        return watch.read(() -> goAways.stream().map(frame -> frame.number(0)).toList());
    }

    public boolean hasEnded() {
        return watch.read(() -> ended != null);
    }

    /** Waits until the server has closed the connection. */
    public void awaitEnded() {
        await(() -> ended != null, "the end of the connection");
    }

    /** Bytes of DATA frames so far, with their padding. */
    public long received() {
        return watch.read(() -> received);
    }

    void await(BooleanSupplier reached, String what) {
        if (isPatient) {
            watch.awaitChange(reached);
        } else {
            watch.await(
                    reached,
                    () ->
                            "expected %s, found %s, resets %s, %s"
                                    .formatted(
                                            what,
                                            goAways,
                                            resets,
                                            ended == null ? "an open connection" : ended));
        }
    }

    // Sending, with flow control.

    void sendData(Http2Stream stream, byte[] bytes, boolean isComplete) throws IOException {
        int at = 0;
        do {
            int piece = reserve(stream, bytes.length - at);
            boolean isEnd = at + piece == bytes.length;
            send(WireFrame.data(stream.id(), slice(bytes, at, at + piece), isEnd && isComplete));
            at += piece;
        } while (at < bytes.length);
    }

    /** Waits for the windows of the stream and of the connection. */
    private int reserve(Http2Stream stream, int wanted) throws IOException {
        if (wanted == 0) {
            return 0;
        }
        while (true) {
            await(() -> (room > 0 && stream.room > 0) || stream.isBroken(), "an open window");
            var piece = new int[1];
            watch.change(() -> {
                if (!stream.isBroken() && room > 0 && stream.room > 0) {
                    piece[0] =
                            (int)
                                    Math.min(
                                            Math.min(wanted, largestFrame),
                                            Math.min(room, stream.room));
                    room -= piece[0];
                    stream.room -= piece[0];
                }
            });
            if (piece[0] > 0) {
                return piece[0];
            }
            if (watch.read(stream::isBroken)) {
                throw new IOException("the server does not read the body: " + stream);
            }
        }
    }

    // Reading.

    private void read() {
        String why = "the server closed the connection";
        try {
            for (var frame = WireFrame.read(in); frame != null; frame = WireFrame.read(in)) {
                receive(frame);
            }
        } catch (IOException e) {
            why = "the connection ended: " + e.getMessage();
        } finally {
            var last = why;
            watch.change(() -> {
                ended = last;
                streams.values().forEach(stream -> stream.broken(last));
            });
            replies.add(WireFrame.settingsAck());
            watch.read(() -> atEnd).run();
        }
    }

    private void receive(WireFrame frame) throws IOException {
        switch (frame.type()) {
            case WireFrame.DATA -> data(frame);
            case WireFrame.HEADERS, WireFrame.CONTINUATION -> fields(frame);
            case WireFrame.RST_STREAM ->
                    watch.change(() -> {
                        var code = ErrorCode.of(frame.number(0));
                        resets.put(frame.stream(), code);
                        var stream = streams.get(frame.stream());
                        if (stream != null) {
                            stream.wasReset(code);
                        }
                    });
            case WireFrame.SETTINGS -> {
                if (!frame.has(WireFrame.ACK)) {
                    settings(frame.payload());
                }
            }
            case WireFrame.PING -> {
                if (frame.has(WireFrame.ACK)) {
                    watch.change(() -> acknowledgements++);
                } else if (acknowledges) {
                    replies.add(WireFrame.of(WireFrame.PING, WireFrame.ACK, 0, frame.payload()));
                }
            }
            case WireFrame.GOAWAY -> {
                watch.change(() -> goAways.add(frame));
                watch.read(() -> atEnd).run();
            }
            case WireFrame.WINDOW_UPDATE -> windowUpdate(frame);
            default -> {
                // Unknown frames are ignored (RFC 9113 §5.5).
            }
        }
    }

    private void data(WireFrame frame) {
        watch.change(() -> {
            received += frame.length();
            var stream = streams.get(frame.stream());
            if (stream != null) {
                stream.arrived(frame.content(), frame.has(WireFrame.END_STREAM));
            }
        });
        // A frame of its own for each small piece would be a flood.
        ungranted += frame.length();
        if (grants && ungranted >= INITIAL_WINDOW / 2) {
            replies.add(WireFrame.windowUpdate(0, ungranted));
            ungranted = 0;
        }
    }

    private void fields(WireFrame frame) throws IOException {
        if (frame.type() == WireFrame.HEADERS) {
            block.reset();
            isLast = frame.has(WireFrame.END_STREAM);
        }
        block.writeBytes(frame.content());
        if (frame.has(WireFrame.END_HEADERS)) {
            var decoded = decoder.decoded(frame.stream(), block.toByteArray());
            watch.change(() -> {
                var stream = streams.get(frame.stream());
                if (stream != null) {
                    stream.arrived(decoded, isLast);
                }
            });
        }
    }

    private void settings(byte[] payload) {
        var pairs = ByteBuffer.wrap(payload);
        watch.change(() -> {
            while (pairs.remaining() >= 6) {
                int id = pairs.getShort();
                long value = pairs.getInt() & 0xffff_ffffL;
                settings.put(id, value);
                if (id == INITIAL_WINDOW_SETTING) {
                    streams.values().forEach(stream -> stream.room += value - initialRoom);
                    initialRoom = value;
                } else if (id == FRAME_SIZE_SETTING) {
                    largestFrame = (int) value;
                }
            }
            hasSettings = true;
        });
        if (acknowledges) {
            replies.add(WireFrame.settingsAck());
        }
    }

    private void windowUpdate(WireFrame frame) {
        watch.change(() -> {
            var stream = streams.get(frame.stream());
            if (frame.stream() == 0) {
                room += frame.number(0);
            } else if (stream != null) {
                stream.room += frame.number(0);
            }
        });
    }

    void reply(WireFrame frame) {
        replies.add(frame);
    }

    /** Sends what the reading thread must not wait for. */
    private void reply() {
        try {
            while (!hasEnded()) {
                send(replies.take());
            }
        } catch (IOException e) {
            // The reading thread notices the end as well.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void forget(Http2Stream stream) {
        watch.change(() -> streams.remove(stream.id(), stream));
    }

    /** Ends the connection with RST. */
    public void abort() throws IOException {
        socket.setSoLinger(true, 0);
        close();
    }

    /** Closes the connection without GOAWAY. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
