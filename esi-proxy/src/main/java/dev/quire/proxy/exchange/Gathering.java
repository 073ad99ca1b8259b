package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one response, in order, for one gathering write. Short parts are copied into one
 * buffer, long ones are added by reference. Confined to one loop. Its contents are released once,
 * by {@link #take} or {@link #drop}.
 */
public final class Gathering {

    /*
     * A part added by reference costs a slice, an entry in the channel's queue and in the system
     * call, and two updates of a counter shared between loops. Copying a short part is cheaper, and
     * the copy is in the CPU cache when the kernel reads it. Copies stay in memory until the client
     * has received them, which may take long, so their size is limited.
     */

    /** Longer parts are not copied. */
    public static final int MAX_COPIED_BYTES = 4 * 1024;

    /** Limit of copied bytes per response. */
    private static final int MAX_BYTES = 32 * 1024;

    /** Size of a copy buffer for a page. */
    private static final int RUN_BYTES = 16 * 1024;

    private final ByteBufAllocator alloc;
    private final int runBytes;
    private final ArrayList<ByteBuf> buffers = new ArrayList<>(4);

    /** The current buffer for copied parts; null before the first. */
    private @Nullable ByteBuf run;

    /** Start of the bytes in the run that are not in {@code buffers} yet. */
    private int runStart;

    private int copiedBytes;
    private long bytes;

    /** For a page: many parts. */
    public Gathering(ByteBufAllocator alloc) {
        this(alloc, RUN_BYTES);
    }

    /**
     * @param runBytes size of each buffer that parts are copied into
     */
    public Gathering(ByteBufAllocator alloc, int runBytes) {
        this.alloc = alloc;
        this.runBytes = runBytes;
    }

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

    /** Adds the readable bytes of {@code owned}; takes over one reference. */
    public void add(ByteBuf owned) {
        int length = owned.readableBytes();
        if (isCopied(length)) {
            room(length).writeBytes(owned, owned.readerIndex(), length);
            owned.release();
        } else {
            put(owned);
        }
    }

    public void add(byte[] text) {
        room(text.length).writeBytes(text);
    }

    /** Returns a buffer to which the caller must now write exactly {@code length} bytes. */
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

    /** Passes on all parts with their references, and becomes empty. */
    public void take(Consumer<ByteBuf> taker) {
        endRun();
        for (int i = 0; i < buffers.size(); i++) {
            taker.accept(buffers.get(i));
        }
        clear();
    }

    /** Releases all parts. */
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

    /** Moves the rest of the run to the buffers, with its reference. */
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
