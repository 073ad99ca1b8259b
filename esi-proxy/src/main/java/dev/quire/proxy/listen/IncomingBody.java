package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.listen.Incoming.Sound;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The body of the current request of a connection. Confined to the connection's loop. */
final class IncomingBody implements RequestBody {
    private static final ByteBuf CONTINUE =
            Unpooled.unreleasableBuffer(
                    Unpooled.copiedBuffer(
                                    "HTTP/1.1 100 Continue\r\n\r\n", StandardCharsets.US_ASCII)
                            .asReadOnly());

    private final ConnectionHandler connection;
    private final RequestDecoder decoder;
    private final Sound sound;
    private final BodyLimits limits;
    private @Nullable Sink sink;
    private boolean isPaused;
    private boolean isOver;
    private @Nullable Failure broken;
    private boolean isTooLarge;

    IncomingBody(
            ConnectionHandler connection,
            RequestDecoder decoder,
            ConnectionRules rules,
            Sound sound) {
        this.connection = connection;
        this.decoder = decoder;
        this.sound = sound;
        this.limits = new BodyLimits(rules);
    }

    /** Whether the client may still send of it, or behind what was not valid. */
    boolean isPending() {
        return !isOver || isTooLarge || broken != null;
    }

    /** Whether it is too large, or the client has not received the 100 (Continue) it expects. */
    boolean isLeftUnread() {
        return isTooLarge || (sink == null && expectsContinue());
    }

    @Override
    public boolean limit(long bytes) {
        limits.limit(bytes);
        isTooLarge = length() > bytes;
        return !isTooLarge;
    }

    /** Whether the client sends too slowly; never true while reading is paused. */
    boolean isOverdue(long now) {
        return sink != null && !isOver && !isPaused && limits.isOverdue(now);
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
    public void flowTo(Sink into) {
        sink = into;
        if (broken != null || !connection.isCurrent(this)) {
            into.broken(broken == null ? ClientFailures.GONE : broken);
            return;
        }
        if (expectsContinue()) {
            connection.write(CONTINUE.duplicate());
            connection.flush();
        }
        resume();
    }

    @Override
    public void pause() {
        isPaused = true;
        if (connection.isCurrent(this) && !isOver) {
            decoder.pause();
        }
    }

    @Override
    public void resume() {
        isPaused = false;
        limits.begin(connection.now());
        if (connection.isCurrent(this) && !isOver) {
            decoder.resume();
        }
    }

    void data(ByteBuf data) {
        if (sink == null || isOver) {
            data.release();
            return;
        }
        if (limits.take(data.readableBytes(), connection.now())) {
            sink.data(data);
        } else {
            data.release();
            isTooLarge = true;
            connection.bodyBroken(ClientFailures.TOO_LARGE);
        }
    }

    void end(Fields trailers) {
        isOver = true;
        if (sink != null) {
            if (!trailers.equals(Fields.EMPTY)) {
                sink.trailers(trailers);
            }
            sink.end();
        }
    }

    void broken(Failure failure) {
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
