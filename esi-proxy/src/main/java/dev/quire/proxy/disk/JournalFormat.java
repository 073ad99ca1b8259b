package dev.quire.proxy.disk;

import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.InvalidationState.Epoch;
import dev.quire.proxy.cache.InvalidationState.Numbered;
import dev.quire.proxy.cache.InvalidationState.Position;
import dev.quire.proxy.cache.LogFold;
import dev.quire.proxy.disk.JournalReading.Unusable;
import dev.quire.proxy.disk.JournalReading.Usable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The layout of the two files of a journal. Pure. */
final class JournalFormat {

    /*
     * All numbers are big-endian.
     *
     * journal.log    header, frames, zeros
     *
     * header    0   4   magic
     *           4   4   version
     *           8  16   id of the tier
     *          24   8   generation: the number of times that the journal was written anew
     *          32   4   CRC-32C of the header up to here
     *
     * frame     0   4   length of the item
     *           4   4   CRC-32C of the length and the item
     *           8       the item, see JournalBytes
     *
     * journal.end    two slots, 4,096 bytes apart; generations use them in turn
     *
     * slot      0  16   id of the tier
     *          16   8   generation
     *          24   8   end of the frames that were synced, in journal.log
     *          32   4   CRC-32C of the slot up to here
     *
     * A slot is written after its frames were synced, so a journal with fewer bytes, or with a
     * damaged frame before its end, has lost entries that were reported as durable.
     */

    static final int VERSION = 2;

    /** The version without notes of the log of the fleet. */
    private static final int FIRST_VERSION = 1;

    static final int HEADER_BYTES = 36;
    static final int SLOT_BYTES = 36;

    /** More than any entry has; positions are written in parts. */
    static final int MAX_ITEM_BYTES = 16 << 20;

    private static final int MAGIC = 0x514a524e; // QJRN
    private static final int CHECK_BYTES = Integer.BYTES;
    private static final int FRAME_BYTES = 2 * Integer.BYTES;
    private static final int SLOT_SPACE = 4096;
    static final int END_BYTES = 2 * SLOT_SPACE;
    private static final int GENERATION_AT = 24;
    private static final int POSITIONS_AT_A_TIME = 4096;

    /** Much more than a journal has before it is compacted. */
    private static final long MAX_BYTES = 1L << 30;

    private JournalFormat() {}

    static ByteBuf header(UUID tier, long generation) {
        return header(VERSION, tier, generation);
    }

    private static ByteBuf header(int version, UUID tier, long generation) {
        var header = Unpooled.buffer(HEADER_BYTES).writeInt(MAGIC).writeInt(version);
        return checked(id(header, tier).writeLong(generation));
    }

    static ByteBuf slot(UUID tier, long generation, long end) {
        return checked(id(Unpooled.buffer(SLOT_BYTES), tier).writeLong(generation).writeLong(end));
    }

    /** Returns the offset of the slot of {@code generation}. */
    static int slotAt(long generation) {
        return (int) (generation & 1) * SLOT_SPACE;
    }

    private static ByteBuf id(ByteBuf out, UUID tier) {
        return out.writeLong(tier.getMostSignificantBits())
                .writeLong(tier.getLeastSignificantBits());
    }

    private static ByteBuf checked(ByteBuf written) {
        return written.writeInt(check(written));
    }

    private static int check(ByteBuf bytes) {
        var check = new CRC32C();
        check.update(bytes.nioBuffer());
        return (int) check.getValue();
    }

    /** Appends the frame of {@code item}. */
    static void writeFrame(JournalItem item, Clocks clocks, ByteBuf out) {
        int start = out.writerIndex();
        out.writeZero(FRAME_BYTES);
        JournalBytes.write(item, clocks, out);
        int length = out.writerIndex() - start - FRAME_BYTES;
        if (length > MAX_ITEM_BYTES) {
            throw new IllegalStateException("an item of " + length + " bytes");
        }
        out.setInt(start, length);
        out.setInt(start + Integer.BYTES, frameCheck(out.slice(start + FRAME_BYTES, length)));
    }

    private static int frameCheck(ByteBuf item) {
        var check = new CRC32C();
        check.update(Unpooled.copyInt(item.readableBytes()).nioBuffer());
        check.update(item.nioBuffer());
        return (int) check.getValue();
    }

    /** Appends the frames that a journal of {@code state} begins with. */
    static void writeState(InvalidationState state, Clocks clocks, ByteBuf out) {
        var items = new ArrayList<JournalItem>();
        items.add(
                new JournalItem.Begin(state.seed(), state.factor(), state.newest(), state.floor()));
        state.epochs().forEach(epoch -> items.add(new JournalItem.EpochItem(epoch)));
        state.entries()
                .forEach(entry -> items.add(new JournalItem.Entry(entry.number(), entry.entry())));
        var positions = state.positions();
        for (int from = 0; from < positions.size(); from += POSITIONS_AT_A_TIME) {
            int to = Math.min(positions.size(), from + POSITIONS_AT_A_TIME);
            items.add(new JournalItem.Positions(positions.subList(from, to)));
        }
        var log = state.log();
        if (log != null) {
            log.notes().forEach(note -> items.add(new JournalItem.Note(note)));
        }
        items.forEach(item -> writeFrame(item, clocks, out));
    }

    /** A source of the bytes of {@code journal.log}. */
    interface Source {
        /** Returns the first {@code length} bytes, or fewer if there are not as many. */
        ByteBuf read(int length) throws IOException;
    }

    /**
     * Reads a journal.
     *
     * @param log the content of {@code journal.log}
     * @param end that of {@code journal.end}
     */
    static JournalReading read(Source log, ByteBuf end, UUID tier, Clocks clocks)
            throws IOException {
        var header = log.read(HEADER_BYTES);
        if (header.readableBytes() < HEADER_BYTES) {
            return new Unusable(JournalLoss.SHORTER);
        }
        int covered = HEADER_BYTES - CHECK_BYTES;
        if (header.getInt(0) != MAGIC
                || header.getInt(covered) != check(header.slice(0, covered))) {
            return new Unusable(JournalLoss.DAMAGED);
        }
        int version = header.getInt(Integer.BYTES);
        if (version != VERSION && version != FIRST_VERSION) {
            return new Unusable(JournalLoss.VERSION);
        }
        long generation = header.getLong(GENERATION_AT);
        if (!header.equals(header(version, tier, generation))) {
            return new Unusable(JournalLoss.OTHER_TIER);
        }
        long length = end(end, tier, generation);
        if (length < HEADER_BYTES || length > MAX_BYTES) {
            return new Unusable(JournalLoss.NO_END);
        }
        var frames = log.read((int) length);
        if (frames.readableBytes() < length) {
            return new Unusable(JournalLoss.SHORTER);
        }
        try {
            return new Usable(state(frames.skipBytes(HEADER_BYTES), clocks), generation);
        } catch (IllegalArgumentException malformed) {
            return new Unusable(JournalLoss.DAMAGED);
        }
    }

    /** Returns the end of the journal of {@code generation}; 0 if it is not known. */
    private static long end(ByteBuf end, UUID tier, long generation) {
        int at = slotAt(generation);
        if (end.readableBytes() != END_BYTES) {
            return 0;
        }
        long length = end.getLong(at + GENERATION_AT);
        return end.slice(at, SLOT_BYTES).equals(slot(tier, generation, length)) ? length : 0;
    }

    static ByteBuf emptyEnd() {
        return Unpooled.buffer(END_BYTES).writeZero(END_BYTES);
    }

    private static InvalidationState state(ByteBuf frames, Clocks clocks) {
        if (!(item(frames, clocks) instanceof JournalItem.Begin begin)) {
            throw new IllegalArgumentException("no begin");
        }
        var epochs = new ArrayList<Epoch>();
        var entries = new ArrayList<Numbered>();
        var positions = new ArrayList<Position>();
        var log = new LogFold();
        boolean hasNotes = false;
        while (frames.isReadable()) {
            switch (item(frames, clocks)) {
                case JournalItem.Begin again -> throw new IllegalArgumentException("two begins");
                case JournalItem.EpochItem(var epoch) -> epochs.add(epoch);
                case JournalItem.Positions(var all) -> positions.addAll(all);
                case JournalItem.Entry(var number, var entry) ->
                        entries.add(new Numbered(number, entry));
                case JournalItem.Note(var note) -> {
                    log.accept(note);
                    hasNotes = true;
                }
            }
        }
        return new InvalidationState(
                begin.seed(),
                begin.factor(),
                epochs,
                begin.newest(),
                begin.floor(),
                entries,
                positions,
                hasNotes ? log.state() : null);
    }

    private static JournalItem item(ByteBuf frames, Clocks clocks) {
        if (frames.readableBytes() < FRAME_BYTES) {
            throw new IllegalArgumentException("no frame");
        }
        int length = frames.readInt();
        int check = frames.readInt();
        if (length < 0 || length > frames.readableBytes()) {
            throw new IllegalArgumentException("too long");
        }
        var item = frames.readSlice(length);
        if (check != frameCheck(item)) {
            throw new IllegalArgumentException("damaged");
        }
        return JournalBytes.read(item, clocks);
    }
}
