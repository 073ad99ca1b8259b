package dev.quire.proxy.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.proxy.exchange.RequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request body that is streamed when the test demands it. */
final class UploadedBody implements RequestBody {
    private final long length;
    private final boolean expectsContinue;
    private final List<ByteBuf> sent = new ArrayList<>();
    private @Nullable Sink sink;
    boolean paused;

    UploadedBody(long length, boolean expectsContinue) {
        this.length = length;
        this.expectsContinue = expectsContinue;
    }

    boolean isFlowing() {
        return sink != null && !paused;
    }

    boolean wasAskedFor() {
        return sink != null;
    }

    Sink sink() {
        if (sink == null) {
            throw new IllegalStateException("the body was not asked for");
        }
        return sink;
    }

    void send(String part) {
        var data = Unpooled.copiedBuffer(part, ISO_8859_1);
        sent.add(data);
        sink().data(data);
    }

    boolean isReleased() {
        return sent.stream().allMatch(part -> part.refCnt() == 0);
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean expectsContinue() {
        return expectsContinue;
    }

    @Override
    public void flowTo(Sink given) {
        if (sink != null) {
            throw new IllegalStateException("the body flows once only");
        }
        sink = given;
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
    }
}
