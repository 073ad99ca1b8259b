package dev.quire.proxy.listen;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Scheme;
import dev.quire.core.text.Network;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Http2Config;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.exchange.ClientTrust;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client of HTTP/2 that sends raw frames to a connection handler without a socket. */
final class Http2Peer implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    /** A frame that the proxy has sent. */
    record Frame(int type, int flags, int stream, String text) {
        boolean endsStream() {
            return (flags & END_STREAM) != 0;
        }

        byte[] payload() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }

        /** The number at {@code at}. */
        int number(int at) {
            return Unpooled.wrappedBuffer(payload()).getInt(at);
        }

        @Override
        public String toString() {
            return type + "/" + flags + "@" + stream + "[" + text.length() + "]";
        }
    }

    final EmbeddedChannel channel = new EmbeddedChannel();
    final List<Exchange> begun = new ArrayList<>();
    final List<Exchange> finished = new ArrayList<>();
    final List<Exchange> failed = new ArrayList<>();
    final List<Enum<?>> refusals = new ArrayList<>();
    final List<Enum<?>> goAways = new ArrayList<>();
    final List<Enum<?>> resets = new ArrayList<>();
    final LoopConnections siblings;
    private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);

    /** Handles each exchange that begins. */
    Consumer<Exchange> script = exchange -> {};

    /** How many buffers were written since the last {@link #frames()}. */
    int writes;

    private final ExchangeHandler handler = new Handler();
    private final ConnectionRules rules;
    private int nextStream = 1;

    Http2Peer() {
        this(Http2Config.DEFAULTS, Duration.ofSeconds(15), "");
    }

    Http2Peer(Http2Config limits, Duration keepAlive, String trusted) {
        channel.freezeTime();
        siblings = new LoopConnections(channel.eventLoop(), new Traffic());
        rules = rules(limits, keepAlive, trusted);
        var protocols =
                new ClientProtocols(
                        new Arrival(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 40_000),
                                Scheme.HTTP),
                        handler,
                        () -> rules,
                        siblings);
        protocols.http2(channel.pipeline());
        channel.pipeline().fireChannelActive();
        send(Unpooled.copiedBuffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII));
        send(frame(SETTINGS, 0, 0));
        send(frame(SETTINGS, ACK, 0));
    }

    private ConnectionRules rules(Http2Config limits, Duration keepAlive, String trusted) {
        Predicate<InetAddress> isTrusted =
                trusted.isEmpty() ? address -> false : Network.parse(trusted)::contains;
        return new ConnectionRules(
                new Listen(
                        Optional.of(new HostPort("127.0.0.1", 0)),
                        Optional.empty(),
                        Listen.Redirect.OFF,
                        16,
                        keepAlive,
                        0,
                        Optional.empty(),
                        Listen.HalfClose.ANSWER,
                        0,
                        true,
                        limits,
                        List.of(),
                        List.of()),
                LimitsConfig.DEFAULTS,
                Optional::empty,
                method -> false,
                100,
                new ClientTrust(isTrusted, FieldNames.NONE, null),
                () -> Instant.EPOCH,
                new Events());
    }

    ExchangeHandler handler() {
        return handler;
    }

    ConnectionRules rules() {
        return rules;
    }

    private final class Handler implements ExchangeHandler {
        @Override
        public void begin(Exchange exchange) {
            begun.add(exchange);
            try {
                script.accept(exchange);
            } catch (RuntimeException bug) {
                failed(exchange, bug);
            }
        }

        @Override
        public void failed(Exchange exchange, Throwable bug) {
            failed.add(exchange);
            exchange.breakOff();
        }

        @Override
        public void finished(Exchange exchange, long nowNanos) {
            finished.add(exchange);
        }
    }

    private final class Events implements ListenEvents {
        @Override
        public void refused(Refusal refusal) {
            refusals.add(refusal.reason());
        }

        @Override
        public void turnedAway(Enum<?> reason) {}

        @Override
        public void turnedAway(Enum<?> reason, long connections, InetAddress last) {}

        @Override
        public void reset(Side by, @Nullable Enum<?> error) {
            if (by == Side.SERVER && error != null) {
                resets.add(error);
            }
        }

        @Override
        public void goAway(Enum<?> reason) {
            goAways.add(reason);
        }
    }

    /** Sends a response with a body at once. */
    static void answer(Exchange exchange, String text) {
        var to = exchange.response();
        to.head(200).line("Content-Length", Integer.toString(text.length()));
        to.endHead(true);
        var body = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
        to.body(body, 0, body.readableBytes());
        body.release();
        to.end();
    }

    static ByteBuf frame(int type, int flags, int stream, int... payload) {
        var bytes = new byte[payload.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) payload[i];
        }
        return frame(type, flags, stream, Unpooled.wrappedBuffer(bytes));
    }

    static ByteBuf frame(int type, int flags, int stream, ByteBuf payload) {
        var out = Unpooled.buffer();
        out.writeMedium(payload.readableBytes()).writeByte(type).writeByte(flags);
        return out.writeInt(stream).writeBytes(payload);
    }

    /** A header block of literals. */
    static ByteBuf block(String... namesAndValues) {
        var out = Unpooled.buffer();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            literal(out, namesAndValues[i], namesAndValues[i + 1]);
        }
        return out;
    }

    private static void literal(ByteBuf out, String name, String value) {
        out.writeByte(0);
        text(out, name);
        text(out, value);
    }

    private static void text(ByteBuf out, String text) {
        if (text.length() < 127) {
            out.writeByte(text.length());
        } else {
            out.writeByte(127);
            int rest = text.length() - 127;
            while (rest >= 128) {
                out.writeByte((rest & 127) | 128);
                rest >>>= 7;
            }
            out.writeByte(rest);
        }
        out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }

    /** Sends a request without a body; returns its stream. */
    int get(String path, String... more) {
        return request(true, path, more);
    }

    int request(boolean isWhole, String path, String... more) {
        var lines = new ArrayList<>(List.of(":method", isWhole ? "GET" : "POST"));
        lines.addAll(List.of(":scheme", "http", ":authority", "news.example", ":path", path));
        lines.addAll(List.of(more));
        return headers(isWhole, lines.toArray(String[]::new));
    }

    int headers(boolean isWhole, String... lines) {
        int stream = nextStream;
        nextStream += 2;
        send(frame(HEADERS, END_HEADERS | (isWhole ? END_STREAM : 0), stream, block(lines)));
        return stream;
    }

    void data(int stream, int bytes, boolean isLast) {
        send(frame(DATA, isLast ? END_STREAM : 0, stream, Unpooled.buffer().writeZero(bytes)));
    }

    void reset(int stream) {
        send(frame(RST_STREAM, 0, stream, 0, 0, 0, 8));
    }

    void window(int stream, int bytes) {
        send(frame(WINDOW_UPDATE, 0, stream, Unpooled.buffer().writeInt(bytes)));
    }

    /** Sends bytes as one read of the socket. */
    void send(ByteBuf... parts) {
        if (channel.isOpen()) {
            for (var part : parts) {
                channel.pipeline().fireChannelRead(part);
            }
            channel.pipeline().fireChannelReadComplete();
            channel.runPendingTasks();
        }
    }

    /** Lets time pass; limits are checked as if by the loop. */
    void pass(Duration time) {
        channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    /** Returns the frames that the proxy has sent since the last call. */
    List<Frame> frames() {
        var all = Unpooled.buffer();
        writes = 0;
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            if (part.isReadable()) {
                writes++;
            }
            all.writeBytes(part);
            part.release();
        }
        var frames = new ArrayList<Frame>();
        while (all.isReadable()) {
            int length = all.readUnsignedMedium();
            int type = all.readByte();
            int flags = all.readUnsignedByte();
            int stream = all.readInt();
            var text = all.readCharSequence(length, StandardCharsets.ISO_8859_1).toString();
            frames.add(new Frame(type, flags, stream, text));
        }
        return frames;
    }

    /** Returns the frames on {@code stream} since the last call. */
    List<Frame> framesOf(int stream) {
        return frames().stream().filter(frame -> frame.stream() == stream).toList();
    }

    /** Decodes a header block. */
    List<String> lines(Frame frame) throws Http2Exception {
        var lines = new ArrayList<String>();
        for (var line :
                hpack.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.payload()))) {
            lines.add(line.getKey() + ": " + line.getValue());
        }
        return lines;
    }

    /** The error code of the only reset among {@code frames}. */
    static int resetCode(List<Frame> frames) {
        return frames.stream()
                .filter(frame -> frame.type() == RST_STREAM)
                .reduce((first, second) -> {
                    throw new AssertionError("two resets: " + frames);
                })
                .orElseThrow(() -> new AssertionError("no reset: " + frames))
                .number(0);
    }

    /** The error code of the last GOAWAY among {@code frames}. */
    static int goAwayCode(List<Frame> frames) {
        return frames.stream()
                .filter(frame -> frame.type() == GOAWAY)
                .reduce((first, second) -> second)
                .orElseThrow(() -> new AssertionError("no GOAWAY: " + frames))
                .number(4);
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }
}
