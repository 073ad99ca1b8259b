package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.Transit;
import dev.quire.proxy.deliver.FlowingFragment;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * The bytes of one fragment that is not stored, counted with those of its page while it is held.
 */
final class HeldBody {
    private final Transit transit;
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);
    private long bytes;

    HeldBody(Transit transit) {
        this.transit = transit;
    }

    long bytes() {
        return bytes;
    }

    /** Takes over {@code data}. */
    void add(ByteBuf data) {
        int length = data.readableBytes();
        pieces.addLast(data);
        bytes += length;
        transit.charge(length);
    }

    /** All of it as a response; it counts until the last reference to that is released. */
    StoredResponse whole(CacheKey key, ResponseHead head) {
        bytes = 0;
        return StoredResponse.ofOneClient(key, head, pieces, transit);
    }

    /** Hands all of it to {@code sink}. */
    void flowTo(FlowingFragment.Sink sink) {
        while (!pieces.isEmpty()) {
            var data = pieces.removeFirst();
            int length = data.readableBytes();
            bytes -= length;
            transit.give(length);
            sink.data(data);
        }
    }

    void drop() {
        transit.give(bytes);
        bytes = 0;
        pieces.forEach(ByteBuf::release);
        pieces.clear();
    }
}
