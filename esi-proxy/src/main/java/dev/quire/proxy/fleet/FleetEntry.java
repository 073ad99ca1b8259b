package dev.quire.proxy.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.disk.PassedEntry;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An entry of the log of the fleet. */
sealed interface FleetEntry {

    /*
     * The kind, 1 byte; the length of the name of the node, 2 bytes, and the name; the number among
     * the entries of this node, 8 bytes; an invalidation as it is passed between processes. The end
     * of a ban is that of its condition, since the other nodes have other numbers.
     */

    /** The version of this format and of the meaning of the keys beside the log. */
    int SCHEMA = 1;

    /** By this much the clock of the store may seem to differ between two nodes. */
    Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    /** An invalidation, which is not the end of a ban. */
    record Made(EntryName name, InvalidationEntry entry) implements FleetEntry {}

    /** The end of a ban, if it is active. */
    record Lifted(EntryName name, BanEntry ban) implements FleetEntry {}

    /** The first entry of an epoch. */
    record Begin() implements FleetEntry {}

    static byte[] begin() {
        return new byte[] {Kind.BEGIN};
    }

    /**
     * Returns the bytes of {@code entry}.
     *
     * @param isLifted whether it is the end of that ban
     * @param time with the clock of the store as its wall clock
     */
    static byte[] write(EntryName name, InvalidationEntry entry, boolean isLifted, Time time) {
        var node = name.node().getBytes(UTF_8);
        return ByteBufUtil.getBytes(
                Unpooled.wrappedBuffer(
                        Unpooled.buffer()
                                .writeByte(isLifted ? Kind.LIFTED : Kind.MADE)
                                .writeShort(node.length)
                                .writeBytes(node)
                                .writeLong(name.sequence()),
                        PassedEntry.write(entry, time)));
    }

    /** Returns the name of the entry of {@code bytes}; null if it has none. */
    static @Nullable EntryName name(byte[] bytes) {
        var in = Unpooled.wrappedBuffer(bytes);
        try {
            return in.readByte() == Kind.BEGIN ? null : name(in);
        } catch (IndexOutOfBoundsException malformed) {
            return null;
        }
    }

    private static EntryName name(ByteBuf in) {
        var node = in.readCharSequence(in.readUnsignedShort(), UTF_8).toString();
        return new EntryName(node, in.readLong());
    }

    /**
     * Reads an entry.
     *
     * @param time as in {@link #write}
     * @return null if no node of this version has written it
     */
    static @Nullable FleetEntry read(byte[] bytes, Time time) {
        var in = Unpooled.wrappedBuffer(bytes);
        try {
            int kind = in.readByte();
            if (kind == Kind.BEGIN) {
                return new Begin();
            }
            var name = name(in);
            var entry = PassedEntry.read(in, time, CLOCK_TOLERANCE);
            return switch (kind) {
                case Kind.MADE -> new Made(name, entry);
                case Kind.LIFTED -> entry instanceof BanEntry ban ? new Lifted(name, ban) : null;
                default -> null;
            };
        } catch (IndexOutOfBoundsException | IllegalArgumentException malformed) {
            return null;
        }
    }

    /** The first byte. */
    final class Kind {
        private static final byte MADE = 1;
        private static final byte LIFTED = 2;
        private static final byte BEGIN = 3;

        private Kind() {}
    }
}
