package dev.quire.proxy.disk;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;

/** The serial form of an invalidation that another process makes too: a version, and an item. */
public final class PassedEntry {

    /** All nodes of a fleet need the same one, whatever their journals are. */
    static final int VERSION = 1;

    /** After the version, the kind and the number. */
    private static final int TIME_AT = Integer.BYTES + Byte.BYTES + Long.BYTES;

    private PassedEntry() {}

    /** Returns {@code entry} in unpooled memory. */
    public static ByteBuf write(InvalidationEntry entry, Time time) {
        var bytes = Unpooled.buffer().writeInt(VERSION);
        // It gets another number in the other process.
        JournalBytes.write(new JournalItem.Entry(0, entry), Clocks.of(time), bytes);
        return bytes;
    }

    /**
     * Reads an entry, which must take all of {@code bytes}.
     *
     * @throws IllegalArgumentException if it is malformed, or of another version
     */
    public static InvalidationEntry read(ByteBuf bytes, Time time) {
        return read(bytes, Clocks.of(time));
    }

    /**
     * Reads an entry of a process whose clock may be ahead by {@code tolerance}: it was made now if
     * its time is later.
     */
    public static InvalidationEntry read(ByteBuf bytes, Time time, Duration tolerance) {
        var clocks = Clocks.of(time);
        return read(
                bytes,
                bytes.readableBytes() < TIME_AT + Long.BYTES
                        ? clocks
                        : clocks.notBefore(
                                bytes.getLong(bytes.readerIndex() + TIME_AT), tolerance));
    }

    private static InvalidationEntry read(ByteBuf bytes, Clocks clocks) {
        if (bytes.readableBytes() < Integer.BYTES || bytes.readInt() != VERSION) {
            throw new IllegalArgumentException("another version");
        }
        return switch (JournalBytes.read(bytes, clocks)) {
            case JournalItem.Entry(var number, var entry) -> entry;
            case JournalItem.Begin begin -> throw noEntry();
            case JournalItem.EpochItem epoch -> throw noEntry();
            case JournalItem.Positions positions -> throw noEntry();
            case JournalItem.Note note -> throw noEntry();
        };
    }

    private static IllegalArgumentException noEntry() {
        return new IllegalArgumentException("not an entry");
    }
}
