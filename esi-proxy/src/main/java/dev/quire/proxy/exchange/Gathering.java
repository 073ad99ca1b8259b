package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one answer, in order, for one gathering write: short parts are copied behind one
 * another, long ones go as they are. Belongs to one loop; what is in it is released once, by {@link
 * #take} or {@link #drop}.
 */
public final class Gathering {

    /*
     * A part that goes as it is costs a slice, its place in the channel's queue and in the system
     * call, and two changes of a counter that other loops change as well. Copying a short one costs
     * less, and then the kernel finds it in the nearest cache. What is copied stays until the
     * client has taken it, which may be slow: so it is bounded.
     */

    /** Longer parts are not copied. */
    public static final int MAX_COPIED_BYTES = 4 * 1024;

    /** What one answer copies at most. */
    private static final int MAX_BYTES = 32 * 1024;

    /** What a page is gathered in. */
    private static final int RUN_BYTES = 16 * 1024;

    private final ByteBufAllocator alloc;
    private final int runBytes;
    private final ArrayList<ByteBuf> buffers = new ArrayList<>(4);

    /** What parts are copied into, one behind another; null before the first. */
    private @Nullable ByteBuf run;

    /** Where in it that begins which is not among the buffers yet. */
    private int runStart;

    private int copiedBytes;
    private long bytes;

    /** For a page: many parts. */
    public Gathering(ByteBufAllocator alloc) {
        this(alloc, RUN_BYTES);
    }

    /**
     * @param runBytes of the memory that parts are copied into; what is taken at once when there is
     *     no more room
     */
    public Gathering(ByteBufAllocator alloc, int runBytes) {
        this.alloc = alloc;
        this.runBytes = runBytes;
    }

    /** How many bytes there are. */
    public long bytes() {
        return bytes;
    }

    /** Adds {@code length} bytes of {@code from} at {@code index}; its indices do not change. */
    public void add(ByteBuf from, int index, int length) {
        if (isCopied(length)) {
            room(length).writeBytes(from, index, length);
        } else {
            put(from.retainedSlice(index, length));
        }
    }

    /** Adds what is readable of {@code owned}, of which one reference is taken over. */
    public void add(ByteBuf owned) {
        int length = owned.readableBytes();
        if (isCopied(length)) {
            room(length).writeBytes(owned, owned.readerIndex(), length);
            owned.release();
        } else {
            put(owned);
        }
    }

    /** Adds {@code text}. */
    public void add(byte[] text) {
        room(text.length).writeBytes(text);
    }

    /** Where the caller writes exactly {@code length} bytes now. */
    public ByteBuf room(int length) {
        bytes += length;
        copiedBytes += length;
        var last = run;
        if (last != null && last.writableBytes() >= length) {
            return last;
        }
        endRun();
        var next = alloc.directBuffer(Math.max(length, runBytes));
        run = next;
        return next;
    }

    /** Hands it all on, with its references; afterwards it is empty. */
    public void take(Consumer<ByteBuf> taker) {
        endRun();
        for (int i = 0; i < buffers.size(); i++) {
            taker.accept(buffers.get(i));
        }
        clear();
    }

    /** Releases all of it. */
    public void drop() {
        endRun();
        buffers.forEach(ByteBuf::release);
        clear();
    }

    private boolean isCopied(int length) {
        return length <= MAX_COPIED_BYTES && copiedBytes + length <= MAX_BYTES;
    }

    private void put(ByteBuf owned) {
        bytes += owned.readableBytes();
        var before = run;
        if (before != null && before.writerIndex() > runStart) {
            buffers.add(before.retainedSlice(runStart, before.writerIndex() - runStart));
            runStart = before.writerIndex();
        }
        buffers.add(owned);
    }

    /** Puts what is left of the run among the buffers, with its reference. */
    private void endRun() {
        var last = run;
        if (last == null) {
            return;
        }
        run = null;
        if (last.writerIndex() > runStart) {
            buffers.add(last.readerIndex(runStart));
        } else {
            last.release();
        }
        runStart = 0;
    }

    private void clear() {
        buffers.clear();
        bytes = 0;
    }
}
