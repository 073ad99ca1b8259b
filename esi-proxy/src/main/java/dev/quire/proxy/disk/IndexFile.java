package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The file beside a segment with the headers of its frames. It is written after the frames: a
 * header at its start names the length of the segment that the entries cover.
 */
final class IndexFile {
    /*
     * All numbers are big-endian. The header:
     *
     *    0   8   magic
     *    8   4   version of the format
     *   12   4   1 if the segment is sealed, else 0
     *   16   8   number of the segment
     *   24  16   id of the tier
     *   40   8   length of the segment that the entries cover
     *   48   4   count of the entries
     *   52   8   0
     *   60   4   CRC-32C of all before
     *
     * An entry:
     *
     *    0  16   id
     *   16   8   position
     *   24   8   expiry
     *   32   4   place / 8
     *   36   4   length of the record, -1 for a removal
     *   40   4   CRC-32C of the record
     *   44   4   CRC-32C of all before, changed by the numbers of the segment and of the entry
     */

    static final int ENTRY_BYTES = 48;
    static final int HEADER_BYTES = 64;

    /** QUIREIDX. */
    private static final long MAGIC = 0x51554952_45494458L;

    private static final int HEADER_CHECK_AT = HEADER_BYTES - Integer.BYTES;
    private static final int ENTRY_CHECK_AT = ENTRY_BYTES - Integer.BYTES;

    /** Entries that are read or written at once. */
    private static final int BLOCK = 2048;

    private IndexFile() {}

    /** The part of a segment that a file covers. */
    record Coverage(long segmentBytes, int count, boolean isSealed) {}

    private static long offset(int entry) {
        return HEADER_BYTES + (long) ENTRY_BYTES * entry;
    }

    /**
     * Shows the entries of {@code file}. Returns null if it is not the index file of {@code
     * segment}, or is damaged; some entries, all of them valid, may have been shown.
     *
     * @param segmentBytes the length of the segment
     */
    static @Nullable Coverage read(
            FileChannel file, long segment, UUID tier, long segmentBytes, FrameVisitor visitor)
            throws IOException {
        var coverage = coverage(file, segment, tier);
        if (coverage == null || coverage.segmentBytes() > segmentBytes) {
            return null;
        }
        var block = ByteBuffer.allocateDirect(BLOCK * ENTRY_BYTES);
        for (int first = 0; first < coverage.count(); first += BLOCK) {
            int count = Math.min(BLOCK, coverage.count() - first);
            block.clear().limit(count * ENTRY_BYTES);
            if (!Checks.readFully(file, block, offset(first))) {
                return null;
            }
            for (int i = 0; i < count; i++) {
                int at = i * ENTRY_BYTES;
                if (block.getInt(at + ENTRY_CHECK_AT)
                        != Checks.check(block, at, ENTRY_CHECK_AT, segment, first + i)) {
                    return null;
                }
                visitor.frame(
                        Integer.toUnsignedLong(block.getInt(at + 32)) * FrameHeader.UNIT,
                        new FrameHeader(
                                new RecordHash(block.getLong(at), block.getLong(at + 8)),
                                block.getLong(at + 16),
                                block.getLong(at + 24),
                                block.getInt(at + 36),
                                block.getInt(at + 40)));
            }
        }
        return coverage;
    }

    /** The length of the segment that {@code file} covers; 0 if it is not its index file. */
    static long coveredBytes(FileChannel file, long segment, UUID tier) throws IOException {
        var coverage = coverage(file, segment, tier);
        return coverage == null ? 0 : coverage.segmentBytes();
    }

    private static @Nullable Coverage coverage(FileChannel file, long segment, UUID tier)
            throws IOException {
        var header = ByteBuffer.allocate(HEADER_BYTES);
        boolean isValid =
                Checks.readFully(file, header, 0)
                        && header.getLong(0) == MAGIC
                        && header.getInt(HEADER_CHECK_AT)
                                == Checks.check(header, 0, HEADER_CHECK_AT, segment, 0)
                        && header.getInt(8) == LogDirectory.VERSION
                        && header.getLong(24) == tier.getMostSignificantBits()
                        && header.getLong(32) == tier.getLeastSignificantBits();
        return isValid
                ? new Coverage(header.getLong(40), header.getInt(48), header.getInt(12) != 0)
                : null;
    }

    /** Adds entries to the file of one segment. Confined to one thread. */
    static final class Writer implements AutoCloseable {
        private final FileChannel file;
        private final long segment;
        private final UUID tier;
        private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK * ENTRY_BYTES);

        /** Entries in the file. */
        private int written;

        /**
         * @param count of the entries that {@code file} already has
         */
        Writer(FileChannel file, long segment, UUID tier, int count) {
            this.file = file;
            this.segment = segment;
            this.tier = tier;
            this.written = count;
        }

        boolean isBlockFull() {
            return !block.hasRemaining();
        }

        /** The length of the file when all entries are written. */
        long bytes() {
            return offset(written) + block.position();
        }

        /** Adds an entry. The block must not be full. */
        void add(long place, FrameHeader frame) {
            int at = block.position();
            int entry = written + at / ENTRY_BYTES;
            block.putLong(frame.id().high()).putLong(frame.id().low()).putLong(frame.position());
            block.putLong(frame.expiryMillis()).putInt((int) (place / FrameHeader.UNIT));
            block.putInt(frame.length()).putInt(frame.check());
            block.putInt(Checks.check(block, at, ENTRY_CHECK_AT, segment, entry));
        }

        /** Writes the entries, which cover the segment up to {@code segmentBytes}. */
        void flush(long segmentBytes, boolean isSealed) throws IOException {
            int count = written + block.position() / ENTRY_BYTES;
            Checks.writeFully(file, block.duplicate().flip(), offset(written));
            var header = ByteBuffer.allocate(HEADER_BYTES);
            header.putLong(MAGIC).putInt(LogDirectory.VERSION).putInt(isSealed ? 1 : 0);
            header.putLong(segment);
            header.putLong(tier.getMostSignificantBits());
            header.putLong(tier.getLeastSignificantBits());
            header.putLong(segmentBytes).putInt(count).putLong(0);
            header.putInt(Checks.check(header, 0, HEADER_CHECK_AT, segment, 0));
            Checks.writeFully(file, header.flip(), 0);
            written = count;
            block.clear();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
