package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.FlowingFragment;
import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The body of one fragment that is not stored. Its bytes are buffered and charged to the page until
 * they are taken as a whole or streamed.
 */
final class BufferedBody implements FlowingFragment {
    private final ResponseHead head;
    private final BodyFlow flow;
    private final InFlightBudget transit;
    private final Runnable cancelled;
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);
    private long bytes;
    private boolean isPaused;
    private boolean isWhole;
    private boolean isDelivered;
    private FlowingFragment.@Nullable Sink reader;
    private @Nullable Failure broken;

    /**
     * @param cancelled called when the reader needs no more of it
     */
    BufferedBody(ResponseHead head, BodyFlow flow, InFlightBudget transit, Runnable cancelled) {
        this.head = head;
        this.flow = flow;
        this.transit = transit;
        this.cancelled = cancelled;
    }

    ResponseHead head() {
        return head;
    }

    long bytes() {
        return bytes;
    }

    boolean isPaused() {
        return isPaused;
    }

    /** Whether it was streamed to its end. */
    boolean isDelivered() {
        return isDelivered;
    }

    /** Takes over {@code data}. */
    void data(ByteBuf data) {
        if (reader != null) {
            reader.data(data);
            return;
        }
        int length = data.readableBytes();
        pieces.addLast(data);
        bytes += length;
        transit.charge(length);
    }

    void end() {
        isWhole = true;
        if (reader != null) {
            isDelivered = true;
            reader.end();
        }
    }

    void failed(Failure failure) {
        drop();
        broken = failure;
        if (reader != null) {
            reader.broken(failure);
        }
    }

    void drop() {
        transit.give(bytes);
        bytes = 0;
        pieces.forEach(ByteBuf::release);
        pieces.clear();
    }

    /** Returns all of it as a response, charged until its last reference is released. */
    StoredResponse whole(CacheKey key) {
        bytes = 0;
        return StoredResponse.ofOneClient(key, head, pieces, transit);
    }

    @Override
    public ClientLifetime clientLifetime() {
        return ClientLifetime.of(head.fields(), Duration.ZERO);
    }

    @Override
    public void flowTo(FlowingFragment.Sink sink) {
        reader = sink;
        if (broken != null) {
            sink.broken(broken);
            return;
        }
        while (!pieces.isEmpty()) {
            var data = pieces.removeFirst();
            int length = data.readableBytes();
            bytes -= length;
            transit.give(length);
            sink.data(data);
        }
        if (isWhole) {
            isDelivered = true;
            sink.end();
        }
    }

    @Override
    public void cancel() {
        cancelled.run();
    }

    @Override
    public void pause() {
        if (!isPaused) {
            isPaused = true;
            flow.pause();
        }
    }

    @Override
    public void resume() {
        if (isPaused) {
            isPaused = false;
            flow.resume();
        }
    }
}
