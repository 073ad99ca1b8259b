package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The variants of one resource that have records of their own, as a record: the newest first.
 *
 * @param key of the resource
 */
record RecordVariants(RecordHash key, List<Variant> variants) {

    /*
     *   0   4   magic
     *   4   2   schema
     *   6   2   count
     *   8  16   hash of the key
     *  24       for each variant: its hash, its expiry, the names of its selecting fields and its
     *           content coding, with two bytes for the length of each text
     *       4   CRC-32C of all before
     */

    static final int MAGIC = 0x51564152;

    private static final int HEADER_BYTES = 24;
    private static final int MAX_TEXT = 0xffff;
    private static final String COMMA = ",";

    RecordVariants {
        variants = List.copyOf(variants);
    }

    /**
     * A record of the resource.
     *
     * @param names of the selecting fields, with commas between them
     * @param coding its content coding if that cannot be removed; otherwise empty
     */
    record Variant(RecordHash hash, long expiryMillis, String names, String coding) {

        static Variant of(StoredResponse response, RecordHash key, long expiryMillis) {
            var selecting = response.selecting();
            var coding = response.content().traits().fixedCoding();
            return new Variant(
                    hash(selecting, coding, key), expiryMillis, names(selecting), coding);
        }

        private static String names(SelectingFields selecting) {
            return String.join(COMMA, selecting.names());
        }

        /** Whether requests for {@code response} may select it, in any content coding. */
        private boolean mayServeRequestsFor(StoredResponse response, RecordHash key) {
            var selecting = response.selecting();
            return !names.equals(names(selecting)) || hash(selecting, coding, key).equals(hash);
        }

        static RecordHash hash(SelectingFields selecting, String coding, RecordHash key) {
            return new RecordHash.Sum().add(RecordHash.of(selecting, key)).add(coding).hash();
        }

        /** Whether there can be no other response to requests for the resource. */
        boolean isOnly() {
            return names.isEmpty() && coding.isEmpty();
        }

        /** The same for the variant of {@code response}. */
        static boolean isOnly(StoredResponse response) {
            return response.selecting().fields().isEmpty()
                    && response.content().traits().fixedCoding().isEmpty();
        }

        boolean isFor(SentRequest request, RecordHash key) {
            return selected(request, names, coding, key).filter(hash::equals).isPresent();
        }

        /** Returns the hash of the variant that {@code request} selects; empty if it may not. */
        static Optional<RecordHash> selected(
                SentRequest request, String names, String coding, RecordHash key) {
            var all = names.isEmpty() ? List.<String>of() : List.of(names.split(COMMA, -1));
            var selecting = SelectingFields.of(all, request.fields());
            return request.isSelectedBy(selecting)
                    ? Optional.of(hash(selecting, coding, key))
                    : Optional.empty();
        }

        private boolean isWritable() {
            return names.length() <= MAX_TEXT && coding.length() <= MAX_TEXT;
        }
    }

    /**
     * Whether the newer one of both, responses to one resource, replaces the other one on its way
     * to a lower tier: their {@code Vary} differs, and a request could select the older one when
     * the newer one is gone.
     */
    static boolean haveOnePlace(StoredResponse one, StoredResponse other) {
        return one.isSameVariant(other)
                || (!one.selecting().names().equals(other.selecting().names())
                        && keyed(one).equals(keyed(other)));
    }

    private static List<SelectingFields.Named> keyed(StoredResponse response) {
        return response.selecting().keyed(response.head().fields());
    }

    /** The hash of the list of the resource with {@code key}. */
    static RecordHash listOf(RecordHash key) {
        return new RecordHash(~key.high(), key.low());
    }

    /**
     * Returns the hashes of the records that {@code response} may have, and of the list.
     *
     * @param key of its resource
     */
    static List<RecordHash> ids(StoredResponse response, RecordHash key) {
        var variant = Variant.of(response, key, 0);
        // It may have been written while there was a list, or before.
        return variant.isOnly()
                ? List.of(key, variant.hash(), listOf(key))
                : List.of(variant.hash(), listOf(key));
    }

    /** Returns the hashes of all. */
    List<RecordHash> hashes() {
        return variants.stream().map(Variant::hash).toList();
    }

    /** Returns the hashes of those that {@code request} selects, in any content coding. */
    List<RecordHash> of(SentRequest request) {
        return variants.stream()
                .filter(each -> each.isFor(request, key))
                .map(Variant::hash)
                .toList();
    }

    /** Returns the hashes of those that may be selected by a request for {@code response}. */
    List<RecordHash> of(StoredResponse response) {
        return variants.stream()
                .filter(each -> each.mayServeRequestsFor(response, key))
                .map(Variant::hash)
                .toList();
    }

    /**
     * Returns these with {@code added} as the newest one. Without those of other selecting fields:
     * requests could select them when the newest one is gone.
     */
    RecordVariants with(Variant added) {
        var all = new ArrayList<Variant>();
        if (added.isWritable()) {
            all.add(added);
        }
        for (var each : variants) {
            if (all.size() < Variants.MAX_VARIANTS
                    && each.names().equals(added.names())
                    && !each.hash().equals(added.hash())) {
                all.add(each);
            }
        }
        return new RecordVariants(key, all);
    }

    /** Returns these without the variant of {@code response}; itself without one. */
    RecordVariants without(@Nullable StoredResponse response) {
        return response == null
                ? this
                : without(List.of(Variant.of(response, key, expiryMillis()).hash()));
    }

    RecordVariants without(List<RecordHash> gone) {
        return new RecordVariants(
                key, variants.stream().filter(each -> !gone.contains(each.hash())).toList());
    }

    /** When none of them has any more use. */
    long expiryMillis() {
        return variants.stream().mapToLong(Variant::expiryMillis).max().orElse(0);
    }

    ByteBuf written() {
        var out = Unpooled.buffer();
        out.writeInt(MAGIC).writeShort(RecordHeader.SCHEMA).writeShort(variants.size());
        out.writeLong(key.high()).writeLong(key.low());
        for (var each : variants) {
            out.writeLong(each.hash().high()).writeLong(each.hash().low());
            out.writeLong(each.expiryMillis());
            write(each.names(), out);
            write(each.coding(), out);
        }
        return out.writeInt(RecordHeader.check(out, MAGIC));
    }

    private static void write(String text, ByteBuf out) {
        out.writeShort(text.length());
        out.writeCharSequence(text, ISO_8859_1);
    }

    /** Whether {@code record} has the magic of a list. */
    static boolean isList(ByteBuf record) {
        return record.readableBytes() >= HEADER_BYTES
                && record.getInt(record.readerIndex()) == MAGIC;
    }

    /** Reads the list of {@code key} in {@code log}; null if it has none. */
    static @Nullable RecordVariants in(RecordLog log, RecordHash key) {
        var id = listOf(key);
        var record = log.has(id) ? log.read(id) : null;
        if (record == null) {
            return null;
        }
        try {
            return read(record, key);
        } finally {
            record.release();
        }
    }

    /** Reads the list of {@code key}; null if {@code record} is another one, or damaged. */
    static @Nullable RecordVariants read(ByteBuf record, RecordHash key) {
        if (!isList(record)) {
            return null;
        }
        int covered = record.readableBytes() - RecordHeader.CHECK_BYTES;
        var in = record.slice(record.readerIndex(), covered);
        if (record.getInt(record.readerIndex() + covered) != RecordHeader.check(in, MAGIC)) {
            return null;
        }
        in.skipBytes(Integer.BYTES);
        int schema = in.readUnsignedShort();
        int count = in.readUnsignedShort();
        if (schema != RecordHeader.SCHEMA || !hash(in).equals(key)) {
            return null;
        }
        try {
            var variants = new ArrayList<Variant>();
            for (int i = 0; i < count; i++) {
                variants.add(new Variant(hash(in), in.readLong(), text(in), text(in)));
            }
            return in.isReadable() ? null : new RecordVariants(key, variants);
        } catch (IndexOutOfBoundsException forged) {
            return null;
        }
    }

    private static RecordHash hash(ByteBuf in) {
        return new RecordHash(in.readLong(), in.readLong());
    }

    private static String text(ByteBuf in) {
        return in.readCharSequence(in.readUnsignedShort(), ISO_8859_1).toString();
    }
}
