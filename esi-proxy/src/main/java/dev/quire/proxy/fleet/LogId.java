package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import java.util.HexFormat;

/**
 * The id of an entry of the log as one number: the store's clock in milliseconds, and 20 bits that
 * number the entries of one millisecond. Its text is {@code milliseconds-number}.
 */
public final class LogId {
    private static final int BITS = 20;
    private static final long MASK = (1L << BITS) - 1;
    private static final long MAX_MILLIS = Long.MAX_VALUE >> BITS;

    /** Before the first entry. */
    public static final long NONE = 0;

    private LogId() {}

    /**
     * Reads the text of an id.
     *
     * @throws IllegalArgumentException if it is not one, or is too large
     */
    public static long of(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException("not an id: " + text);
        }
        long millis = Long.parseLong(text, 0, dash, 10);
        long number = Long.parseLong(text, dash + 1, text.length(), 10);
        if (millis < 0 || millis > MAX_MILLIS || number < 0 || number > MASK) {
            throw new IllegalArgumentException("not an id of this log: " + text);
        }
        return millis << BITS | number;
    }

    public static String text(long id) {
        return millis(id) + "-" + (id & MASK);
    }

    /** The text of a position: the epoch in hexadecimal digits, a slash, the id. */
    public static String text(RecordPosition position) {
        return epochText(position.epoch()) + "/" + text(position.number());
    }

    /**
     * Reads the text of a position.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static RecordPosition position(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("not a position: " + text);
        }
        return new RecordPosition(
                Long.parseUnsignedLong(text, 0, slash, 16), of(text.substring(slash + 1)));
    }

    /** The text of an epoch: 16 hexadecimal digits. */
    public static String epochText(long epoch) {
        return HexFormat.of().toHexDigits(epoch);
    }

    /** When it was added, by the store's clock, in milliseconds since 1970. */
    public static long millis(long id) {
        return id >> BITS;
    }

    /** The first possible id of that millisecond. */
    static long ofMillis(long millis) {
        return Math.max(0, millis) << BITS;
    }
}
