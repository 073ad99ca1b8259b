package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.HeadTemplate;
import dev.quire.proxy.exchange.Hpack;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.Tunnel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/** Writes one response of HTTP/2: its head in HPACK, its body as far as the windows allow. */
final class Http2Writer implements ResponseChannel, HeadLines {
    private static final int SWITCHING = 101;
    private static final int OK = 200;
    private static final int BAD_GATEWAY = 502;

    private final ClientStream stream;
    private final boolean isHead;
    private boolean hasHead;
    private int status;
    private long bodyBytes;
    private long headNanos;
    private boolean isBodyAtOnce;
    private boolean isSwitching;

    private @Nullable UpgradeRequest upgrade;
    private Fields trailers = Fields.EMPTY;

    /** Set once the stream has become a tunnel. */
    private @Nullable Tunnel tunnel;

    /** The header block while it is being built, else null. */
    private @Nullable ByteBuf block;

    /**
     * @param isHead whether it is a response to HEAD
     */
    Http2Writer(ClientStream stream, boolean isHead) {
        this.stream = stream;
        this.isHead = isHead;
    }

    @Override
    public EventLoop loop() {
        return stream.connection().loop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return stream.connection().alloc();
    }

    /** Sets the request for a tunnel, or null. */
    void mayTunnel(@Nullable UpgradeRequest asked) {
        upgrade = asked;
    }

    @Override
    public @Nullable UpgradeRequest upgrade() {
        return upgrade;
    }

    @Override
    public void tunnel(TunnelEnd origin, TunnelPlace place) {
        endHead(true);
        flush();
        tunnel = stream.tunnel(origin, place);
    }

    @Override
    public long tunnelBytes() {
        return tunnel == null ? 0 : tunnel.bytesToOrigin();
    }

    @Override
    public boolean isOpen() {
        return stream.isOpen();
    }

    @Override
    public boolean isWritable() {
        return stream.isWritable();
    }

    @Override
    public int status() {
        return hasHead ? status : 0;
    }

    @Override
    public long bodyBytes() {
        return tunnel == null ? bodyBytes : tunnel.bytesToClient();
    }

    @Override
    public String protocol() {
        return RefusedRequest.HTTP_2;
    }

    @Override
    public long headNanos() {
        return headNanos;
    }

    @Override
    public void interim(ResponseHead interim) {
        // 101 does not exist in HTTP/2 (RFC 9113 §8.6).
        if (hasHead || !stream.isOpen() || interim.status() == 101) {
            return;
        }
        var out = stream.out().beginHead();
        Hpack.status(out, interim.status());
        interim.fields().forEach((name, value) -> Hpack.line(out, name, value));
        stream.out().endHead(stream.id());
        stream.connection().flush();
    }

    @Override
    public HeadLines head(int code) {
        isBodyAtOnce = false;
        var out = begin(code);
        if (out != null) {
            Hpack.status(out, sent(code));
        }
        return this;
    }

    /**
     * The status for the client: in place of 101 the stream is accepted by 200, which any other
     * response must not seem to do (RFC 8441 §5).
     */
    private int sent(int code) {
        if (code == SWITCHING) {
            return OK;
        }
        return upgrade != null && code / 100 == 2 ? BAD_GATEWAY : code;
    }

    @Override
    public HeadLines head(ResponseHead from) {
        return head(from.status());
    }

    @Override
    public HeadLines head(int code, HeadTemplate template, boolean inGzip, int bodyBytesAtOnce) {
        isBodyAtOnce = bodyBytesAtOnce > 0 && bodyBytesAtOnce <= Gathering.MAX_COPIED_BYTES;
        var out = begin(code);
        if (out != null) {
            if (sent(code) == code) {
                template.writeHpackTo(out, inGzip);
            } else {
                Hpack.status(out, sent(code));
                template.writeTo(this, inGzip);
            }
        }
        return this;
    }

    private @Nullable ByteBuf begin(int code) {
        dropHead();
        status = code == SWITCHING ? code : sent(code);
        isSwitching = code == SWITCHING;
        block = stream.isOpen() ? stream.out().beginHead() : null;
        return block;
    }

    /** Drops a head that has begun. */
    void dropHead() {
        if (block != null) {
            stream.out().dropHead();
            block = null;
        }
    }

    @Override
    public void line(CharSequence name, String value) {
        if (block != null && !(isSwitching && isOfHandshake(name))) {
            Hpack.line(block, name, value);
        }
    }

    /** The fields of the switch in HTTP/1.1, which HTTP/2 does not have. */
    private static boolean isOfHandshake(CharSequence name) {
        return AsciiString.contentEqualsIgnoreCase(name, "connection")
                || AsciiString.contentEqualsIgnoreCase(name, "upgrade")
                || AsciiString.contentEqualsIgnoreCase(name, "sec-websocket-accept");
    }

    @Override
    public void line(CharSequence name, CharSequence value, long number) {
        if (block != null) {
            Hpack.line(block, name, value, number);
        }
    }

    @Override
    public void endHead(boolean isLengthKnown) {
        hasHead = true;
        // Reading the clock takes as long as writing a few fields.
        headNanos = isBodyAtOnce ? AT_ONCE : stream.connection().now();
        if (block != null) {
            block = null;
            stream.out().endHead(stream.id());
            stream.netty().headersSent(false);
        }
    }

    @Override
    public void body(ByteBuf data) {
        if (isDropped(data.readableBytes())) {
            data.release();
        } else {
            bodyBytes += data.readableBytes();
            stream.output().add(data, null);
        }
    }

    @Override
    public void body(ByteBuf data, Runnable gone) {
        if (isDropped(data.readableBytes())) {
            data.release();
            gone.run();
        } else {
            bodyBytes += data.readableBytes();
            stream.output().add(data, gone);
        }
    }

    @Override
    public void body(ByteBuf from, int index, int length) {
        if (!isDropped(length)) {
            bodyBytes += length;
            stream.output().add(from, index, length);
        }
    }

    @Override
    public void body(Gathering parts) {
        if (isDropped(parts.bytes())) {
            parts.drop();
        } else {
            bodyBytes += parts.bytes();
            parts.take(part -> stream.output().add(part, null));
        }
    }

    @Override
    public void whenGone(Runnable gone) {
        if (!stream.isOpen()) {
            gone.run();
        } else if (stream.output().isEmpty()) {
            stream.connection().whenGone(gone);
        } else {
            stream.output().add(Unpooled.EMPTY_BUFFER, gone);
        }
    }

    @Override
    public void flush() {
        stream.connection().flush();
    }

    @Override
    public void trailers(Fields fields) {
        trailers = fields;
    }

    boolean hasTrailers() {
        return !isHead && !trailers.equals(Fields.EMPTY);
    }

    /** Writes the trailers, which end the stream. */
    void writeTrailers() {
        var out = stream.out().beginHead();
        trailers.forEach((name, value) -> Hpack.line(out, name, value));
        stream.out().endHead(stream.id());
        stream.out().endWithLastFrame(stream.id());
    }

    @Override
    public void end() {
        stream.endResponse();
    }

    @Override
    public void abort() {
        dropHead();
        stream.abort();
    }

    private boolean isDropped(long bytes) {
        return bytes == 0 || isHead || !stream.isOpen();
    }
}
