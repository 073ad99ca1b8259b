package dev.quire.proxy.deliver;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ByteRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requested parts of a body. If the body is still being received, {@link #take} cuts them from
 * it as it arrives.
 */
public final class BodyParts {
    private final List<ByteRange> ranges;
    private final long completeBytes;

    /** Null if there is one part. */
    private final @Nullable Multipart multipart;

    private long receivedBytes;

    /** The number of complete parts. */
    private int complete;

    /**
     * @param ranges within the body; for {@link #take} in the order of the body
     * @param whole the head of the whole body
     * @param completeBytes the length of the whole body
     */
    public BodyParts(List<ByteRange> ranges, ResponseHead whole, long completeBytes) {
        this.ranges = ranges;
        this.completeBytes = completeBytes;
        this.multipart = ranges.size() == 1 ? null : new Multipart(ranges, whole, completeBytes);
    }

    /** Whether {@link #take} has passed on all parts. */
    public boolean isComplete() {
        return complete == ranges.size();
    }

    /** Takes over {@code data}, the next bytes of the body, and passes on what is requested. */
    public void take(ByteBuf data, Consumer<ByteBuf> to) {
        long from = receivedBytes;
        receivedBytes += data.readableBytes();
        while (!isComplete() && ranges.get(complete).first() < receivedBytes) {
            var range = ranges.get(complete);
            if (range.first() >= from) {
                before(complete, to);
            }
            long first = Math.max(range.first(), from);
            long end = Math.min(range.last() + 1, receivedBytes);
            if (first < end) {
                int index = data.readerIndex() + (int) (first - from);
                to.accept(data.retainedSlice(index, (int) (end - first)));
            }
            if (range.last() >= receivedBytes) {
                break;
            }
            complete++;
            if (isComplete()) {
                end(to);
            }
        }
        data.release();
    }

    /** Null to keep that of the whole. */
    @Nullable String contentType() {
        return multipart == null ? null : multipart.contentType();
    }

    /** Null for several parts, each of which has its own. */
    @Nullable String contentRange() {
        return multipart == null ? ranges.getFirst().contentRange(completeBytes) : null;
    }

    long lengthBytes() {
        return multipart == null ? ranges.getFirst().lengthBytes() : multipart.lengthBytes();
    }

    /** Passes on what precedes {@code part}. */
    void before(int part, Consumer<ByteBuf> to) {
        if (multipart != null) {
            to.accept(Unpooled.wrappedBuffer(multipart.before(part)));
        }
    }

    /** Passes on what follows the last part. */
    void end(Consumer<ByteBuf> to) {
        if (multipart != null) {
            to.accept(Unpooled.wrappedBuffer(multipart.end()));
        }
    }
}
