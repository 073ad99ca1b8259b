package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.listen.Incoming.Sound;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request of HTTP/2. The client may send more only as the sink takes it; bytes that
 * arrive before are copied, at most the window of the stream. Confined to the connection's loop.
 */
final class Http2Body implements RequestBody {
    private static final ResponseHead CONTINUE = new ResponseHead(100, "", Fields.EMPTY);

    private final ClientStream stream;
    private final Sound sound;
    private final BodyLimits limits;
    private @Nullable Sink sink;

    /** The bytes that have arrived before the sink takes them; null if there are none. */
    private @Nullable ByteBuf held;

    private boolean isPaused;

    private Fields trailers = Fields.EMPTY;

    /** Whether the client has sent the end. */
    private boolean isEnded;

    /** Whether the sink has got the end. */
    private boolean isOver;

    private @Nullable Failure broken;

    Http2Body(ClientStream stream, ConnectionRules rules, Sound sound) {
        this.stream = stream;
        this.sound = sound;
        this.limits = new BodyLimits(rules);
    }

    @Override
    public long length() {
        return sound.bodyBytes();
    }

    @Override
    public boolean expectsContinue() {
        return sound.expectsContinue();
    }

    @Override
    public boolean limit(long maxBytes) {
        limits.limit(maxBytes);
        return length() <= maxBytes;
    }

    /** Whether the client sends too slowly; never true while reading is paused. */
    boolean isOverdue(long nowNanos) {
        return sink != null && !isEnded && !isOver && !isPaused && limits.isOverdue(nowNanos);
    }

    @Override
    public void flowTo(Sink into) {
        sink = into;
        if (broken != null) {
            into.broken(broken);
            return;
        }
        if (expectsContinue() && held == null && !isEnded) {
            stream.writer().interim(CONTINUE);
        }
        resume();
    }

    @Override
    public void pause() {
        isPaused = true;
    }

    @Override
    public void resume() {
        isPaused = false;
        limits.begin(stream.connection().now());
        var late = held;
        var to = sink;
        if (late != null && to != null) {
            held = null;
            int bytes = late.readableBytes();
            take(late, to);
            stream.consumed(bytes);
        }
        endIfTaken();
    }

    /**
     * Receives a part; does not take over a reference. Returns how many bytes were taken: the
     * client may send as many more.
     */
    int data(ByteBuf data) {
        int bytes = data.readableBytes();
        if (isOver || bytes == 0) {
            return bytes;
        }
        var to = sink;
        if (to != null && !isPaused && held == null) {
            take(data.retain(), to);
            return bytes;
        }
        if (held == null) {
            held = stream.writer().alloc().buffer(bytes);
        }
        held.writeBytes(data, data.readerIndex(), bytes);
        return 0;
    }

    private void take(ByteBuf data, Sink to) {
        if (limits.take(data.readableBytes(), stream.connection().now())) {
            to.data(data);
        } else {
            data.release();
            broken(ClientFailures.TOO_LARGE);
        }
    }

    /** The client has sent the end. */
    void end(Fields fields) {
        trailers = fields;
        isEnded = true;
        endIfTaken();
    }

    private void endIfTaken() {
        if (isEnded && !isOver && held == null && !isPaused && sink != null) {
            isOver = true;
            if (!trailers.equals(Fields.EMPTY)) {
                sink.trailers(trailers);
            }
            sink.end();
        }
    }

    /** The exchange has ended, and takes nothing more. */
    void drop() {
        isOver = true;
        dropHeld();
    }

    private void dropHeld() {
        var late = held;
        if (late != null) {
            held = null;
            int bytes = late.readableBytes();
            late.release();
            stream.consumed(bytes);
        }
    }

    /** The body is incomplete. */
    void broken(Failure failure) {
        dropHeld();
        if (isOver) {
            return;
        }
        isOver = true;
        broken = failure;
        if (sink != null) {
            sink.broken(failure);
        }
    }
}
