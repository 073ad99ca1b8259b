package dev.quire.proxy.cache;

import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.StampStatus;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The fixed part of a record, which an index is made of.
 *
 * @param isDocument whether the record has a compiled plan
 * @param hasSource whether it has the source of the document and its stamp
 * @param isRuled whether response rules have changed the head
 * @param variant the hash of the values of the selecting fields
 * @param position up to which invalidations were applied
 * @param writtenAtMillis when it was written, on the wall clock
 * @param ageNanos its age then
 * @param initialAgeNanos its age when the response arrived, or was last validated
 * @param metaBytes length of the part between this one and the body
 */
record RecordHeader(
        boolean isDocument,
        boolean hasSource,
        boolean isRuled,
        StampStatus stampStatus,
        RecordHash key,
        RecordHash variant,
        RecordPosition position,
        long writtenAtMillis,
        long ageNanos,
        long initialAgeNanos,
        Freshness.Terms terms,
        int metaBytes,
        int bodyBytes,
        ContentHash hash) {

    /*
     * All numbers are big-endian.
     *
     *    0   4   magic
     *    4   2   schema
     *    6   2   flags
     *    8  16   hash of the key
     *   24  16   hash of the values of the selecting fields
     *   40   8   epoch of the position
     *   48   8   number of the position
     *   56   8   written at, in milliseconds since 1970
     *   64   8   age then, in nanoseconds, as the following times
     *   72   8   initial age
     *   80   8   lifetime
     *   88   8   grace
     *   96   8   stale-if-error
     *  104   8   stale if unreachable
     *  112   4   length of the meta part
     *  116   4   length of the body
     *  120  16   hash of the body
     *  136   4   CRC-32C of all before
     */

    static final int MAGIC = 0x51524543;

    /** To be incremented when the layout or the meaning of a record changes. */
    static final int SCHEMA = 1;

    static final int BYTES = 140;
    static final int CHECK_BYTES = Integer.BYTES;

    /** The result of reading it. */
    sealed interface Reading permits Valid, RecordMiss {}

    record Valid(RecordHeader header) implements Reading {}

    /** How far the wall clock may be set back without an effect. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    /** The longest lifetime. */
    private static final Duration LONGEST = Duration.ofSeconds(1L << 31);

    /** In the order of their numbers. */
    private static final List<StampStatus> STATUSES =
            List.of(StampStatus.UNSTAMPED, StampStatus.STAMPED, StampStatus.INERT);

    private static final int SCHEMA_AT = 4;
    private static final int POSITION_AT = 40;

    private static final int DOCUMENT = 1;
    private static final int SOURCE = 1 << 1;
    private static final int RULED = 1 << 2;
    private static final int VALIDATE_ALWAYS = 1 << 3;
    private static final int NEVER_STALE = 1 << 4;
    private static final int IMMUTABLE = 1 << 5;
    private static final int STATUS_AT = 6;

    /** The length of the record up to its body. */
    int frontBytes() {
        return BYTES + metaBytes + CHECK_BYTES;
    }

    /** The length of the whole record. */
    long recordBytes() {
        return (long) frontBytes() + bodyBytes + CHECK_BYTES;
    }

    /**
     * Its freshness. If the wall clock was set back since it was written, its age is not known: it
     * needs a validation.
     *
     * @param now monotonic
     */
    Freshness freshness(Instant now, Instant wall) {
        var since = Duration.between(Instant.ofEpochMilli(writtenAtMillis), wall);
        var passed = since.isNegative() ? Duration.ZERO : since;
        if (passed.compareTo(LONGEST) > 0) {
            passed = LONGEST;
        }
        var received = now.minusNanos(ageNanos - initialAgeNanos).minus(passed);
        boolean isAgeKnown = since.plus(TOLERANCE).compareTo(Duration.ZERO) >= 0;
        return new Freshness(
                received,
                Duration.ofNanos(initialAgeNanos),
                isAgeKnown ? terms : withoutTime(terms));
    }

    private static Freshness.Terms withoutTime(Freshness.Terms terms) {
        return new Freshness.Terms(
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                terms.validateAlways(),
                terms.isNeverStale(),
                terms.isImmutable());
    }

    /** Returns that of the same response, tested up to {@code other}. */
    RecordHeader at(RecordPosition other) {
        return with(other, writtenAtMillis, ageNanos, initialAgeNanos, terms);
    }

    /** Returns that of the same response, written now with {@code freshness}. */
    RecordHeader with(Freshness freshness, Instant now, Instant wall) {
        return with(
                position,
                wall.toEpochMilli(),
                freshness.ageNanosAt(now),
                freshness.initialAge().toNanos(),
                freshness.terms());
    }

    private RecordHeader with(
            RecordPosition other,
            long writtenAt,
            long age,
            long initialAge,
            Freshness.Terms itsTerms) {
        return new RecordHeader(
                isDocument,
                hasSource,
                isRuled,
                stampStatus,
                key,
                variant,
                other,
                writtenAt,
                age,
                initialAge,
                itsTerms,
                metaBytes,
                bodyBytes,
                hash);
    }

    /** Returns the version of {@code record}, which is not checked; null if it is too short. */
    static SharedRecords.@Nullable Version version(ByteBuf record) {
        int at = record.readerIndex() + POSITION_AT;
        return record.readableBytes() < BYTES
                ? null
                : new SharedRecords.Version(
                        new RecordPosition(record.getLong(at), record.getLong(at + Long.BYTES)),
                        record.getLong(at + 2 * Long.BYTES));
    }

    /** Writes it with its checksum, which it returns. */
    int writeTo(ByteBuf out) {
        int start = out.writerIndex();
        out.writeInt(MAGIC).writeShort(SCHEMA).writeShort(flags());
        out.writeLong(key.high()).writeLong(key.low());
        out.writeLong(variant.high()).writeLong(variant.low());
        out.writeLong(position.epoch()).writeLong(position.number());
        out.writeLong(writtenAtMillis).writeLong(ageNanos).writeLong(initialAgeNanos);
        out.writeLong(terms.lifetime().toNanos()).writeLong(terms.grace().toNanos());
        out.writeLong(terms.staleIfError().toNanos());
        out.writeLong(terms.staleIfUnreachable().toNanos());
        out.writeInt(metaBytes).writeInt(bodyBytes);
        out.writeLong(hash.high()).writeLong(hash.low());
        int check = check(out.slice(start, out.writerIndex() - start), MAGIC);
        out.writeInt(check);
        return check;
    }

    private int flags() {
        return flag(isDocument, DOCUMENT)
                | flag(hasSource, SOURCE)
                | flag(isRuled, RULED)
                | flag(terms.validateAlways(), VALIDATE_ALWAYS)
                | flag(terms.isNeverStale(), NEVER_STALE)
                | flag(terms.isImmutable(), IMMUTABLE)
                | STATUSES.indexOf(stampStatus) << STATUS_AT;
    }

    private static int flag(boolean isSet, int flag) {
        return isSet ? flag : 0;
    }

    /**
     * Reads the fixed part of the record at the start of {@code bytes}, which are not changed. The
     * record may be longer than {@code bytes}.
     */
    static Reading read(ByteBuf bytes) {
        if (bytes.readableBytes() < BYTES) {
            return RecordMiss.MALFORMED;
        }
        var in = bytes.slice(bytes.readerIndex(), BYTES);
        if (in.getInt(0) != MAGIC) {
            return RecordMiss.MALFORMED;
        }
        if (in.getUnsignedShort(SCHEMA_AT) != SCHEMA) {
            return RecordMiss.SCHEMA;
        }
        int covered = BYTES - CHECK_BYTES;
        if (in.getInt(covered) != check(in.slice(0, covered), MAGIC)) {
            return RecordMiss.CHECKSUM;
        }
        return values(in.skipBytes(SCHEMA_AT + Short.BYTES));
    }

    private static Reading values(ByteBuf in) {
        int flags = in.readUnsignedShort();
        int status = flags >> STATUS_AT;
        var key = hash(in);
        var variant = hash(in);
        var position = new RecordPosition(in.readLong(), in.readLong());
        long writtenAt = in.readLong();
        long age = in.readLong();
        long initialAge = in.readLong();
        long[] times = {in.readLong(), in.readLong(), in.readLong(), in.readLong()};
        int metaBytes = in.readInt();
        int bodyBytes = in.readInt();
        boolean isConsistent =
                status < STATUSES.size()
                        && isTime(initialAge)
                        && age >= initialAge
                        && isTime(age - initialAge)
                        && Arrays.stream(times).allMatch(RecordHeader::isTime)
                        && metaBytes >= 0
                        && metaBytes <= Integer.MAX_VALUE - BYTES - CHECK_BYTES
                        && bodyBytes >= 0;
        if (!isConsistent) {
            return RecordMiss.MALFORMED;
        }
        return new Valid(
                new RecordHeader(
                        (flags & DOCUMENT) != 0,
                        (flags & SOURCE) != 0,
                        (flags & RULED) != 0,
                        STATUSES.get(status),
                        key,
                        variant,
                        position,
                        writtenAt,
                        age,
                        initialAge,
                        new Freshness.Terms(
                                Duration.ofNanos(times[0]),
                                Duration.ofNanos(times[1]),
                                Duration.ofNanos(times[2]),
                                Duration.ofNanos(times[3]),
                                (flags & VALIDATE_ALWAYS) != 0,
                                (flags & NEVER_STALE) != 0,
                                (flags & IMMUTABLE) != 0),
                        metaBytes,
                        bodyBytes,
                        new ContentHash(in.readLong(), in.readLong())));
    }

    private static RecordHash hash(ByteBuf in) {
        return new RecordHash(in.readLong(), in.readLong());
    }

    private static boolean isTime(long nanos) {
        return nanos >= 0 && nanos <= LONGEST.toNanos();
    }

    /** Returns the CRC-32C of {@code before} and {@code bytes}, which are not changed. */
    static int check(ByteBuf bytes, int before) {
        var check = new CRC32C();
        check.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, before));
        for (var piece : bytes.nioBuffers()) {
            check.update(piece);
        }
        return (int) check.getValue();
    }
}
