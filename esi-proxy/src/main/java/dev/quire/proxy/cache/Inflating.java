package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Undoes the coding of a body that must be read: gzip (RFC 1952, of one member or several) or
 * deflate (RFC 1950, or bare as RFC 1951, which some send under that name). Bounded: past 1 MiB it
 * yields less than a hundred times what went in, and it stops at the first failure. Holds memory
 * outside the heap until {@link #discard}.
 */
final class Inflating {
    private static final long RATIO_FREE_BYTES = 1024 * 1024;
    private static final long MAX_RATIO = 100;
    private static final int STEP_BYTES = 8 * 1024;

    private static final int HEAD_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int ID1 = 0x1f;
    private static final int ID2 = 0x8b;
    private static final int DEFLATE = 8;
    private static final int HAS_CHECK = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private enum Coding {
        GZIP,
        DEFLATE
    }

    private enum State {
        /** The ten bytes a gzip member begins with. */
        HEAD,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        HEAD_CHECK,
        /** The two bytes that tell whether deflate is wrapped as zlib. */
        WRAPPER,
        DATA,
        /** Checksum and length of a gzip member. */
        TRAILER,
        /** A gzip member is whole; another may follow. */
        BETWEEN,
        /** All is whole; what still comes means nothing. */
        PADDING,
        FAILED
    }

    /** Takes what has been decoded, which it must not keep; a failure stops decoding. */
    interface Target {
        @Nullable Failure take(ByteBuf decoded);
    }

    private final Coding coding;
    private final CRC32 checksum = new CRC32();
    private final byte[] step = new byte[STEP_BYTES];

    /** What has come of a run of known length, such as the trailer. */
    private final byte[] run = new byte[HEAD_BYTES];

    private Inflater inflater;
    private State state;
    private int runBytes;
    private int flags;
    private int extraBytes;
    private long memberBytes;
    private long inBytes;
    private long outBytes;
    private @Nullable Failure failure;

    private Inflating(Coding coding) {
        this.coding = coding;
        this.state = coding == Coding.GZIP ? State.HEAD : State.WRAPPER;
        this.inflater = new Inflater(true);
    }

    /** Whether {@code fields} name a coding at all. */
    static boolean isCoded(Fields fields) {
        return switch (codings(fields)) {
            case "", "identity" -> false;
            default -> true;
        };
    }

    /** A decoder for the coding {@code fields} name; null if it is none of those known here. */
    static @Nullable Inflating of(Fields fields) {
        return switch (codings(fields)) {
            case "gzip", "x-gzip" -> new Inflating(Coding.GZIP);
            case "deflate" -> new Inflating(Coding.DEFLATE);
            default -> null;
        };
    }

    private static String codings(Fields fields) {
        return String.join(",", fields.all("content-encoding")).strip().toLowerCase(Locale.ROOT);
    }

    /** Decodes {@code data}, which stays the caller's. */
    @Nullable Failure add(ByteBuf data, Target target) {
        inBytes += data.readableBytes();
        var in = data.duplicate();
        while (in.isReadable() && failure == null) {
            state =
                    switch (state) {
                        case HEAD -> head(in);
                        case EXTRA_LENGTH -> extraLength(in);
                        case EXTRA -> extra(in);
                        case NAME -> text(in, State.NAME);
                        case COMMENT -> text(in, State.COMMENT);
                        case HEAD_CHECK -> headCheck(in);
                        case WRAPPER -> wrapper(in, target);
                        case DATA -> data(in, target);
                        case TRAILER -> trailer(in);
                        case BETWEEN -> between(in);
                        case PADDING -> padding(in);
                        case FAILED -> State.FAILED;
                    };
        }
        return failure;
    }

    /** No more comes: a failure if that is too early. An empty body is a whole one. */
    @Nullable Failure ended() {
        if (failure == null && inBytes > 0) {
            switch (state) {
                case BETWEEN, PADDING -> {}
                case HEAD,
                        EXTRA_LENGTH,
                        EXTRA,
                        NAME,
                        COMMENT,
                        HEAD_CHECK,
                        WRAPPER,
                        DATA,
                        TRAILER,
                        FAILED ->
                        malformed("it ends too early");
            }
        }
        return failure;
    }

    void discard() {
        inflater.end();
    }

    private State head(ByteBuf in) {
        if (!collect(in, HEAD_BYTES)) {
            return State.HEAD;
        }
        if (at(0) != ID1 || at(1) != ID2 || at(2) != DEFLATE || (at(3) & RESERVED) != 0) {
            return malformed("no gzip member begins here");
        }
        flags = at(3);
        return afterHead(State.HEAD);
    }

    private State extraLength(ByteBuf in) {
        if (!collect(in, 2)) {
            return State.EXTRA_LENGTH;
        }
        extraBytes = at(0) | at(1) << 8;
        return extraBytes == 0 ? afterHead(State.EXTRA) : State.EXTRA;
    }

    private State extra(ByteBuf in) {
        int bytes = Math.min(extraBytes, in.readableBytes());
        in.skipBytes(bytes);
        extraBytes -= bytes;
        return extraBytes == 0 ? afterHead(State.EXTRA) : State.EXTRA;
    }

    /** Up to and with a zero byte. */
    private State text(ByteBuf in, State kind) {
        int bytes = in.bytesBefore((byte) 0);
        in.skipBytes(bytes < 0 ? in.readableBytes() : bytes + 1);
        return bytes < 0 ? kind : afterHead(kind);
    }

    private State headCheck(ByteBuf in) {
        return collect(in, 2) ? afterHead(State.HEAD_CHECK) : State.HEAD_CHECK;
    }

    /** What follows {@code part} of a member's head. The order is that of RFC 1952 §2.3. */
    private State afterHead(State part) {
        if (part == State.HEAD && (flags & HAS_EXTRA) != 0) {
            return State.EXTRA_LENGTH;
        }
        if (part.compareTo(State.NAME) < 0 && (flags & HAS_NAME) != 0) {
            return State.NAME;
        }
        if (part.compareTo(State.COMMENT) < 0 && (flags & HAS_COMMENT) != 0) {
            return State.COMMENT;
        }
        if (part.compareTo(State.HEAD_CHECK) < 0 && (flags & HAS_CHECK) != 0) {
            return State.HEAD_CHECK;
        }
        inflater.reset();
        checksum.reset();
        memberBytes = 0;
        return State.DATA;
    }

    private State wrapper(ByteBuf in, Target target) {
        if (!collect(in, 2)) {
            return State.WRAPPER;
        }
        boolean isZlib = (at(0) & 0xf) == DEFLATE && (at(0) << 8 | at(1)) % 31 == 0;
        if (isZlib) {
            inflater.end();
            inflater = new Inflater();
        }
        return inflate(ByteBuffer.wrap(run, 0, 2), target);
    }

    private State data(ByteBuf in, Target target) {
        var input = in.nioBuffer();
        int before = input.remaining();
        var next = inflate(input, target);
        in.skipBytes(before - input.remaining());
        return next;
    }

    /** Consumes {@code input} up to the end of the compressed data. */
    private State inflate(ByteBuffer input, Target target) {
        inflater.setInput(input);
        try {
            for (int bytes; (bytes = inflater.inflate(step)) > 0; ) {
                outBytes += bytes;
                memberBytes += bytes;
                checksum.update(step, 0, bytes);
                failure =
                        outBytes > RATIO_FREE_BYTES && outBytes > inBytes * MAX_RATIO
                                ? failure(Kind.TOO_LARGE, "it inflates to too much")
                                : target.take(Unpooled.wrappedBuffer(step, 0, bytes));
                if (failure != null) {
                    return State.FAILED;
                }
            }
        } catch (DataFormatException bad) {
            return malformed(String.valueOf(bad.getMessage()));
        }
        if (inflater.needsDictionary()) {
            return malformed("it needs a dictionary");
        }
        if (!inflater.finished()) {
            return State.DATA;
        }
        return coding == Coding.GZIP ? State.TRAILER : State.PADDING;
    }

    private State trailer(ByteBuf in) {
        if (!collect(in, TRAILER_BYTES)) {
            return State.TRAILER;
        }
        if (word(0) != (int) checksum.getValue() || word(4) != (int) memberBytes) {
            return malformed("the checksum is wrong");
        }
        return State.BETWEEN;
    }

    private State between(ByteBuf in) {
        return in.getUnsignedByte(in.readerIndex()) == ID1 ? State.HEAD : State.PADDING;
    }

    private static State padding(ByteBuf in) {
        in.skipBytes(in.readableBytes());
        return State.PADDING;
    }

    /** Whether {@code bytes} bytes have come, which then are the run. */
    private boolean collect(ByteBuf in, int bytes) {
        int some = Math.min(bytes - runBytes, in.readableBytes());
        in.readBytes(run, runBytes, some);
        runBytes += some;
        if (runBytes < bytes) {
            return false;
        }
        runBytes = 0;
        return true;
    }

    private int at(int index) {
        return run[index] & 0xff;
    }

    private int word(int index) {
        return at(index) | at(index + 1) << 8 | at(index + 2) << 16 | at(index + 3) << 24;
    }

    private State malformed(String detail) {
        failure = failure(Kind.MALFORMED, detail);
        return State.FAILED;
    }

    private Failure failure(Kind kind, String detail) {
        return new Failure(
                Side.ORIGIN,
                kind,
                "content coding " + coding.name().toLowerCase(Locale.ROOT) + ": " + detail);
    }
}
