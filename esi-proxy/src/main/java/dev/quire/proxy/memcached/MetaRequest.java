package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Commands that are sent together, each with one reply. Confined to the caller. */
final class MetaRequest {
    private static final byte[] LINE_END = {'\r', '\n'};

    /** Bytes, and records, which the caller of this request owns. */
    private final List<Object> parts = new ArrayList<>();

    private final int mark = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    private final BitSet values = new BitSet();
    private int replies;

    /** The number of replies. */
    int replies() {
        return replies;
    }

    /** Whether the reply {@code index} may have a value. */
    boolean mayHaveValue(int index) {
        return values.get(index);
    }

    /** A number that most replies repeat. */
    int mark() {
        return mark;
    }

    /** Adds a command of one line, such as {@code mg KEY v}. */
    MetaRequest line(String command, byte[] key, String terms) {
        values.set(replies, command.equals("mg") && List.of(terms.split(" ", -1)).contains("v"));
        parts.add(text(command + " "));
        parts.add(key);
        parts.add(text((terms.isEmpty() ? "" : " " + terms) + " O" + mark + "\r\n"));
        replies++;
        return this;
    }

    /** Asks for a sign of life. */
    static MetaRequest noop() {
        var request = new MetaRequest();
        request.parts.add(text("mn\r\n"));
        request.replies++;
        return request;
    }

    MetaRequest set(byte[] key, String terms, byte[] value) {
        return set(key, terms, Unpooled.wrappedBuffer(value), new byte[0]);
    }

    /**
     * Adds the command that stores a value.
     *
     * @param record remains owned by the caller; it is read when this is sent
     */
    MetaRequest set(byte[] key, String terms, ByteBuf record, byte[] seal) {
        parts.add(text("ms "));
        parts.add(key);
        parts.add(
                text(
                        " "
                                + (record.readableBytes() + seal.length)
                                + " "
                                + terms
                                + " O"
                                + mark
                                + "\r\n"));
        parts.add(record);
        parts.add(seal);
        parts.add(LINE_END);
        replies++;
        return this;
    }

    private static byte[] text(String text) {
        return text.getBytes(US_ASCII);
    }

    /** Writes it to {@code channel}. */
    void sendTo(Channel channel) {
        var lines = channel.alloc().buffer();
        for (var part : parts) {
            if (part instanceof ByteBuf record) {
                channel.write(lines, channel.voidPromise());
                channel.write(record.retainedDuplicate(), channel.voidPromise());
                lines = channel.alloc().buffer();
            } else {
                lines.writeBytes((byte[]) part);
            }
        }
        channel.writeAndFlush(lines, channel.voidPromise());
    }
}
