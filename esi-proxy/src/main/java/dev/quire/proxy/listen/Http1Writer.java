package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.HeadTemplate;
import dev.quire.proxy.exchange.Http1Text;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.Tunnel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import dev.quire.proxy.listen.Incoming.Sound;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes one HTTP/1.1 response: head, framing, and the decision to keep the connection open. */
final class Http1Writer implements ResponseChannel, HeadLines {

    /** How the client finds the end of the body (RFC 9112 §6.3). */
    private enum Framing {
        /** The head has not been written. */
        NONE,
        /** Content-Length, or a response without a body. */
        LENGTH,
        CHUNKED,
        /** The connection closes after the body. */
        CLOSE
    }

    private static final ByteBuf CHUNK_END = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    private static final int HEAD_BYTES = 512;

    /**
     * Space for fields added to a template: Age, Cache-Status, framing; for a page also its ETag.
     */
    private static final int TAIL_BYTES = 256;

    private final ConnectionHandler connection;
    private final boolean isHead;
    private final boolean isHttp10;
    private final @Nullable UpgradeRequest upgrade;
    private final boolean keepAlive;
    private Framing framing = Framing.NONE;
    private boolean closes;
    private int status;
    private long bodyBytes;
    private long headNanos;

    /** The head while it is being built, else null. */
    private @Nullable ByteBuf head;

    private boolean isBodyAtOnce;
    private Fields trailers = Fields.EMPTY;

    /** Set once the connection has become a tunnel. */
    private @Nullable Tunnel tunnel;

    /**
     * @param keepAlive whether the connection may serve another request
     */
    Http1Writer(ConnectionHandler connection, Sound request, boolean keepAlive) {
        this.connection = connection;
        this.isHead = request.head().isHead();
        this.isHttp10 = request.isHttp10();
        this.upgrade = request.upgrade();
        this.keepAlive = keepAlive;
    }

    /**
     * @param keepAlive whether the connection may serve another request
     */
    Http1Writer(ConnectionHandler connection, RefusedRequest request, boolean keepAlive) {
        this.connection = connection;
        this.isHead = request.head().isHead();
        this.isHttp10 = request.protocol().equals("HTTP/1.0");
        this.upgrade = null;
        this.keepAlive = keepAlive;
    }

    private static ByteBuf constant(String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes).asReadOnly());
    }

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return connection.alloc();
    }

    @Override
    public @Nullable UpgradeRequest upgrade() {
        return upgrade;
    }

    @Override
    public void tunnel(TunnelEnd origin, TunnelPlace place) {
        framing = Framing.LENGTH;
        Http1Text.end(begun());
        writeHead();
        connection.flush();
        tunnel = connection.tunnel(origin, place);
    }

    @Override
    public long tunnelBytes() {
        return tunnel == null ? 0 : tunnel.bytesToOrigin();
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public boolean isHalfClosed() {
        return connection.isHalfClosed();
    }

    /** Whether the connection closes after the response; known once the head has ended. */
    boolean closes() {
        return closes;
    }

    @Override
    public boolean isWritable() {
        return connection.isWritable();
    }

    @Override
    public int status() {
        return framing == Framing.NONE ? 0 : status;
    }

    @Override
    public long bodyBytes() {
        return tunnel == null ? bodyBytes : tunnel.bytesToClient();
    }

    @Override
    public String protocol() {
        return isHttp10 ? "HTTP/1.0" : "HTTP/1.1";
    }

    @Override
    public long headNanos() {
        return headNanos;
    }

    @Override
    public void interim(ResponseHead interim) {
        if (isHttp10 || framing != Framing.NONE) {
            return;
        }
        var out = alloc().directBuffer(HEAD_BYTES);
        Http1Text.status(out, interim.status(), interim.reason());
        interim.fields().forEach((name, value) -> Http1Text.line(out, name, value));
        Http1Text.end(out);
        connection.write(out);
        connection.flush();
    }

    @Override
    public HeadLines head(int code) {
        return head(code, HttpResponseStatus.valueOf(code).reasonPhrase());
    }

    @Override
    public HeadLines head(ResponseHead from) {
        return head(from.status(), from.reason());
    }

    private HeadLines head(int code, String reason) {
        Http1Text.status(begin(code, HEAD_BYTES), code, reason);
        isBodyAtOnce = false;
        return this;
    }

    @Override
    public HeadLines head(int code, HeadTemplate template, boolean inGzip, int bodyBytesAtOnce) {
        isBodyAtOnce = bodyBytesAtOnce > 0 && bodyBytesAtOnce <= Gathering.MAX_COPIED_BYTES;
        int moreBytes = TAIL_BYTES + (isBodyAtOnce ? bodyBytesAtOnce : 0);
        template.writeTo(begin(code, template.length(inGzip) + moreBytes), inGzip);
        return this;
    }

    private ByteBuf begin(int code, int bytes) {
        dropHead();
        var out = alloc().directBuffer(bytes);
        status = code;
        head = out;
        return out;
    }

    @Override
    public void line(CharSequence name, String value) {
        Http1Text.line(begun(), name, value);
    }

    @Override
    public void line(CharSequence name, CharSequence value, long number) {
        Http1Text.line(begun(), name, value, number);
    }

    private ByteBuf begun() {
        if (head == null) {
            throw new IllegalStateException("expected a head that has begun");
        }
        return head;
    }

    @Override
    public void endHead(boolean isLengthKnown) {
        var out = begun();
        if (isLengthKnown || isHead) {
            framing = Framing.LENGTH;
        } else if (isHttp10) {
            framing = Framing.CLOSE;
        } else {
            framing = Framing.CHUNKED;
            Http1Text.line(out, "Transfer-Encoding", "chunked");
        }
        closes = framing == Framing.CLOSE || !keepAlive || connection.isClosing();
        if (closes) {
            Http1Text.line(out, "Connection", "close");
        } else if (isHttp10) {
            Http1Text.line(out, "Connection", "keep-alive");
        }
        Http1Text.end(out);
        // Reading the clock takes as long as writing a few fields.
        headNanos = isBodyAtOnce ? AT_ONCE : connection.now();
        if (!isBodyAtOnce) {
            writeHead();
        }
    }

    private void writeHead() {
        var out = head;
        if (out != null) {
            head = null;
            connection.write(out);
        }
    }

    private void dropHead() {
        if (head != null) {
            head.release();
            head = null;
        }
    }

    @Override
    public void body(ByteBuf data) {
        int bytes = data.readableBytes();
        if (isDropped(bytes)) {
            data.release();
            return;
        }
        chunkBegins(bytes);
        connection.write(data);
        chunkEnds();
    }

    @Override
    public void body(ByteBuf data, Runnable gone) {
        int bytes = data.readableBytes();
        if (isDropped(bytes)) {
            data.release();
            gone.run();
            return;
        }
        chunkBegins(bytes);
        connection.write(data, gone);
        chunkEnds();
    }

    @Override
    public void body(ByteBuf from, int index, int length) {
        if (isDropped(length)) {
            return;
        }
        if (head != null && isBodyAtOnce) {
            // Copying a short body after its head is cheaper than a second buffer.
            head.writeBytes(from, index, length);
            bodyBytes += length;
            writeHead();
        } else {
            body(from.retainedSlice(index, length));
        }
    }

    @Override
    public boolean takesFiles() {
        return connection.arrival().tls() == null;
    }

    @Override
    public void body(FileRegion part) {
        long bytes = part.count();
        if (isDropped(bytes)) {
            part.release();
            return;
        }
        chunkBegins(bytes);
        connection.write(part, bytes);
        chunkEnds();
    }

    @Override
    public void body(Gathering parts) {
        long bytes = parts.bytes();
        if (isDropped(bytes)) {
            parts.drop();
            return;
        }
        chunkBegins(bytes);
        parts.take(connection::write);
        chunkEnds();
    }

    @Override
    public void whenGone(Runnable gone) {
        connection.write(Unpooled.EMPTY_BUFFER, gone);
    }

    @Override
    public void flush() {
        connection.flush();
    }

    @Override
    public void trailers(Fields fields) {
        trailers = fields;
    }

    private ByteBuf lastChunk() {
        var out = alloc().directBuffer(TAIL_BYTES);
        out.writeByte('0');
        Http1Text.end(out);
        trailers.forEach((name, value) -> Http1Text.line(out, name, value));
        Http1Text.end(out);
        return out;
    }

    @Override
    public void end() {
        writeHead();
        if (framing == Framing.CHUNKED) {
            connection.write(trailers.equals(Fields.EMPTY) ? LAST_CHUNK.duplicate() : lastChunk());
        }
        connection.flush();
        connection.finished(!closes);
    }

    @Override
    public void abort() {
        dropHead();
        connection.abort(isHttp10);
    }

    private boolean isDropped(long bytes) {
        return bytes == 0 || isHead;
    }

    private void chunkBegins(long bytes) {
        writeHead();
        bodyBytes += bytes;
        if (framing == Framing.CHUNKED) {
            var size = alloc().directBuffer(18);
            ByteBufUtil.writeAscii(size, Long.toHexString(bytes));
            Http1Text.end(size);
            connection.write(size);
        }
    }

    private void chunkEnds() {
        if (framing == Framing.CHUNKED) {
            connection.write(CHUNK_END.duplicate());
        }
    }
}
