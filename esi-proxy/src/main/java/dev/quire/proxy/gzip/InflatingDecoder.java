package dev.quire.proxy.gzip;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Decodes gzip (RFC 1952) and deflate (RFC 1950, or raw RFC 1951, which some servers send under
 * that name) as it arrives. A gzip body may have several members; other data after a member is
 * ignored.
 */
final class InflatingDecoder extends BodyDecoder {

    private enum State {
        /** Before the compressed data: the header of a gzip member, or the start of deflate. */
        HEADER,
        DATA,
        TRAILER,
        /** Further data is ignored. */
        DONE
    }

    private static final int TRAILER_BYTES = 2 * Integer.BYTES;
    private static final int ZLIB_HEADER_BYTES = 2;
    private static final int ZLIB_HEADER_MULTIPLE = 31;

    private final boolean isGzip;
    private final CRC32 checksum = new CRC32();

    /** The part of a header or trailer that has arrived. */
    private final ByteBuf frame = Unpooled.buffer(GzipHeader.MIN_BYTES, GzipHeader.MAX_BYTES);

    private State state = State.HEADER;
    private @Nullable Inflater inflater;
    private boolean hasMember;

    InflatingDecoder(ContentCoding coding) {
        super(coding);
        this.isGzip = coding == ContentCoding.GZIP;
    }

    @Override
    public boolean isCollecting() {
        return false;
    }

    @Override
    public boolean isLong() {
        return false;
    }

    @Override
    @Nullable Failure decode(ByteBuf data, Target target) {
        Failure failure = null;
        while (failure == null && data.isReadable()) {
            failure =
                    switch (state) {
                        case HEADER -> isGzip ? header(data) : start(data, target);
                        case DATA -> data(data, target);
                        case TRAILER -> trailer(data);
                        case DONE -> {
                            data.skipBytes(data.readableBytes());
                            yield null;
                        }
                    };
        }
        return failure;
    }

    @Override
    @Nullable Failure finish(Target target) {
        boolean isWhole = state == State.DONE || (state == State.HEADER && hasMember);
        return isWhole ? null : malformed("it ends too early");
    }

    @Override
    public void discard() {
        if (inflater != null) {
            inflater.end();
            inflater = null;
        }
        state = State.DONE;
    }

    private @Nullable Failure header(ByteBuf data) {
        int before = frame.readableBytes();
        int taken = Math.min(data.readableBytes(), frame.maxWritableBytes());
        frame.writeBytes(data, data.readerIndex(), taken);
        int length = GzipHeader.length(frame);
        if (length == GzipHeader.INCOMPLETE && frame.maxWritableBytes() > 0) {
            data.skipBytes(taken);
            return null;
        }
        if (length > 0) {
            data.skipBytes(length - before);
            frame.clear();
            inflate(new Inflater(true));
            return null;
        }
        state = State.DONE;
        return hasMember ? null : malformed("not in gzip format");
    }

    /** Decides between RFC 1950 and RFC 1951 by the first two bytes. */
    private @Nullable Failure start(ByteBuf data, Target target) {
        frame.writeByte(data.readByte());
        if (frame.readableBytes() < ZLIB_HEADER_BYTES) {
            return null;
        }
        boolean isZlib =
                (frame.getByte(0) & 0x0f) == Deflater.DEFLATED
                        && frame.getUnsignedShort(0) % ZLIB_HEADER_MULTIPLE == 0;
        inflate(new Inflater(!isZlib));
        return data(frame, target);
    }

    private void inflate(Inflater next) {
        discard();
        checksum.reset();
        inflater = next;
        state = State.DATA;
    }

    private @Nullable Failure data(ByteBuf data, Target target) {
        var running = inflater;
        if (running == null) {
            throw new IllegalStateException("data before the header");
        }
        running.setInput(data.nioBuffer());
        try {
            while (true) {
                int bytes = running.inflate(step());
                if (bytes > 0) {
                    checksum.update(step(), 0, bytes);
                    var failure = pass(bytes, target);
                    if (failure != null) {
                        return failure;
                    }
                } else if (running.finished()) {
                    data.skipBytes(data.readableBytes() - running.getRemaining());
                    state = isGzip ? State.TRAILER : State.DONE;
                    return null;
                } else if (running.needsDictionary()) {
                    return malformed("it needs a dictionary");
                } else {
                    data.skipBytes(data.readableBytes());
                    return null;
                }
            }
        } catch (DataFormatException broken) {
            return malformed(broken.getMessage());
        }
    }

    private @Nullable Failure trailer(ByteBuf data) {
        var running = inflater;
        frame.writeBytes(
                data, Math.min(data.readableBytes(), TRAILER_BYTES - frame.readableBytes()));
        if (running == null || frame.readableBytes() < TRAILER_BYTES) {
            return null;
        }
        boolean isRight =
                frame.getIntLE(0) == (int) checksum.getValue()
                        && frame.getIntLE(Integer.BYTES) == (int) running.getBytesWritten();
        if (!isRight) {
            return malformed("corrupt gzip trailer");
        }
        frame.clear();
        discard();
        hasMember = true;
        state = State.HEADER;
        return null;
    }
}
