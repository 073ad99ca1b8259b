package dev.quire.proxy.gzip;

import dev.quire.proxy.exchange.Gathering;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A run of deflate blocks (RFC 1951) without references to earlier data. It ends on a byte boundary
 * and does not contain the last block, so it can be part of any body. Incompressible data is in
 * stored blocks. Immutable, except for its reference count of one.
 */
public final class GzipPiece {

    /** Size of the objects: piece, shift and buffer, without the contents of the buffer. */
    private static final long PIECE_BYTES = 472;

    private final int plainBytes;
    private final ByteBuf coded;
    private final int crc;
    private final Crc32Combine shift;

    private GzipPiece(int plainBytes, ByteBuf coded, int crc) {
        this.plainBytes = plainBytes;
        this.coded = coded;
        this.crc = crc;
        this.shift = Crc32Combine.by(plainBytes);
    }

    /**
     * Compresses the remaining bytes of {@code plain}, whose position does not change. The caller
     * owns the result.
     */
    public static GzipPiece of(ByteBuffer plain) {
        int bytes = plain.remaining();
        var checksum = new CRC32();
        checksum.update(plain.duplicate());
        // A longer result is not worth inflating.
        var scratch = PooledByteBufAllocator.DEFAULT.directBuffer(StoredBlocks.lengthOf(bytes));
        try {
            if (bytes > StoredBlocks.HEADER_BYTES) {
                deflate(plain, scratch);
            }
            if (!scratch.isReadable()) {
                StoredBlocks.write(plain, scratch);
            }
            int length = scratch.readableBytes();
            var coded =
                    UnpooledByteBufAllocator.DEFAULT
                            .directBuffer(length, length)
                            .writeBytes(scratch);
            return new GzipPiece(bytes, coded, (int) checksum.getValue());
        } finally {
            scratch.release();
        }
    }

    /** The length of the uncompressed data. */
    int plainBytes() {
        return plainBytes;
    }

    void addTo(Gathering out) {
        out.add(coded, coded.readerIndex(), coded.readableBytes());
    }

    /** A copy of the blocks. */
    public byte[] copy() {
        return ByteBufUtil.getBytes(coded);
    }

    /** The length of the blocks. */
    public int length() {
        return coded.readableBytes();
    }

    int crc() {
        return crc;
    }

    Crc32Combine shift() {
        return shift;
    }

    /** Its size in memory, on and off the heap. */
    public long weightBytes() {
        return PIECE_BYTES + coded.capacity();
    }

    public void release() {
        coded.release();
    }

    /** Deflates into {@code blocks}, which stay empty if the result does not fit. */
    private static void deflate(ByteBuffer plain, ByteBuf blocks) {
        var deflater = Deflaters.take();
        try {
            deflater.setInput(plain.duplicate());
            var into = blocks.nioBuffer(0, blocks.capacity());
            deflater.deflate(into, Deflater.SYNC_FLUSH);
            if (into.hasRemaining()) {
                // Only if there is room left has zlib written all of its flush.
                blocks.writerIndex(into.position());
            }
        } finally {
            Deflaters.giveBack(deflater);
        }
    }
}
