package dev.quire.proxy.gzip;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * One gzip body (RFC 1952) in one run of deflate, compressed as it arrives. It has a deflater until
 * it is closed. Each method returns the next bytes of the body, possibly none; the caller owns
 * them. Confined to one thread.
 */
public final class GzipStream {
    private static final int STEP_BYTES = 4 * 1024;
    private static final byte[] NOTHING = {};

    private final ByteBufAllocator alloc;
    private final Runnable closed;
    private final Deflater deflater = Deflaters.take();
    private final CRC32 checksum = new CRC32();
    private int plainBytes;
    private boolean hasBegun;
    private boolean isFlushed = true;

    /**
     * @param closed called by {@link #close}
     */
    public GzipStream(ByteBufAllocator alloc, Runnable closed) {
        this.alloc = alloc;
        this.closed = closed;
    }

    /** Adds the readable bytes of {@code data}, which remains owned by the caller. */
    public ByteBuf add(ByteBuf data) {
        var out = begun();
        for (var plain : data.nioBuffers()) {
            checksum.update(plain.duplicate());
            plainBytes += plain.remaining();
            deflater.setInput(plain);
            deflate(out, Deflater.NO_FLUSH);
        }
        // The deflater must not refer to memory that is released.
        deflater.setInput(NOTHING);
        isFlushed = false;
        return out;
    }

    /** Ends the current block, so that all bytes added so far can be decoded. */
    public ByteBuf flush() {
        var out = begun();
        if (!isFlushed) {
            isFlushed = true;
            deflate(out, Deflater.SYNC_FLUSH);
        }
        return out;
    }

    /** Ends the body. */
    public ByteBuf end() {
        var out = begun();
        deflater.finish();
        deflate(out, Deflater.NO_FLUSH);
        return out.writeIntLE((int) checksum.getValue()).writeIntLE(plainBytes);
    }

    /** Gives back the deflater; nothing may be called after that. */
    public void close() {
        Deflaters.giveBack(deflater);
        closed.run();
    }

    private ByteBuf begun() {
        var out = alloc.directBuffer(STEP_BYTES);
        if (!hasBegun) {
            hasBegun = true;
            out.writeBytes(GzipHeader.OURS, 0, GzipHeader.OURS.readableBytes());
        }
        return out;
    }

    private void deflate(ByteBuf out, int flush) {
        int room;
        int written;
        do {
            out.ensureWritable(STEP_BYTES);
            room = out.writableBytes();
            written = deflater.deflate(out.nioBuffer(out.writerIndex(), room), flush);
            out.writerIndex(out.writerIndex() + written);
        } while (written == room);
    }
}
