package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.proxy.exchange.ErrorResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.exchange.Tunnel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/** One request of HTTP/2 and its response. Confined to the connection's loop. */
final class ClientStream {

    /** A response waits for its client from here on. */
    private static final int WATERMARK_BYTES = 64 * 1024;

    private final Http2Handler connection;
    private final Http2Stream netty;
    private final StreamOutput output;
    private final Http2Writer writer;

    /** Null for a refused request, and once the exchange has ended. */
    private @Nullable Exchange exchange;

    private @Nullable Http2Body body;

    /** Null unless the stream has become a tunnel. */
    private @Nullable Tunnel tunnel;

    private @Nullable TunnelStream tunnelStream;

    /** Of the announced length of the body, what has not been received; negative if unknown. */
    private long missingBytes = Sound.CHUNKED;

    /** Whether the client has sent the whole request. */
    private boolean isReceived;

    /** Whether nothing more can be sent. */
    private boolean isOver;

    /** Whether nothing more can be received either. */
    private boolean isGone;

    /** Whether the exchange waits until the client takes more. */
    private boolean isBlocked;

    private final StallTimer stall = new StallTimer();

    ClientStream(Http2Handler connection, Http2Stream netty, boolean isHead, boolean isReceived) {
        this.connection = connection;
        this.netty = netty;
        this.isReceived = isReceived;
        this.output = new StreamOutput(this, connection.out(), connection.budgets());
        this.writer = new Http2Writer(this, isHead);
    }

    Http2Handler connection() {
        return connection;
    }

    Http2Stream netty() {
        return netty;
    }

    int id() {
        return netty.id();
    }

    FrameOutput out() {
        return connection.out();
    }

    StreamOutput output() {
        return output;
    }

    Http2Writer writer() {
        return writer;
    }

    boolean isOpen() {
        return !isOver && connection.isOpen();
    }

    /** Whether the client takes more; if not, the exchange is told when it does. */
    boolean isWritable() {
        boolean isWritable = hasRoom();
        if (!isWritable && !isBlocked && exchange != null) {
            isBlocked = true;
            connection.blocked(this);
        }
        return isWritable;
    }

    private boolean hasRoom() {
        int waits = output.waitingBytes();
        return connection.isWritable()
                && (waits == 0 || (waits < WATERMARK_BYTES && connection.untaken().hasRoom()));
    }

    /** Lets the exchange go on if the client takes more; returns whether it still waits. */
    boolean unblock() {
        if (isOpen() && !hasRoom()) {
            return true;
        }
        isBlocked = false;
        if (tunnelStream != null) {
            tunnelStream.end().writable();
            return false;
        }
        var waiting = exchange;
        if (waiting != null && isOpen()) {
            try {
                waiting.writable();
            } catch (RuntimeException | Error bug) {
                waiting.failed(bug);
            }
        }
        return false;
    }

    /** Begins the exchange of {@code sound}. */
    void begin(Sound sound, ConnectionRules rules, Exchange.Peer peer) {
        missingBytes = isReceived ? 0 : announced(sound);
        writer.mayTunnel(sound.upgrade());
        // An empty body counts once the client has ended it: it may send more than it announced.
        boolean isEmpty = missingBytes == 0 && !isReceived;
        body = sound.hasBody() || isEmpty ? new Http2Body(this, rules, sound) : null;
        var begun =
                new Exchange(
                        sound.head(), body, peer, writer, rules.trust(), connection.exchanges());
        exchange = begun;
        try {
            connection.exchanges().begin(begun);
        } catch (RuntimeException | Error bug) {
            begun.failed(bug);
        }
    }

    private static long announced(Sound sound) {
        return sound.head().fields().contains("content-length") ? sound.bodyBytes() : Sound.CHUNKED;
    }

    /** Answers a request that is refused. */
    void refuse(Refused refused, ConnectionRules rules, Exchange.Peer peer) {
        var head = refused.request().head();
        var id = RequestId.of(head, peer.isTrusted());
        ErrorResponse.send(writer, refused.reason().page(), head.fields(), id, rules.wall().get());
        rules.report(
                refused, id, peer, new Refusal.Response(writer.status(), writer.bodyBytes(), 0));
    }

    /**
     * Receives a part of the body; does not take over a reference. Returns how many bytes the
     * client may send in its place, or -1 if the body is longer than announced.
     */
    int data(ByteBuf data) {
        int bytes = data.readableBytes();
        if (missingBytes >= 0) {
            missingBytes -= bytes;
            if (missingBytes < 0) {
                return -1;
            }
        }
        if (tunnelStream != null) {
            return tunnelStream.data(data);
        }
        var to = body;
        if (to == null || exchange == null) {
            return bytes;
        }
        try {
            return to.data(data);
        } catch (RuntimeException | Error bug) {
            failed(bug);
            return bytes;
        }
    }

    /**
     * The client has sent the whole request. Returns false if the body is shorter than announced.
     */
    boolean received(Fields trailers) {
        if (missingBytes > 0) {
            return false;
        }
        isReceived = true;
        if (tunnelStream != null) {
            tunnelStream.inputEnded();
        }
        if (body != null && exchange != null) {
            try {
                body.end(trailers);
            } catch (RuntimeException | Error bug) {
                failed(bug);
            }
        }
        return true;
    }

    private void failed(Throwable bug) {
        if (exchange == null) {
            throw new IllegalStateException(bug);
        }
        exchange.failed(bug);
    }

    /** The sink has taken bytes that were held. */
    void consumed(int bytes) {
        // The end of the stream gives back everything that was held.
        if (!isGone) {
            connection.consumed(netty, bytes);
        }
    }

    /**
     * Joins the stream with {@code origin} behind a head that has been written. The exchange ends
     * with the tunnel.
     */
    Tunnel tunnel(TunnelEnd origin, TunnelPlace place) {
        var client = new TunnelStream(this);
        tunnelStream = client;
        var joined = Tunnel.join(client.end(), origin, place);
        tunnel = joined;
        return joined;
    }

    /** Closes the tunnel, if it is one. */
    void closeTunnel() {
        if (tunnel != null) {
            tunnel.close();
        }
    }

    /** Whether a tunnel is asked for that does not exist yet. */
    boolean awaitsTunnel() {
        return tunnelStream == null
                && exchange != null
                && writer.upgrade() != null
                && writer.status() == 0;
    }

    /** The response is complete, though the client may not have taken it yet. */
    void endResponse() {
        var answered = leave();
        endOutput();
        finished(answered);
    }

    /** Ends the exchange of a tunnel. */
    void endTunnel() {
        finished(leave());
    }

    /** Ends what is sent, behind everything that waits. */
    void endOutput() {
        if (isOpen()) {
            if (output.isEmpty()) {
                if (!hasTrailers() && !out().endWithLastFrame(id())) {
                    out().data(id(), 0, true);
                }
                ended();
            } else {
                output.endBehindLast();
            }
            connection.flush();
        }
    }

    /** Whether trailers end the stream, not its last DATA. */
    boolean hasTrailers() {
        return writer.hasTrailers();
    }

    /** All bytes of the response have been written. */
    void ended() {
        if (hasTrailers()) {
            writer.writeTrailers();
        }
        isOver = true;
        // A client may send into a tunnel that sends no more.
        boolean isOpenTunnel = tunnelStream != null && !tunnelStream.isClosed();
        connection.ended(this, isReceived || isOpenTunnel);
    }

    /** Breaks off a tunnel behind everything that waits; the client has not caused this reset. */
    void cancelOutput() {
        if (output.isEmpty()) {
            cancel();
        } else {
            output.resetBehindLast();
        }
    }

    /** Everything that waited in front of {@link #cancelOutput()} was sent. */
    void cancel() {
        connection.budgets().completed();
        connection.reset(this, Http2Error.CANCEL);
    }

    /** The client need not send the rest of what it sends into a tunnel. */
    void endInput() {
        if (isOver && !isReceived && connection.isOpen()) {
            connection.reset(this, Http2Error.NO_ERROR);
        }
    }

    /** The response cannot be completed. */
    void abort() {
        var aborted = leave();
        if (isOpen()) {
            // The client has not caused this reset.
            connection.budgets().completed();
            connection.reset(this, Http2Error.INTERNAL_ERROR);
        }
        finished(aborted);
    }

    /**
     * The stream has ended before its response: ends the exchange.
     *
     * @param failure why the body is incomplete
     */
    void gone(Failure failure) {
        isOver = true;
        isGone = true;
        if (tunnelStream != null) {
            tunnelStream.end().gone();
        }
        writer.dropHead();
        var left = exchange;
        exchange = null;
        if (left == null) {
            dropBody(failure);
            return;
        }
        try {
            // Before the exchange is cancelled: the origin must see a reset, not a short body.
            dropBody(failure);
            left.clientGone();
        } catch (RuntimeException | Error bug) {
            left.failed(bug);
        } finally {
            connection.exchanges().finished(left, connection.now());
        }
    }

    private void dropBody(Failure failure) {
        if (body != null) {
            body.broken(failure);
        }
    }

    /** Takes the exchange, which has ended by itself, and needs no more of its body. */
    private @Nullable Exchange leave() {
        var left = exchange;
        exchange = null;
        if (body != null) {
            body.drop();
        }
        return left;
    }

    private void finished(@Nullable Exchange ended) {
        if (ended != null) {
            connection.exchanges().finished(ended, connection.now());
        }
    }

    /** Acts on timeouts that have expired. */
    void check(long nowNanos, ConnectionRules rules) {
        if (tunnel != null) {
            tunnel.check(nowNanos);
        }
        if (tunnelStream != null && !tunnelStream.isClosed()) {
            return;
        }
        if (isStalled(nowNanos, rules.writeStallNanos())) {
            connection.reset(this, Http2Error.CANCEL);
            return;
        }
        if (body != null && exchange != null) {
            long partial = connection.partialData(id());
            if (body.isOverdue(nowNanos - partial * rules.nanosOfBodyByte())) {
                body.broken(ClientFailures.TOO_SLOW);
            }
        }
    }

    /** Whether the client takes too little, and not because others of its streams are busy. */
    private boolean isStalled(long nowNanos, long limitNanos) {
        boolean isWaiting = output.waitingBytes() > 0;
        return stall.isStalled(isWaiting, output.sentBytes(), nowNanos, limitNanos)
                && (connection.untaken().isStalled()
                        || output.windowBytes() < StallTimer.LEAST_BYTES);
    }
}
