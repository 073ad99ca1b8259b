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
 * Some bytes as blocks of deflate (RFC 1951) that refer to nothing in front of them, end on a byte
 * boundary and are not the last ones: they can stand anywhere in any body. Where compressing gains
 * nothing the blocks are stored ones. Immutable but for its one reference.
 */
public final class GzipPiece {

    /** What it costs on the heap, roughly, without its bytes. */
    private static final long PIECE_BYTES = 400;

    private final int plainBytes;
    private final ByteBuf coded;
    private final int crc;
    private final Shift shift;

    private GzipPiece(int plainBytes, ByteBuf coded, int crc) {
        this.plainBytes = plainBytes;
        this.coded = coded;
        this.crc = crc;
        this.shift = Shift.by(plainBytes);
    }

    /** Of what remains in {@code plain}, whose position does not change. The caller owns it. */
    public static GzipPiece of(ByteBuffer plain) {
        int bytes = plain.remaining();
        var checksum = new CRC32();
        checksum.update(plain.duplicate());
        // What does not come out shorter than this is not worth being inflated.
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

    /** The length of what it stands for. */
    int plainBytes() {
        return plainBytes;
    }

    /** Adds the blocks to {@code out}. */
    void addTo(Gathering out) {
        out.add(coded, coded.readerIndex(), coded.readableBytes());
    }

    /** A copy of the blocks. */
    public byte[] copy() {
        return ByteBufUtil.getBytes(coded);
    }

    /** The length of its blocks. */
    public int length() {
        return coded.readableBytes();
    }

    int crc() {
        return crc;
    }

    Shift shift() {
        return shift;
    }

    /** What it costs, on the heap and beside it. */
    public long weightBytes() {
        return PIECE_BYTES + coded.capacity();
    }

    public void release() {
        coded.release();
    }

    /** Into {@code blocks}, which stay empty unless all of it fits in there. */
    private static void deflate(ByteBuffer plain, ByteBuf blocks) {
        var deflater = Deflaters.take();
        try {
            deflater.setInput(plain.duplicate());
            var into = blocks.nioBuffer(0, blocks.capacity());
            deflater.deflate(into, Deflater.SYNC_FLUSH);
            if (into.hasRemaining()) {
                // Only then has zlib written its flush to the last byte.
                blocks.writerIndex(into.position());
            }
        } finally {
            Deflaters.giveBack(deflater);
        }
    }
}
