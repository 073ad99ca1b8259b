package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An origin whose responses are given by hand, on the loop of the request. */
final class ScriptedOrigin implements PreparedFetch {
    private final CacheHouse house;
    private final CacheHouse.Loop loop;
    private volatile boolean isBusy;
    private final List<Attempt> attempts = new CopyOnWriteArrayList<>();

    ScriptedOrigin(CacheHouse house, CacheHouse.Loop loop) {
        this.house = house;
        this.loop = loop;
    }

    @Override
    public BodyFlow start(Fields conditions, ResponseSink sink) {
        var attempt = new Attempt(conditions, sink);
        attempts.add(attempt);
        if (!isBusy) {
            sink.sending();
        }
        return attempt;
    }

    /** Requests wait until they are {@link Attempt#sent}. */
    ScriptedOrigin busy() {
        isBusy = true;
        return this;
    }

    int asked() {
        return attempts.size();
    }

    /** The only attempt. */
    Attempt attempt() {
        if (attempts.size() != 1) {
            throw new IllegalStateException("asked " + attempts.size() + " times");
        }
        return attempts.get(0);
    }

    Attempt attempt(int index) {
        return attempts.get(index);
    }

    /** One request. By contract, no calls are made after it is cancelled. */
    final class Attempt implements BodyFlow {
        private final Fields conditions;
        private final ResponseSink sink;
        private volatile boolean isPaused;
        private volatile boolean isCancelled;

        private Attempt(Fields conditions, ResponseSink sink) {
            this.conditions = conditions;
            this.sink = sink;
        }

        Fields conditions() {
            return conditions;
        }

        boolean isPaused() {
            return isPaused;
        }

        boolean isCancelled() {
            return isCancelled;
        }

        Attempt sent() {
            return say(sink::sending);
        }

        /** The request has failed, and waits for a connection to be sent again. */
        Attempt retried() {
            return say(() -> sink.sentTo("http://origin.test"));
        }

        Attempt interim(int status) {
            return say(() -> sink.interim(new ResponseHead(status, "", Fields.EMPTY)));
        }

        Attempt head(int status, String... fields) {
            return say(() -> sink.head(new ResponseHead(status, "", Fields.of(fields)), this));
        }

        Attempt data(String text) {
            return data(house.bytes(text));
        }

        Attempt data(ByteBuf bytes) {
            loop.run(() -> {
                if (isCancelled) {
                    bytes.release();
                } else {
                    sink.data(bytes);
                }
            });
            return this;
        }

        Attempt end() {
            return say(() -> {
                try {
                    sink.end();
                } catch (RuntimeException | OutOfMemoryError fault) {
                    sink.failed(
                            new Failure(Failure.Side.PROXY, Failure.Kind.BUG, fault.toString()));
                }
            });
        }

        Attempt fail(Failure.Kind kind) {
            return say(() -> sink.failed(new Failure(Failure.Side.ORIGIN, kind, "scripted")));
        }

        /** A head that arrives after cancelling; its body is that of {@code other}. */
        void headInSpiteOfAll(BodyFlow other) {
            loop.run(() -> sink.head(new ResponseHead(200, "", Fields.EMPTY), other));
        }

        private Attempt say(Runnable what) {
            loop.run(() -> {
                if (!isCancelled) {
                    what.run();
                }
            });
            return this;
        }

        @Override
        public void pause() {
            isPaused = true;
        }

        @Override
        public void resume() {
            isPaused = false;
        }

        @Override
        public void cancel() {
            isCancelled = true;
        }
    }
}
