package dev.quire.proxy.disk;

import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogNote.OwnId;
import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.cache.LogState.Place;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The serial form of {@link LogNote}s, as in {@link JournalBytes}. */
final class LogNoteBytes {

    /*
     * BEGUN  epoch, floor, last entry that was read
     * READ   epoch, floor, last entry that was read; a list of ids and numbers; a list of the
     *        numbers of own entries and their ids
     * OWN    number, id; a list of numbers; a list of bytes
     */

    static final int BEGUN = 9;
    static final int READ = 10;
    static final int OWN = 11;

    private static final int PAIR_BYTES = 2 * Long.BYTES;

    private LogNoteBytes() {}

    static void write(LogNote note, ByteBuf out) {
        switch (note) {
            case LogNote.Begun(var epoch, var floor, var applied) ->
                    out.writeByte(BEGUN).writeLong(epoch).writeLong(floor).writeLong(applied);
            case LogNote.Read(var epoch, var floor, var applied, var places, var own) -> {
                out.writeByte(READ).writeLong(epoch).writeLong(floor).writeLong(applied);
                out.writeInt(places.size());
                places.forEach(each -> out.writeLong(each.id()).writeLong(each.number()));
                out.writeInt(own.size());
                own.forEach(each -> out.writeLong(each.number()).writeLong(each.id()));
            }
            case LogNote.Made(var own) -> {
                out.writeByte(OWN).writeLong(own.number()).writeLong(own.id());
                out.writeInt(own.numbers().length);
                LongStream.of(own.numbers()).forEach(out::writeLong);
                out.writeInt(own.bytes().length).writeBytes(own.bytes());
            }
        }
    }

    /**
     * Reads a note behind its kind.
     *
     * @throws IllegalArgumentException if no writer could have written it
     */
    static LogNote read(int kind, ByteBuf in) {
        return switch (kind) {
            case BEGUN -> {
                long epoch = number(in);
                require(epoch != 0);
                yield new LogNote.Begun(epoch, position(in), position(in));
            }
            case READ ->
                    new LogNote.Read(
                            number(in), position(in), position(in), places(in), ownIds(in));
            default -> new LogNote.Made(own(in));
        };
    }

    private static List<Place> places(ByteBuf in) {
        var all = new ArrayList<Place>();
        for (int rest = size(in, PAIR_BYTES); rest > 0; rest--) {
            all.add(new Place(position(in), position(in)));
        }
        return all;
    }

    private static List<OwnId> ownIds(ByteBuf in) {
        var all = new ArrayList<OwnId>();
        for (int rest = size(in, PAIR_BYTES); rest > 0; rest--) {
            all.add(new OwnId(position(in), position(in)));
        }
        return all;
    }

    private static Own own(ByteBuf in) {
        long number = position(in);
        long id = position(in);
        var numbers = new long[size(in, Long.BYTES)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = position(in);
            require(i == 0 || numbers[i] > numbers[i - 1]);
        }
        var bytes = new byte[size(in, 1)];
        in.readBytes(bytes);
        return new Own(number, id, numbers, bytes);
    }

    private static int size(ByteBuf in, int leastBytes) {
        require(in.readableBytes() >= Integer.BYTES);
        long size = in.readUnsignedInt();
        require(size <= in.readableBytes() / leastBytes);
        return (int) size;
    }

    private static long number(ByteBuf in) {
        require(in.readableBytes() >= Long.BYTES);
        return in.readLong();
    }

    private static long position(ByteBuf in) {
        long position = number(in);
        require(position >= 0);
        return position;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException("malformed");
        }
    }
}
