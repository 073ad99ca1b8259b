package dev.quire.proxy.gzip;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32;

/**
 * One body in gzip (RFC 1952), made of pieces as they come. Each call puts buffers behind the list
 * it is given, whose owner then owns them, and returns how many bytes they hold; each leaves the
 * body where an inflater can read on to the last byte added. Belongs to one thread.
 */
public final class GzipBody {

    /** No name, no time; an unknown system. */
    private static final ByteBuf HEADER =
            Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(10, 10)
                            .writeBytes(
                                    new byte[] {
                                        0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff
                                    })
                            .asReadOnly());

    /** The last block, which is empty (RFC 1951 §3.2.6), then checksum and length. */
    private static final int LAST_BLOCK = 0x0003;

    private static final int LAST_BYTES = 2 + 2 * Integer.BYTES;

    private final ByteBufAllocator alloc;
    private final CRC32 checksum = new CRC32();
    private int crc;
    private int plainBytes;
    private boolean hasBegun;

    public GzipBody(ByteBufAllocator alloc) {
        this.alloc = alloc;
    }

    /** Adds what {@code piece} stands for. */
    public int add(GzipPiece piece, List<ByteBuf> out) {
        int begun = begin(out);
        crc = piece.shift().of(crc) ^ piece.crc();
        plainBytes += piece.plainBytes();
        out.add(piece.retainedBlocks());
        return begun + piece.length();
    }

    /** Adds {@code text} as it is. */
    public int add(byte[] text, List<ByteBuf> out) {
        int begun = begin(out);
        var plain = ByteBuffer.wrap(text);
        count(plain);
        var blocks = alloc.directBuffer(StoredBlocks.lengthOf(text.length));
        StoredBlocks.write(plain, blocks);
        out.add(blocks);
        return begun + blocks.readableBytes();
    }

    /** Adds the bytes of {@code data}, of which one reference is taken over, as they are. */
    public int add(ByteBuf data, List<ByteBuf> out) {
        int added = begin(out);
        for (var plain : data.nioBuffers()) {
            count(plain);
        }
        while (data.readableBytes() > 0) {
            int bytes = Math.min(data.readableBytes(), StoredBlocks.MAX_BYTES);
            var header = alloc.directBuffer(StoredBlocks.HEADER_BYTES);
            StoredBlocks.writeHeader(header, bytes);
            out.add(header);
            out.add(data.readRetainedSlice(bytes));
            added += StoredBlocks.HEADER_BYTES + bytes;
        }
        data.release();
        return added;
    }

    /** Ends the body. */
    public int end(List<ByteBuf> out) {
        int begun = begin(out);
        out.add(
                alloc.directBuffer(LAST_BYTES)
                        .writeShortLE(LAST_BLOCK)
                        .writeIntLE(crc)
                        .writeIntLE(plainBytes));
        return begun + LAST_BYTES;
    }

    private int begin(List<ByteBuf> out) {
        if (hasBegun) {
            return 0;
        }
        hasBegun = true;
        out.add(HEADER.duplicate());
        return HEADER.readableBytes();
    }

    private void count(ByteBuffer plain) {
        int bytes = plain.remaining();
        checksum.reset();
        checksum.update(plain.duplicate());
        crc = Shift.of(crc, bytes) ^ (int) checksum.getValue();
        plainBytes += bytes;
    }
}
