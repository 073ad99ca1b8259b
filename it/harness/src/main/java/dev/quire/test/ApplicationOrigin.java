package dev.quire.test;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.DurationText;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The application as an origin of the proxy, without a connection: requests and replies are passed
 * on complete. Nothing is retried.
 */
final class ApplicationOrigin implements OriginClient {
    private static final int PIECE_BYTES = 16 * 1024;

    private final ApplicationCalls calls;
    private final Duration patience;

    /**
     * @param patience the longest time from the request to the response
     */
    ApplicationOrigin(ApplicationCalls calls, Duration patience) {
        this.calls = calls;
        this.patience = patience;
    }

    @Override
    public BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
        var fetch = new Fetch(request, loop, sink);
        loop.execute(() -> fetch.take(fetch::begin));
        return fetch;
    }

    private enum State {
        /** The client is sending the request's body. */
        SENDING,
        /** The application has been called. */
        ASKED,
        /** The head has been delivered. */
        BODY,
        /** The sink receives nothing more. */
        DONE
    }

    /** One request and its response. Used on its event loop only. */
    private final class Fetch implements BodyFlow, RequestBody.Sink {
        private final OriginRequest request;
        private final EventLoop loop;
        private final ResponseSink sink;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private State state = State.SENDING;
        private boolean isPaused;
        private boolean isDraining;
        private ApplicationCalls.@Nullable Call call;
        private @Nullable ScheduledFuture<?> timer;
        private byte[] body = {};
        private int sent;

        /**
         * Number of bytes of the body that are delivered; fewer than the length if it is truncated.
         */
        private int end;

        Fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
            this.request = request;
            this.loop = loop;
            this.sink = sink;
        }

        private Duration patience() {
            var deadlines = request.deadlines();
            return deadlines == null ? patience : deadlines.firstByte();
        }

        void begin() {
            var content = request.body();
            if (state == State.DONE) {
                return;
            }
            if (content == null) {
                end();
            } else {
                content.flowTo(this);
            }
        }

        /** Runs a step of the fetch: an exception ends the fetch and fails the test. */
        void take(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException bug) {
                calls.failed(bug);
                if (state != State.DONE) {
                    cancel();
                    sink.failed(new Failure(Side.PROXY, Kind.BUG, bug.toString()));
                }
            }
        }

        @Override
        public void data(ByteBuf data) {
            try {
                data.readBytes(received, data.readableBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                data.release();
            }
        }

        @Override
        public void broken(Failure failure) {
            if (state == State.SENDING) {
                fail(failure);
            }
        }

        @Override
        public void end() {
            if (state != State.SENDING) {
                return;
            }
            state = State.ASKED;
            sink.sending();
            var head = request.head();
            var fields =
                    new Fields.Builder().addAll(head.fields().without(Request::isOfConnection));
            var capabilities = request.capabilities();
            if (capabilities != null) {
                fields.add("Surrogate-Capability", capabilities.stamped(sink));
            }
            timer =
                    loop.schedule(
                            () -> take(this::late), patience().toNanos(), TimeUnit.NANOSECONDS);
            call =
                    calls.start(
                            new Request(
                                    head.method(),
                                    head.target(),
                                    fields.build(),
                                    Content.of(received.toByteArray())),
                            reply -> loop.execute(() -> take(() -> answered(reply))));
        }

        private void late() {
            if (state == State.ASKED) {
                fail(
                        new Failure(
                                Side.ORIGIN,
                                Kind.TIMEOUT,
                                "no response within " + DurationText.of(patience())));
            }
        }

        private void answered(Reply reply) {
            if (state != State.ASKED) {
                return;
            }
            stopWaiting();
            switch (reply) {
                case Reply.Whole(var response) -> answered(response, response.body().length());
                case Reply.Cut(var response, var bytes) -> answered(response, bytes);
                case Reply.None(var why) -> fail(new Failure(Side.ORIGIN, Kind.TRUNCATED, why));
            }
        }

        private void answered(Response response, int most) {
            response.interims().stream()
                    .filter(interim -> interim.status() > 101)
                    .forEach(sink::interim);
            if (state != State.ASKED) {
                return;
            }
            var fields =
                    new Fields.Builder().addAll(response.fields().without(Request::isOfConnection));
            var length = response.field("Content-Length");
            if (request.head().isHead() || response.status() == 304) {
                if (length != null) {
                    fields.add("Content-Length", length);
                }
            } else if (response.status() != 204) {
                body = response.body().bytes();
                end = Math.min(most, body.length);
                fields.add("Content-Length", String.valueOf(body.length));
            }
            state = State.BODY;
            sink.head(new ResponseHead(response.status(), "", fields.build()), this);
            drain();
        }

        private void drain() {
            // A sink that pauses and resumes within data gets the next piece when it returns.
            if (isDraining) {
                return;
            }
            isDraining = true;
            try {
                while (state == State.BODY && !isPaused) {
                    handOverNext();
                }
            } finally {
                isDraining = false;
            }
        }

        private void handOverNext() {
            if (sent < end) {
                int length = Math.min(PIECE_BYTES, end - sent);
                var piece = PooledByteBufAllocator.DEFAULT.directBuffer(length);
                piece.writeBytes(body, sent, length);
                sent += length;
                sink.data(piece);
            } else if (end < body.length) {
                fail(
                        new Failure(
                                Side.ORIGIN,
                                Kind.TRUNCATED,
                                "the response is cut off after " + end + " bytes"));
            } else {
                state = State.DONE;
                sink.end();
            }
        }

        private void fail(Failure failure) {
            cancel();
            sink.failed(failure);
        }

        private void stopWaiting() {
            if (timer != null) {
                timer.cancel(false);
            }
        }

        @Override
        public void pause() {
            isPaused = true;
        }

        @Override
        public void resume() {
            isPaused = false;
            drain();
        }

        @Override
        public void cancel() {
            var content = request.body();
            if (state == State.SENDING && content != null) {
                content.pause();
            }
            if (state == State.ASKED && call != null) {
                call.interrupt();
            }
            state = State.DONE;
            stopWaiting();
        }
    }
}
