package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ClientNetwork;
import dev.quire.core.http.DurationText;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.exchange.ServerEvents;
import dev.quire.proxy.exchange.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to an origin and its response. Finds a server and a connection, retries where that is
 * safe, and passes the response to its sink. Buffers data while the sink is paused. On one loop.
 */
final class OriginFetch
        implements BodyFlow,
                Permits.Waiter,
                UploadShare.Waiter,
                HeldUpload.Owner,
                Connecting.Outcome {
    // Reading stops with the pause: at most one read is pending. The connection may be idle then.

    /** Whether and where a request without a response may be retried. */
    enum Repeat {
        /** No retry: a part of the response has arrived, or a timeout has expired. */
        NOWHERE,
        /** It failed on a new connection: retry on another server only. */
        ELSEWHERE,
        /** It failed before the server could process it, unless a connection was closing. */
        ANYWHERE
    }

    private enum State {
        /** Not started, or waiting for the beginning of the request body. */
        NEW,
        /** Queued for a permit, or as an upload. */
        QUEUED,
        /** A connection is being opened. */
        CONNECTING,
        /** Sent; no final head yet. */
        SENT,
        /** The sink has received the head. */
        BODY,
        /** No more calls to the sink. */
        DONE
    }

    private sealed interface Ending {
        record Whole(Fields trailers) implements Ending {}

        record Broken(Failure failure) implements Ending {}
    }

    private final Fetcher fetcher;
    private final OriginRequest request;
    private final EventLoop loop;
    private final ResponseSink sink;
    private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>();
    private final long startedNanos;
    private State state = State.NEW;
    private int status;
    private int retries;
    private boolean needsNew;
    private boolean paused;
    private boolean draining;
    private boolean isUploading;
    private @Nullable Ending ending;
    private Endpoint.@Nullable Attempt visit;
    private ServerEvents events = ServerEvents.NONE;
    private @Nullable HttpRequest message;
    private @Nullable HeldUpload upload;
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
        // An idle connection may be closing. One that has just become free is as good as new.
        this.needsNew = request.upgrade() != null;
        this.startedNanos = now();
    }

    OriginRequest request() {
        return request;
    }

    /** The body to write. */
    @Nullable RequestBody body() {
        return upload;
    }

    /** The head to write. */
    HttpRequest message() {
        if (message == null) {
            message = RequestMessages.of(request, fetcher.origin());
        }
        return message;
    }

    /** Starts the request; no effect if it was cancelled before. */
    void begin() {
        guarded(this::start);
    }

    private void start() {
        if (state == State.DONE) {
            return;
        }
        try {
            message = RequestMessages.of(request, fetcher.origin());
        } catch (IllegalArgumentException e) {
            fail(new Failure(Side.PROXY, Kind.BUG, "cannot send the request: " + PlainWords.of(e)));
            return;
        }
        var body = request.body();
        if (body == null) {
            choose();
        } else {
            upload = new HeldUpload(body, fetcher.transit(), loop, this);
            upload.hold();
        }
    }

    @Override
    public void started() {
        if (state == State.NEW) {
            guarded(this::choose);
        }
    }

    @Override
    public void passedOn() {
        endUpload();
    }

    @Override
    public void broken(Failure failure) {
        if (state != State.DONE) {
            failAfter(this::abandon, failure);
        }
    }

    private void choose() {
        var chosen = fetcher.choose(request.affinity(), now());
        if (chosen == null) {
            fetcher.events().refused();
            fail(
                    new Failure(
                            Side.ORIGIN,
                            Kind.CIRCUIT_OPEN,
                            "no server of " + fetcher.name() + " is available: circuit open"));
            return;
        }
        fetcher.budget().sent();
        visit = chosen;
        events = chosen.endpoint().events();
        if (upload == null || upload.isWhole()) {
            find();
        } else if (endpoint().uploads().tryTake(client())) {
            isUploading = true;
            find();
        } else if (endpoint().uploads().enqueue(this)) {
            enqueued();
        } else {
            fail(new Failure(Side.PROXY, Kind.OVERLOAD, "the upload queue is full"));
        }
    }

    @Override
    public void uploadPermitted(UploadShare from) {
        guarded(() -> {
            if (state != State.QUEUED) {
                from.give(client());
                return;
            }
            isUploading = true;
            find();
        });
    }

    private void endUpload() {
        if (isUploading) {
            isUploading = false;
            endpoint().uploads().give(client());
        }
    }

    private void find() {
        sink.sentTo(endpoint().url());
        var idle = needsNew ? null : endpoint().takeIdle(loop);
        if (idle == null) {
            acquire();
        } else {
            send(idle);
        }
    }

    private void acquire() {
        var permits = endpoint().permits();
        if (permits.tryTake()) {
            connect();
        } else if (permits.enqueue(this)) {
            enqueued();
        } else {
            fail(new Failure(Side.PROXY, Kind.OVERLOAD, "the connection queue is full"));
        }
    }

    private void enqueued() {
        state = State.QUEUED;
        // Else it has waited for the share of uploads before.
        if (queueTimer == null) {
            queueTimer =
                    loop.schedule(
                            () -> guarded(this::queuedTooLong),
                            endpoint().queueTimeout().toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    private Endpoint endpoint() {
        if (visit == null) {
            throw new IllegalStateException("no server has been chosen: " + state);
        }
        return visit.endpoint();
    }

    private long now() {
        return loop.ticker().nanoTime();
    }

    private PathOutcomes.Request asked() {
        return PathOutcomes.Request.of(request);
    }

    /** Whether the client holds the request up: no outcome is the server's then. */
    private boolean awaitsClient() {
        return connection != null && connection.awaitsClient();
    }

    /** Runs a step that is called directly by the loop: a bug in it ends the fetch. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            bug(bug);
        }
    }

    @Override
    public void bug(Throwable bug) {
        try {
            fetcher.report(bug, request);
        } finally {
            broken(new Failure(Side.PROXY, Kind.BUG, bug.toString()));
        }
    }

    @Override
    public ClientNetwork client() {
        return request.client();
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void permitted(Permits from) {
        guarded(() -> {
            if (state != State.QUEUED) {
                from.release();
                return;
            }
            var idle = needsNew ? null : endpoint().takeIdle(loop);
            if (idle == null) {
                connect();
            } else {
                from.release();
                send(idle);
            }
        });
    }

    @Override
    public void offered(OriginConnection offered) {
        guarded(() -> send(offered));
    }

    private void queuedTooLong() {
        withdraw();
        fail(
                new Failure(
                        Side.PROXY,
                        Kind.OVERLOAD,
                        "no free connection within " + DurationText.of(endpoint().queueTimeout())));
    }

    private void withdraw() {
        endpoint().permits().withdraw(this);
        endpoint().uploads().withdraw(this);
    }

    private void leaveQueue() {
        if (queueTimer != null) {
            queueTimer.cancel(false);
            queueTimer = null;
        }
    }

    private void connect() {
        leaveQueue();
        state = State.CONNECTING;
        connecting = endpoint().connecting(loop, this);
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
        broken(new Failure(Side.ORIGIN, Kind.UNREACHABLE, detail), Repeat.ANYWHERE);
    }

    private void send(OriginConnection taken) {
        leaveQueue();
        state = State.SENT;
        connection = taken;
        RequestMessages.stamp(message(), request, sink);
        sink.sending();
        if (paused) {
            taken.pause();
        }
        taken.send(this);
    }

    /** Receives an interim response other than 100. */
    void interim(ResponseHead head) {
        sink.interim(head);
    }

    /** Receives the 101 to its upgrade, and the connection. */
    void switched(ResponseHead head, TunnelEnd tunnel) {
        connection = null;
        state = State.DONE;
        if (visit != null) {
            visit.answered(head.status(), asked(), now());
        }
        leaveServer();
        events.answered(head.status(), took());
        sink.switched(head, tunnel);
    }

    /** Receives the final head. */
    void head(ResponseHead head) {
        state = State.BODY;
        status = head.status();
        if (visit != null && !awaitsClient()) {
            visit.answered(head.status(), asked(), now());
        }
        sink.head(head, this);
    }

    /** Receives body data, to be released here or by the sink. */
    void data(ByteBuf data) {
        if (state == State.DONE) {
            data.release();
        } else {
            pending.add(data);
            drain();
        }
    }

    /** The body is complete; the connection is in use elsewhere or closed. */
    void ended(Fields trailers) {
        connection = null;
        leaveServer();
        ending = new Ending.Whole(trailers);
        drain();
    }

    /** The connection failed, or could not be opened. */
    void broken(Failure failure, Repeat repeat) {
        boolean isOfClient = awaitsClient();
        connection = null;
        if (state == State.DONE) {
            return;
        }
        // Servers close idle connections: failures on reused connections are not counted.
        boolean isOrdinary = repeat == Repeat.ANYWHERE && failure.kind() != Kind.UNREACHABLE;
        if (visit != null && !isOrdinary && !isOfClient) {
            visit.failed(failure, asked(), now());
        }
        if (state == State.BODY) {
            leaveServer();
            ending = new Ending.Broken(failure);
            drain();
        } else if (!isSentAgain(repeat)) {
            fail(failure);
        }
    }

    private boolean isSentAgain(Repeat repeat) {
        boolean isUnsent = state == State.CONNECTING && request.body() == null;
        boolean isRepeatable = isUnsent || request.isRepeatable();
        // A server may have received the handshake: no other one may get it.
        boolean isForSame = request.upgrade() != null && !isUnsent && repeat == Repeat.ANYWHERE;
        if (repeat == Repeat.NOWHERE || retries == 0 || !(isRepeatable || isForSame)) {
            return false;
        }
        var failed = endpoint();
        var next =
                isForSame
                        ? fetcher.againAt(failed, now())
                        : fetcher.again(request.affinity(), failed, repeat, now());
        if (next == null) {
            return false;
        }
        retries--;
        leaveServer();
        visit = next;
        events = next.endpoint().events();
        // Other idle connections may have failed for the same reason.
        needsNew = request.upgrade() != null || next.endpoint().equals(failed);
        find();
        return true;
    }

    private void dropUpload() {
        if (upload != null) {
            upload.drop();
        }
    }

    private void leaveServer() {
        dropUpload();
        if (visit != null) {
            endUpload();
            visit.end();
            visit = null;
        }
    }

    private void fail(Failure failure) {
        state = State.DONE;
        failAfter(this::leaveServer, failure);
    }

    /** Tells the sink, even if {@code ending} fails: after it there are no more calls. */
    private void failAfter(Runnable ending, Failure failure) {
        try {
            leaveQueue();
            ending.run();
            if (failure.kind() != Kind.CIRCUIT_OPEN && failure.side() != Side.CLIENT) {
                events.failed(took());
            }
        } finally {
            sink.failed(failure);
        }
    }

    private Duration took() {
        return Duration.ofNanos(now() - startedNanos);
    }

    private void drain() {
        // A sink that pauses and resumes within data() gets the next piece when it returns.
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

    /** Passes on the next piece or the end. Returns false if nothing is ready. */
    private boolean handOverNext() {
        var data = pending.poll();
        if (data != null) {
            sink.data(data);
            return true;
        }
        return switch (ending) {
            case null -> false;
            case Ending.Whole(var trailers) -> {
                state = State.DONE;
                end(trailers);
                yield true;
            }
            case Ending.Broken(var failure) -> {
                fail(failure);
                yield true;
            }
        };
    }

    /** The connection is in use elsewhere: it would not report a failure, such as no memory. */
    private void end(Fields trailers) {
        try {
            events.answered(status, took());
            if (!trailers.equals(Fields.EMPTY)) {
                sink.trailers(trailers);
            }
            sink.end();
        } catch (RuntimeException | Error fault) {
            sink.failed(new Failure(Side.PROXY, Kind.BUG, fault.toString()));
            fetcher.report(fault, request);
        }
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
        if (state == State.BODY) {
            events.answered(status, took());
        }
        abandon();
    }

    private void abandon() {
        var before = state;
        state = State.DONE;
        // First, so that nothing that fails below keeps it.
        dropUpload();
        switch (before) {
            case NEW, DONE -> {}
            case QUEUED -> {
                leaveQueue();
                withdraw();
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
                pending.forEach(ByteBuf::release);
                pending.clear();
            }
        }
        leaveServer();
    }
}
