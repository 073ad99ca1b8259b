package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to an origin and its response: finds a connection, tries once more where that is
 * safe, and hands what comes to its sink, or keeps it while the sink has paused. Only on its loop.
 */
final class OriginFetch implements BodyFlow, Permits.Waiter, Connecting.Outcome {
    // What is kept while paused is at most what one read of the socket had brought already: reading
    // stops with the pause. The connection may be idle again, or gone, before all of it is taken.

    private static final Duration MAX_QUEUED = Duration.ofSeconds(1);

    private enum State {
        /** Not begun. */
        NEW,
        /** In line for a permit. */
        QUEUED,
        /** A connection is being opened. */
        CONNECTING,
        /** Sent, no final head yet. */
        SENT,
        /** The head has been handed over. */
        BODY,
        /** The sink hears nothing more. */
        DONE
    }

    private sealed interface Ending {
        record Whole() implements Ending {}

        record Broken(Failure failure) implements Ending {}
    }

    private final Fetcher fetcher;
    private final OriginRequest request;
    private final EventLoop loop;
    private final ResponseSink sink;
    private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
    private State state = State.NEW;
    private int retries;
    private boolean isRetry;
    private boolean paused;
    private boolean draining;
    private @Nullable Ending ending;
    private @Nullable HttpRequest message;
    private @Nullable ScheduledFuture<?> queueTimer;
    private @Nullable Connecting connecting;
    private @Nullable OriginConnection connection;

    OriginFetch(
            Fetcher fetcher,
            OriginRequest request,
            EventLoop loop,
            ResponseSink sink,
            int retries) {
        this.fetcher = fetcher;
        this.request = request;
        this.loop = loop;
        this.sink = sink;
        this.retries = retries;
    }

    OriginRequest request() {
        return request;
    }

    /** The head as it is to be written. */
    HttpRequest message() {
        if (message == null) {
            message = RequestMessages.of(request);
        }
        return message;
    }

    /** Begins; without effect if cancelled before. */
    void start() {
        if (state == State.DONE) {
            return;
        }
        try {
            message = RequestMessages.of(request);
        } catch (IllegalArgumentException e) {
            fail(new Failure(Side.PROXY, Kind.BUG, "cannot be sent: " + e.getMessage()));
            return;
        }
        var idle = fetcher.takeIdle(loop);
        if (idle == null) {
            acquire();
        } else {
            send(idle);
        }
    }

    private void acquire() {
        if (fetcher.permits().tryTake()) {
            connect();
        } else if (fetcher.permits().enqueue(this)) {
            state = State.QUEUED;
            queueTimer =
                    loop.schedule(this::queuedTooLong, MAX_QUEUED.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            fail(new Failure(Side.PROXY, Kind.OVERLOAD, "the queue for a connection is full"));
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void permitted() {
        if (state != State.QUEUED) {
            fetcher.permits().release();
            return;
        }
        leaveQueue();
        var idle = isRetry ? null : fetcher.takeIdle(loop);
        if (idle == null) {
            connect();
        } else {
            fetcher.permits().release();
            send(idle);
        }
    }

    @Override
    public void offered(OriginConnection offered) {
        leaveQueue();
        if (offered.isUsable()) {
            send(offered);
        } else {
            offered.close();
            acquire();
        }
    }

    private void queuedTooLong() {
        fetcher.permits().withdraw(this);
        fail(new Failure(Side.PROXY, Kind.OVERLOAD, "no connection became free in " + MAX_QUEUED));
    }

    private void leaveQueue() {
        if (queueTimer != null) {
            queueTimer.cancel(false);
            queueTimer = null;
        }
    }

    private void connect() {
        state = State.CONNECTING;
        connecting = fetcher.connecting(loop, this);
        connecting.start();
    }

    @Override
    public void connected(OriginConnection made) {
        connecting = null;
        send(made);
    }

    @Override
    public void unreachable(String detail) {
        connecting = null;
        broken(new Failure(Side.ORIGIN, Kind.UNREACHABLE, detail), true);
    }

    private void send(OriginConnection taken) {
        state = State.SENT;
        connection = taken;
        if (paused) {
            taken.pause();
        }
        taken.send(this);
    }

    /** An interim response other than 100 has come. */
    void interim(ResponseHead head) {
        sink.interim(head);
    }

    /** The final head has come. */
    void head(ResponseHead head) {
        state = State.BODY;
        sink.head(head, this);
    }

    /** Part of the body has come; released here or by the sink. */
    void data(ByteBuf data) {
        if (state == State.DONE) {
            data.release();
        } else {
            held.add(data);
            drain();
        }
    }

    /** The body is whole, and the connection busy with something else or closed. */
    void ended() {
        connection = null;
        ending = new Ending.Whole();
        drain();
    }

    /**
     * The connection broke, or there is none.
     *
     * @param safe whether the origin cannot have seen the request, but for the time it takes to
     *     close a connection: a request that may be sent twice is then sent again
     */
    void broken(Failure failure, boolean safe) {
        connection = null;
        if (state == State.DONE) {
            return;
        }
        if (state == State.BODY) {
            ending = new Ending.Broken(failure);
            drain();
        } else if (safe && retries > 0 && isRepeatable()) {
            retries--;
            isRetry = true;
            fetcher.events().retried();
            // Other idle connections may have died of the same cause, so this one is a new one.
            acquire();
        } else {
            fail(failure);
        }
    }

    // RFC 9110 §9.2.2; a body is gone once it has flowed.
    private boolean isRepeatable() {
        return request.body() == null
                && switch (request.head().method()) {
                    case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE" -> true;
                    default -> false;
                };
    }

    private void fail(Failure failure) {
        state = State.DONE;
        leaveQueue();
        sink.failed(failure);
    }

    private void drain() {
        // A sink that pauses and resumes within data gets the next piece when it returns.
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (state == State.BODY && !paused && handOverNext()) {}
        } finally {
            draining = false;
        }
    }

    /** False when there is nothing to hand over yet. */
    private boolean handOverNext() {
        var data = held.poll();
        if (data != null) {
            sink.data(data);
            return true;
        }
        return switch (ending) {
            case null -> false;
            case Ending.Whole whole -> {
                state = State.DONE;
                sink.end();
                yield true;
            }
            case Ending.Broken(var failure) -> {
                fail(failure);
                yield true;
            }
        };
    }

    @Override
    public void pause() {
        if (!paused && state != State.DONE) {
            paused = true;
            if (connection != null) {
                connection.pause();
            }
        }
    }

    @Override
    public void resume() {
        if (!paused || state == State.DONE) {
            return;
        }
        paused = false;
        drain();
        if (!paused && connection != null) {
            connection.resume();
        }
    }

    @Override
    public void cancel() {
        var before = state;
        state = State.DONE;
        switch (before) {
            case NEW, DONE -> {}
            case QUEUED -> {
                leaveQueue();
                fetcher.permits().withdraw(this);
            }
            case CONNECTING -> {
                if (connecting != null) {
                    connecting.abandon();
                }
            }
            case SENT, BODY -> {
                if (connection != null) {
                    connection.abandon();
                }
                held.forEach(ByteBuf::release);
                held.clear();
            }
        }
    }
}
