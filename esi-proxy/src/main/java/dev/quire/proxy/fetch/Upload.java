package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.TrailerFields;
import dev.quire.proxy.exchange.RequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Sends one request, head and body, with back-pressure from the connection. */
final class Upload implements RequestBody.Sink {

    enum State {
        /** The head was sent; the body waits for 100 (Continue) or for the timeout. */
        CONTINUE_AWAITED,
        /** The body is being streamed from the client. */
        FLOWING,
        /** The last part was written and is not flushed yet. */
        FLUSHING,
        /** All bytes were passed to the operating system. */
        SENT,
        /** Stopped before its end: the connection cannot carry another request. */
        STOPPED
    }

    private final OriginConnection connection;
    private final Channel channel;
    private final @Nullable RequestBody body;
    private final FieldNames named;
    private Fields trailers = Fields.EMPTY;
    private long remaining;
    private boolean paused;
    private boolean hasAwaitedClient;
    private State state;

    /**
     * @param named the trailer fields that are sent; only behind a chunked body
     */
    Upload(
            OriginConnection connection,
            Channel channel,
            @Nullable RequestBody body,
            FieldNames named) {
        this.connection = connection;
        this.channel = channel;
        this.body = body;
        this.named = named;
        this.remaining = body == null ? 0 : body.length();
        state = startOf(body);
    }

    private static State startOf(@Nullable RequestBody body) {
        if (body == null) {
            return State.FLUSHING;
        }
        return body.expectsContinue() ? State.CONTINUE_AWAITED : State.FLOWING;
    }

    State state() {
        return state;
    }

    /** Whether the client has not sent the next part, though the origin would take it. */
    boolean awaitsClient() {
        return hasAwaitedClient || (state == State.FLOWING && !paused);
    }

    /** Writes the head, and then the body unless it waits for 100 (Continue). */
    void start(HttpRequest head) {
        if (body == null) {
            channel.write(head);
            writeLast();
            return;
        }
        channel.writeAndFlush(head).addListener(this::partWritten);
        if (state == State.FLOWING) {
            body.flowTo(this);
        }
    }

    /**
     * Sends the body after 100 (Continue), or after waiting long enough for it (RFC 9110 §10.1.1).
     */
    void goOn() {
        if (state == State.CONTINUE_AWAITED && body != null) {
            state = State.FLOWING;
            body.flowTo(this);
        }
    }

    /** The origin has answered: a body that is still waiting will not be sent. */
    void answered() {
        if (state == State.CONTINUE_AWAITED) {
            state = State.STOPPED;
        }
    }

    /** Stops sending the body; further data is dropped. */
    void stop() {
        boolean flowing = state == State.FLOWING;
        hasAwaitedClient = awaitsClient();
        if (state != State.SENT) {
            state = State.STOPPED;
        }
        if (flowing && body != null) {
            body.pause();
        }
    }

    void writabilityChanged() {
        if (state != State.FLOWING || body == null) {
            return;
        }
        if (paused && channel.isWritable()) {
            paused = false;
            body.resume();
        } else if (!paused && !channel.isWritable()) {
            paused = true;
            body.pause();
        }
    }

    @Override
    public void data(ByteBuf data) {
        if (state != State.FLOWING || !data.isReadable()) {
            data.release();
            return;
        }
        if (body != null && body.length() >= 0) {
            remaining -= data.readableBytes();
            if (remaining < 0) {
                data.release();
                connection.uploadBroken(cancelled("request body longer than its Content-Length"));
                return;
            }
        }
        // writabilityChanged pauses the body; the channel calls it from within this write.
        channel.writeAndFlush(new DefaultHttpContent(data)).addListener(this::partWritten);
    }

    @Override
    public void trailers(Fields fields) {
        if (remaining < 0) {
            trailers = TrailerFields.ofRequest(named, fields);
        }
    }

    @Override
    public void end() {
        if (state != State.FLOWING) {
            return;
        }
        if (remaining > 0) {
            connection.uploadBroken(cancelled("request body shorter than its Content-Length"));
            return;
        }
        state = State.FLUSHING;
        writeLast();
        connection.uploadMoved();
    }

    @Override
    public void broken(Failure failure) {
        if (state == State.FLOWING || state == State.CONTINUE_AWAITED) {
            connection.uploadBroken(failure);
        }
    }

    private static Failure cancelled(String detail) {
        return new Failure(Side.CLIENT, Kind.CANCELLED, detail);
    }

    private void writeLast() {
        channel.writeAndFlush(last()).addListener(this::lastWritten);
    }

    private LastHttpContent last() {
        if (trailers.equals(Fields.EMPTY)) {
            return LastHttpContent.EMPTY_LAST_CONTENT;
        }
        var last = new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER);
        trailers.forEach(last.trailingHeaders()::add);
        return last;
    }

    private void partWritten(Future<? super Void> written) {
        if (!written.isSuccess()) {
            failed();
        }
    }

    private void lastWritten(Future<? super Void> written) {
        if (!written.isSuccess()) {
            failed();
        } else if (state == State.FLUSHING) {
            state = State.SENT;
            connection.uploadMoved();
        }
    }

    // The origin may have answered before it stopped reading, so the response is still read.
    private void failed() {
        if (state != State.STOPPED) {
            stop();
            connection.uploadMoved();
        }
    }
}
