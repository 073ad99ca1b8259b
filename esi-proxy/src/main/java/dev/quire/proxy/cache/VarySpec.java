package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.policy.SentRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of a resource with variants in a shared store: how a request selects one, which has a
 * record of its own.
 *
 * @param key of the resource
 * @param names of the selecting fields, with commas between them
 * @param codings the content codings of the variants that cannot be removed; empty for others
 */
record VarySpec(RecordHash key, String names, List<String> codings) {

    /*
     *    0   4   magic
     *    4   2   schema
     *    6   2   number of codings
     *    8  16   hash of the key
     *   24   8   hash of the names
     *   32   8   hash of the codings, in any order
     *   40   8   epoch of the position
     *   48   8   number of the position
     *   56   8   written at, in milliseconds since 1970
     *   64       the names, and the codings, each with two bytes for its length
     *        4   CRC-32C of all before
     *
     * From 40 to 64 as in other records: the store compares positions and times. It also compares
     * the hashes, to keep a list; the hash that other records have there is never the same.
     */

    static final int MAGIC = 0x51535043;

    private static final int NAMES_AT = 64;
    private static final int MAX_CODINGS = 4;
    private static final int MAX_TEXT = 0xffff;

    VarySpec {
        codings = List.copyOf(codings);
    }

    /**
     * Returns that of {@code response}.
     *
     * @param known the one so far, or null
     */
    static VarySpec of(StoredResponse response, RecordHash key, @Nullable VarySpec known) {
        var variant = RecordVariants.Variant.of(response, key, 0);
        var others = known != null && known.names.equals(variant.names()) ? known.codings : null;
        var codings =
                Stream.concat(
                                Stream.of(variant.coding()),
                                others == null ? Stream.empty() : others.stream())
                        .distinct()
                        .limit(MAX_CODINGS)
                        .toList();
        return new VarySpec(key, variant.names(), codings);
    }

    /**
     * Whether a response of {@code variant} has its record beside a list.
     *
     * @param known the list so far, or null
     */
    static boolean lists(@Nullable VarySpec known, RecordVariants.Variant variant) {
        return !variant.isOnly() || (known != null && known.names.isEmpty());
    }

    /** Returns the kind of all lists with these names, which have commas between them. */
    static SharedRecords.ListKind kindOf(String names) {
        return new SharedRecords.ListKind(RecordHash.of(List.of(names)).high(), null);
    }

    /** Returns the kind of lists of the same variants. */
    SharedRecords.ListKind kind() {
        return new SharedRecords.ListKind(kindOf(names).names(), codingsHash());
    }

    private long codingsHash() {
        return RecordHash.of(codings.stream().sorted().toList()).high();
    }

    boolean isWritable() {
        return names.length() <= MAX_TEXT
                && codings.stream().allMatch(coding -> coding.length() <= MAX_TEXT);
    }

    /** Returns the hashes of the variants that {@code request} selects, in any coding. */
    List<RecordHash> of(SentRequest request) {
        return codings.stream()
                .map(coding -> RecordVariants.Variant.selected(request, names, coding, key))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns the hashes of the variants that requests for {@code response} may select. */
    List<RecordHash> of(StoredResponse response) {
        var variant = RecordVariants.Variant.of(response, key, 0);
        return Stream.concat(Stream.of(variant.coding()), codings.stream())
                .distinct()
                .map(coding -> RecordVariants.Variant.hash(response.selecting(), coding, key))
                .toList();
    }

    ByteBuf written(SharedRecords.Version version) {
        var out = Unpooled.buffer();
        out.writeInt(MAGIC).writeShort(RecordHeader.SCHEMA).writeShort(codings.size());
        out.writeLong(key.high()).writeLong(key.low());
        out.writeLong(kindOf(names).names()).writeLong(codingsHash());
        out.writeLong(version.position().epoch()).writeLong(version.position().number());
        out.writeLong(version.writtenAtMillis());
        write(names, out);
        codings.forEach(coding -> write(coding, out));
        return out.writeInt(RecordHeader.check(out, MAGIC));
    }

    private static void write(String text, ByteBuf out) {
        out.writeShort(text.length());
        out.writeCharSequence(text, ISO_8859_1);
    }

    /** Whether {@code record} has the magic of such a record. */
    static boolean isSpec(ByteBuf record) {
        return record.readableBytes() >= NAMES_AT + RecordHeader.CHECK_BYTES
                && record.getInt(record.readerIndex()) == MAGIC;
    }

    /** Reads that of {@code key}; null if {@code record} is another one, or damaged. */
    static @Nullable VarySpec read(ByteBuf record, RecordHash key) {
        if (!isSpec(record)) {
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
        if (schema != RecordHeader.SCHEMA
                || count > MAX_CODINGS
                || !new RecordHash(in.readLong(), in.readLong()).equals(key)) {
            return null;
        }
        in.readerIndex(NAMES_AT);
        try {
            var names = text(in);
            var codings = new ArrayList<String>();
            for (int i = 0; i < count; i++) {
                codings.add(text(in));
            }
            return in.isReadable() ? null : new VarySpec(key, names, codings);
        } catch (IndexOutOfBoundsException forged) {
            return null;
        }
    }

    private static String text(ByteBuf in) {
        return in.readCharSequence(in.readUnsignedShort(), ISO_8859_1).toString();
    }
}
