package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.assemble.UnreadablePlanException;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes stored responses as records: bytes that outlive the process, and reads them back.
 * Thread-safe; not for event loops, since it hashes whole bodies.
 */
public final class RecordCodec {

    /*
     * header           see RecordHeader
     * meta             the key without values of rules, status, reason, field lines, names of the
     *                  selecting fields; if the response has them, the lines before the response
     *                  rules, the stamp and the source, the compiled plan
     * check  4 bytes
     * body             for a document, the text between its tags
     * check  4 bytes
     *
     * Each check is the CRC-32C of the header's check and of the part, so that parts of two records
     * do not fit together.
     *
     * Values of clients are not written: for the selecting fields and the parts of the key there are
     * only hashes, and the reader's request has the values. Values that follow from the head are not
     * written either: tags, groups, validators, the lifetime for clients. The lines that we add to
     * the head are rendered again, since they depend on the configuration.
     */

    /** The result of reading a record. */
    sealed interface Reading permits Found, RecordMiss {}

    /**
     * The response; the caller owns its first reference.
     *
     * @param response tested up to the order of its position
     * @param bodyAt the place of the body in the record
     * @param bodyBytes its length there
     */
    record Found(StoredResponse response, int bodyAt, int bodyBytes) implements Reading {}

    /** Finds the place of a record in our own sequence of invalidations. */
    public interface Orders {
        /** Not a number of an entry. */
        long UNKNOWN = -1;

        /** Returns our newest entry that is not after {@code position}, or {@link #UNKNOWN}. */
        long of(RecordPosition position);
    }

    /**
     * The request for a response.
     *
     * @param key of its resource
     * @param sent as it would be sent to the origin; null for any variant
     * @param parsing the settings of its route for parsing
     */
    record Wanted(RecordKey key, @Nullable SentRequest sent, ParseFingerprint parsing) {

        /** For any response to the resource; it has no values of its selecting fields. */
        static Wanted any(RecordKey key, ParseFingerprint parsing) {
            return new Wanted(key, null, parsing);
        }

        /** Returns its values of the fields that select {@code header}; null for another one. */
        private @Nullable SelectingFields selecting(RecordHeader header, List<String> names) {
            if (sent == null) {
                return SelectingFields.of(names, Fields.EMPTY);
            }
            var selecting = SelectingFields.of(names, sent.fields());
            return header.variant().equals(RecordHash.of(selecting, header.key()))
                            && sent.isSelectedBy(selecting)
                    ? selecting
                    : null;
        }
    }

    private final HeadBytes heads;
    private final Time time;
    private final Orders orders;

    /**
     * @param heads renders the heads of the responses
     */
    RecordCodec(HeadBytes heads, Time time, Orders orders) {
        this.heads = heads;
        this.time = time;
        this.orders = orders;
    }

    /** Whether {@code response} may leave the memory: it is not private, and not a form. */
    static boolean mayBeWritten(StoredResponse response) {
        return response.isShared() && response.hash() != null && response.root() == response;
    }

    /**
     * Writes {@code response}, of which the caller holds a reference. Returns the record, which the
     * caller owns and which shares the memory of the body.
     *
     * @param position up to which invalidations have been applied to it
     * @throws IllegalArgumentException if it must not be written
     */
    ByteBuf write(StoredResponse response, RecordKey key, RecordPosition position) {
        var hash = response.hash();
        if (hash == null || !mayBeWritten(response) || !key.resource().equals(response.key())) {
            throw new IllegalArgumentException(
                    "not a shared response of this key: " + key.resource().url());
        }
        var freshness = response.freshness();
        var body = response.body();
        var meta = RecordMeta.of(response);
        var metaBytes = meta.written();
        var header =
                new RecordHeader(
                        meta.plan() != null,
                        meta.source() != null,
                        meta.replaced() != null,
                        response.stampStatus(),
                        key.hash(),
                        RecordHash.of(response.selecting(), key.hash()),
                        position,
                        time.steadyWall().toEpochMilli(),
                        freshness.ageNanosAt(time.now()),
                        freshness.initialAge().toNanos(),
                        freshness.terms(),
                        metaBytes.readableBytes(),
                        body.readableBytes(),
                        hash);
        return joined(header, metaBytes, body);
    }

    /** Returns the record of these parts with all checksums; shares the memory of {@code body}. */
    static ByteBuf joined(RecordHeader header, ByteBuf meta, ByteBuf body) {
        var front = Unpooled.buffer((int) (header.recordBytes() - body.readableBytes()));
        int check = header.writeTo(front);
        front.writeBytes(meta, meta.readerIndex(), meta.readableBytes());
        front.writeInt(RecordHeader.check(meta, check));
        var back = Unpooled.copyInt(RecordHeader.check(body, check));
        return Unpooled.wrappedBuffer(front, body.retainedSlice(), back);
    }

    /** Reads {@code record}, a whole record, which remains owned by the caller; copies the body. */
    Reading read(ByteBuf record, Wanted wanted) {
        return read(record, wanted, false, RecordCodec::copy);
    }

    /**
     * Reads {@code record}, a whole record, which remains owned by the caller. Its bytes were
     * checked when they were read from a log: of them, only the header is checked again.
     *
     * @param isCopied whether the body is copied; otherwise the response shares its memory
     */
    Reading readChecked(ByteBuf record, Wanted wanted, boolean isCopied) {
        return read(record, wanted, true, isCopied ? RecordCodec::copy : ByteBuf::retain);
    }

    /**
     * Reads like {@link #readChecked} a record whose body is sent from its file: the response has
     * an empty body instead. Null if the body is needed: it is a document, or may be sent in other
     * codings.
     */
    @Nullable Reading readHead(ByteBuf record, Wanted wanted) {
        if (RecordHeader.read(record) instanceof RecordHeader.Valid(var header)
                && header.isDocument()) {
            return null;
        }
        var reading = read(record, wanted, true, body -> Unpooled.EMPTY_BUFFER);
        return reading instanceof Found found && !FileBody.maySend(found.response())
                ? null
                : reading;
    }

    private Reading read(
            ByteBuf record, Wanted wanted, boolean isChecked, UnaryOperator<ByteBuf> taking) {
        return switch (RecordHeader.read(record)) {
            case RecordMiss miss -> miss;
            case RecordHeader.Valid(var header)
                    when header.recordBytes() != record.readableBytes() ->
                    RecordMiss.MALFORMED;
            case RecordHeader.Valid(var header) -> {
                int start = record.readerIndex();
                int end = start + header.frontBytes();
                var front = record.slice(start, header.frontBytes());
                var body = record.slice(end, header.bodyBytes());
                yield isChecked
                                || isWhole(
                                        header, front, body, record.getInt(end + body.capacity()))
                        ? whole(header, front, body, wanted, taking)
                        : RecordMiss.CHECKSUM;
            }
        };
    }

    /**
     * Reads a record of which the body is in its own memory, which becomes that of the response.
     *
     * @param front the record up to its body, of {@link RecordHeader#frontBytes}; remains owned by
     *     the caller
     * @param body the body; taken over
     * @param check the four bytes after the body
     */
    Reading read(ByteBuf front, ByteBuf body, int check, Wanted wanted) {
        try {
            return switch (RecordHeader.read(front)) {
                case RecordMiss miss -> miss;
                case RecordHeader.Valid(var header)
                        when header.frontBytes() != front.readableBytes()
                                || header.bodyBytes() != body.readableBytes() ->
                        RecordMiss.MALFORMED;
                case RecordHeader.Valid(var header) ->
                        isWhole(header, front, body, check)
                                ? whole(header, front, body, wanted, ByteBuf::retain)
                                : RecordMiss.CHECKSUM;
            };
        } finally {
            body.release();
        }
    }

    private static boolean isWhole(RecordHeader header, ByteBuf front, ByteBuf body, int check) {
        int at = front.readerIndex() + RecordHeader.BYTES;
        int before = front.getInt(at - RecordHeader.CHECK_BYTES);
        var meta = front.slice(at, header.metaBytes());
        return front.getInt(at + header.metaBytes()) == RecordHeader.check(meta, before)
                && check == RecordHeader.check(body, before);
    }

    private Reading whole(
            RecordHeader header,
            ByteBuf front,
            ByteBuf body,
            Wanted wanted,
            UnaryOperator<ByteBuf> taking) {
        if (!header.key().equals(wanted.key().hash())) {
            return RecordMiss.KEY;
        }
        long order = orders.of(header.position());
        if (order == Orders.UNKNOWN) {
            return RecordMiss.POSITION;
        }
        var meta = front.slice(front.readerIndex() + RecordHeader.BYTES, header.metaBytes());
        return checked(header, meta, body, wanted, taking, order);
    }

    /** Reads what was written, or forged by a program that can calculate checksums. */
    private Reading checked(
            RecordHeader header,
            ByteBuf values,
            ByteBuf body,
            Wanted wanted,
            UnaryOperator<ByteBuf> taking,
            long order) {
        try {
            var meta = RecordMeta.read(values, header);
            if (!meta.isOf(wanted.key().resource())) {
                return RecordMiss.KEY;
            }
            var selecting = wanted.selecting(header, meta.selecting());
            if (selecting == null) {
                return RecordMiss.VARIANT;
            }
            var response =
                    new StoredResponse(content(header, meta, body, selecting, wanted, taking));
            response.testedUpTo(order);
            if (meta.source() != null) {
                response.keep(
                        DerivedForm.Whole.SOURCE, new DerivedForm.Content(meta.source(), null));
            }
            return new Found(response, header.frontBytes(), header.bodyBytes());
        } catch (UnreadablePlanException | RuntimeException e) {
            return RecordMiss.MALFORMED;
        }
    }

    private StoredContent content(
            RecordHeader header,
            RecordMeta meta,
            ByteBuf body,
            SelectingFields selecting,
            Wanted wanted,
            UnaryOperator<ByteBuf> taking)
            throws UnreadablePlanException {
        var key = StoredContent.shared(wanted.key().resource());
        var judged = new StampTrust(header.stampStatus(), meta.stamp());
        var compiled = compiled(meta, key, body.readableBytes(), judged, wanted.parsing());
        var text = heads.render(meta.head(), body.readableBytes(), compiled != null, true);
        var taken = taking.apply(body);
        try {
            return StoredContent.of(
                            key,
                            meta.head(),
                            text,
                            taken,
                            header.freshness(time.now(), time.steadyWall()),
                            selecting,
                            header.hash())
                    .compiled(
                            compiled,
                            meta.stamp() == null ? judged.withoutStamp() : judged,
                            wanted.parsing(),
                            wanted.key().route())
                    .replacing(meta.replaced());
        } catch (RuntimeException e) {
            taken.release();
            throw e;
        }
    }

    private static @Nullable CompiledPage compiled(
            RecordMeta meta,
            CacheKey key,
            int textBytes,
            StampTrust judged,
            ParseFingerprint parsing)
            throws UnreadablePlanException {
        if (meta.plan() == null) {
            return null;
        }
        var rules = parsing.documents().compiling(meta.head(), judged.tagsOfText());
        return CompiledPageBytes.read(meta.plan(), key, textBytes, rules);
    }

    /** Returns a copy in memory of exactly its size. */
    private static ByteBuf copy(ByteBuf body) {
        int bytes = body.readableBytes();
        return UnpooledByteBufAllocator.DEFAULT
                .directBuffer(bytes, bytes)
                .writeBytes(body, body.readerIndex(), bytes);
    }
}
