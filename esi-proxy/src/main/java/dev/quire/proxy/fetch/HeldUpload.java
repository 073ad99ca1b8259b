package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.TransitBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request body whose beginning is held until it is worth a connection: until it is complete, or
 * its first {@value #START_BYTES} bytes have been received. Confined to its loop.
 */
final class HeldUpload implements RequestBody, RequestBody.Sink {
    // Held bytes count as in transit. While too many are in transit nothing is read; the client's
    // deadline is suspended, so there is one for this wait.

    static final int START_BYTES = 64 * 1024;
    static final Duration MAX_FULL = Duration.ofSeconds(10);
    private static final Duration FULL_CHECK = Duration.ofMillis(50);

    /** Receives the progress of the body. */
    interface Owner {
        /** The body is worth a connection. Called once, unless it breaks before. */
        void started();

        /** The rest of the body has been passed on. */
        void passedOn();

        /** The body broke before it was passed on. */
        void broken(Failure failure);
    }

    private final RequestBody source;
    private final TransitBudget transit;
    private final EventLoop loop;
    private final Owner owner;
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(2);
    private RequestBody.@Nullable Sink reader;
    private Fields trailers = Fields.EMPTY;
    private int bytes;
    private boolean hasStarted;
    private boolean isFlowing;
    private boolean isPaused;
    private boolean isReplaying;
    private boolean isWhole;
    private boolean isOver;
    private long fullSince;

    HeldUpload(RequestBody source, TransitBudget transit, EventLoop loop, Owner owner) {
        this.source = source;
        this.transit = transit;
        this.loop = loop;
        this.owner = owner;
    }

    /** Receives the beginning. At once without it if the client waits for 100 (Continue). */
    void hold() {
        if (source.expectsContinue()) {
            start();
        } else if (transit.isFull()) {
            awaitRoom();
        } else {
            flow();
        }
    }

    /** Whether all of it has been received. */
    boolean isWhole() {
        return isWhole;
    }

    /** Releases the held bytes; what still arrives is dropped. */
    void drop() {
        isOver = true;
        while (!pieces.isEmpty()) {
            next().release();
        }
    }

    private void flow() {
        isFlowing = true;
        source.flowTo(this);
    }

    private void start() {
        if (!hasStarted) {
            hasStarted = true;
            owner.started();
        }
    }

    private ByteBuf next() {
        var piece = pieces.remove();
        bytes -= piece.readableBytes();
        transit.give(piece.readableBytes());
        return piece;
    }

    @Override
    public void data(ByteBuf data) {
        if (isOver) {
            data.release();
        } else if (reader != null && pieces.isEmpty()) {
            reader.data(data);
        } else {
            pieces.add(data);
            bytes += data.readableBytes();
            transit.charge(data.readableBytes());
            if (reader == null && bytes >= START_BYTES) {
                source.pause();
                start();
            } else if (reader == null && transit.isFull()) {
                source.pause();
                awaitRoom();
            }
        }
    }

    private void awaitRoom() {
        fullSince = loop.ticker().nanoTime();
        checkLater();
    }

    private void checkLater() {
        loop.schedule(this::readAgain, FULL_CHECK.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void readAgain() {
        if (isOver || hasStarted) {
            return;
        }
        if (!transit.isFull() && isFlowing) {
            source.resume();
        } else if (!transit.isFull()) {
            flow();
        } else if (loop.ticker().nanoTime() - fullSince < MAX_FULL.toNanos()) {
            checkLater();
        } else {
            owner.broken(
                    new Failure(Side.PROXY, Kind.OVERLOAD, "too many bytes of bodies in transit"));
        }
    }

    @Override
    public void trailers(Fields fields) {
        trailers = fields;
    }

    @Override
    public void end() {
        isWhole = true;
        if (isOver) {
            return;
        }
        if (reader == null) {
            start();
        } else {
            replay();
        }
    }

    @Override
    public void broken(Failure failure) {
        if (isOver) {
            return;
        }
        if (reader == null) {
            owner.broken(failure);
        } else {
            reader.broken(failure);
        }
    }

    @Override
    public long length() {
        return source.length();
    }

    @Override
    public boolean expectsContinue() {
        return source.expectsContinue();
    }

    @Override
    public void flowTo(RequestBody.Sink sink) {
        reader = sink;
        if (isFlowing) {
            resume();
        } else {
            flow();
        }
    }

    @Override
    public void pause() {
        isPaused = true;
        source.pause();
    }

    @Override
    public void resume() {
        isPaused = false;
        replay();
        if (pieces.isEmpty() && !isPaused && !isWhole && !isOver) {
            source.resume();
        }
    }

    /** Passes on held pieces, and the end after them. */
    private void replay() {
        if (isReplaying || reader == null) {
            return;
        }
        isReplaying = true;
        try {
            while (!isPaused && !pieces.isEmpty()) {
                reader.data(next());
            }
        } finally {
            isReplaying = false;
        }
        if (isWhole && pieces.isEmpty() && !isOver) {
            isOver = true;
            owner.passedOn();
            if (!trailers.equals(Fields.EMPTY)) {
                reader.trailers(trailers);
            }
            reader.end();
        }
    }
}
