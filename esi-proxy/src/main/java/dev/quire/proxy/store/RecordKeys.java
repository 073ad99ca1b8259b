package dev.quire.proxy.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.SharedRecords.ListKind;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Version;
import java.nio.ByteBuffer;

/** The keys of records and of their leases: all those of a resource are in one slot. */
public final class RecordKeys {
    private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);
    private static final int HASH_CHARS = 32;
    private static final int VERSION_BYTES = 3 * Long.BYTES;

    private final byte[] start;

    /**
     * @param namespace begins all keys
     */
    public RecordKeys(String namespace) {
        this.start = (namespace + ":{").getBytes(US_ASCII);
    }

    /** The key of the record at {@code place}. */
    public byte[] record(Place place) {
        return key(place, 0);
    }

    /** The key of its lease. */
    public byte[] lease(Place place) {
        var key = key(place, 2);
        key[key.length - 2] = ':';
        key[key.length - 1] = 'l';
        return key;
    }

    private byte[] key(Place place, int more) {
        var variant = place.variant();
        int bytes = start.length + HASH_CHARS + 1 + (variant == null ? 0 : 1 + HASH_CHARS) + more;
        var key = new byte[bytes];
        System.arraycopy(start, 0, key, 0, start.length);
        int at = put(place.resource(), key, start.length);
        key[at++] = '}';
        if (variant != null) {
            key[at++] = ':';
            put(variant, key, at);
        }
        return key;
    }

    private static int put(RecordHash hash, byte[] to, int at) {
        return put(hash.low(), to, put(hash.high(), to, at));
    }

    private static int put(long number, byte[] to, int at) {
        int next = at;
        for (int shift = Long.SIZE - 4; shift >= 0; shift -= 4) {
            to[next++] = HEX[(int) (number >>> shift) & 0xf];
        }
        return next;
    }

    /** Returns it as {@code RecordHeader} has it. */
    public static byte[] bytes(Version version) {
        return ByteBuffer.allocate(VERSION_BYTES)
                .putLong(version.position().epoch())
                .putLong(version.position().number())
                .putLong(version.writtenAtMillis())
                .array();
    }

    /** Returns it as {@code VarySpec} has it, or the beginning of that. */
    public static byte[] bytes(ListKind kind) {
        var codings = kind.codings();
        var names = bytes(kind.names());
        return codings == null
                ? names
                : ByteBuffer.allocate(2 * Long.BYTES).put(names).putLong(codings).array();
    }

    /** Returns it with the highest byte first. */
    public static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
