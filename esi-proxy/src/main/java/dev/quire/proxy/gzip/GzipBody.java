package dev.quire.proxy.gzip;

import dev.quire.proxy.exchange.Gathering;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * One gzip body (RFC 1952), built from pieces as they arrive. Each call adds to the given {@link
 * Gathering}, and leaves a body that an inflater can decode up to the last byte added. Confined to
 * one thread.
 */
public final class GzipBody {

    /** The last block, which is empty (RFC 1951 §3.2.6), then checksum and length. */
    private static final int LAST_BLOCK = 0x0003;

    private static final int LAST_BYTES = 2 + 2 * Integer.BYTES;

    private final CRC32 checksum = new CRC32();
    private int crc;
    private int plainBytes;
    private boolean hasBegun;

    public void add(GzipPiece piece, Gathering out) {
        begin(out);
        crc = piece.shift().of(crc) ^ piece.crc();
        plainBytes += piece.plainBytes();
        piece.addTo(out);
    }

    /** Adds {@code text} uncompressed. */
    public void add(byte[] text, Gathering out) {
        begin(out);
        var plain = ByteBuffer.wrap(text);
        count(plain);
        StoredBlocks.write(plain, out.room(StoredBlocks.lengthOf(text.length)));
    }

    /** Adds the bytes of {@code data} uncompressed; takes over one reference. */
    public void add(ByteBuf data, Gathering out) {
        begin(out);
        for (var plain : data.nioBuffers()) {
            count(plain);
        }
        while (data.readableBytes() > 0) {
            int bytes = Math.min(data.readableBytes(), StoredBlocks.MAX_BYTES);
            StoredBlocks.writeHeader(out.room(StoredBlocks.HEADER_BYTES), bytes);
            out.add(data, data.readerIndex(), bytes);
            data.skipBytes(bytes);
        }
        data.release();
    }

    public void end(Gathering out) {
        begin(out);
        out.room(LAST_BYTES).writeShortLE(LAST_BLOCK).writeIntLE(crc).writeIntLE(plainBytes);
    }

    private void begin(Gathering out) {
        if (!hasBegun) {
            hasBegun = true;
            out.add(GzipHeader.OURS, 0, GzipHeader.OURS.readableBytes());
        }
    }

    private void count(ByteBuffer plain) {
        int bytes = plain.remaining();
        checksum.reset();
        checksum.update(plain.duplicate());
        crc = Crc32Combine.of(crc, bytes) ^ (int) checksum.getValue();
        plainBytes += bytes;
    }
}
