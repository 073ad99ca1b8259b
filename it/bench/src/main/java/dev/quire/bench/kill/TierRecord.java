package dev.quire.bench.kill;

import dev.quire.proxy.cache.RecordHash;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * A record that shows which one it is, and any damage.
 *
 * @param number of its id
 * @param version greater for later ones of the same id
 * @param epoch of the process that tested it against invalidations
 * @param position the number of the newest of them
 * @param filling bytes that follow, which depend on number and version
 */
record TierRecord(int number, long version, long epoch, long position, int filling) {
    private static final int HEAD_BYTES = 2 * Integer.BYTES + 3 * Long.BYTES;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    RecordHash id() {
        return id(number);
    }

    static RecordHash id(int number) {
        return new RecordHash((number + 1) * MIX, number);
    }

    /** The same one, tested anew. */
    TierRecord testedIn(long present, long newest) {
        return new TierRecord(number, version, present, newest, filling);
    }

    /** Returns it in memory that the caller releases. */
    ByteBuf bytes() {
        int bytes = HEAD_BYTES + filling + Integer.BYTES;
        var out = Unpooled.directBuffer(bytes, bytes);
        out.writeInt(number).writeLong(version).writeLong(epoch).writeLong(position);
        out.writeInt(filling);
        var filled = new byte[filling];
        new SplittableRandom(number * MIX + version).nextBytes(filled);
        out.writeBytes(filled);
        return out.writeInt(check(out));
    }

    private static int check(ByteBuf bytes) {
        var crc = new CRC32C();
        crc.update(bytes.nioBuffer());
        return (int) crc.getValue();
    }

    /** Reads a record of {@code number}; empty if it is not an undamaged one of it. */
    static Optional<TierRecord> read(int number, ByteBuf record) {
        int bytes = record.readableBytes() - Integer.BYTES;
        if (bytes < HEAD_BYTES
                || record.getInt(bytes) != check(record.slice(0, bytes))
                || record.getInt(0) != number) {
            return Optional.empty();
        }
        var in = record.duplicate();
        return Optional.of(
                new TierRecord(
                        in.readInt(), in.readLong(), in.readLong(), in.readLong(), in.readInt()));
    }
}
