package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.memcached.MetaReply.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes replies of the meta text protocol. Fails at all other bytes and long ones: then the
 * connection is of no use.
 */
final class MetaDecoder extends ByteToMessageDecoder {
    private static final int MAX_LINE_BYTES = 2 << 10;
    private static final int LINE_END_BYTES = 2;
    private static final int MAX_DIGITS = 20;

    private final int maxValueBytes;

    /** The reply whose value is being received. */
    private @Nullable MetaReply begun;

    private int missingBytes;
    private boolean isBroken;

    /**
     * @param maxValueBytes of the longest value
     */
    MetaDecoder(int maxValueBytes) {
        this.maxValueBytes = maxValueBytes;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (isBroken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            var next = begun == null ? line(ctx, in) : value(in);
            if (next != null) {
                out.add(next);
            }
        } catch (Throwable broken) {
            isBroken = true;
            throw broken;
        }
    }

    private @Nullable MetaReply line(ChannelHandlerContext ctx, ByteBuf in) {
        int end = in.bytesBefore((byte) '\n');
        if (end < 0 ? in.readableBytes() > MAX_LINE_BYTES : end > MAX_LINE_BYTES) {
            throw new TooLongFrameException("a line of more than " + MAX_LINE_BYTES + " bytes");
        }
        if (end < 0) {
            return null;
        }
        var line = in.readCharSequence(end + 1, US_ASCII).toString();
        if (!line.endsWith("\r\n")) {
            throw malformed(line);
        }
        var words = line.substring(0, line.length() - LINE_END_BYTES).split(" ", -1);
        return switch (words[0]) {
            case "VA" -> begin(ctx, words);
            case "HD", "MN" -> reply(Kind.DONE, words, 1);
            case "EN", "NF" -> reply(Kind.MISS, words, 1);
            case "NS" -> reply(Kind.NOT_STORED, words, 1);
            case "EX" -> reply(Kind.CHANGED, words, 1);
            case "SERVER_ERROR" -> error(Kind.SERVER_ERROR, line);
            case "CLIENT_ERROR", "ERROR" -> error(Kind.ERROR, line);
            default -> throw malformed(line);
        };
    }

    private static MetaReply error(Kind kind, String line) {
        return new MetaReply(kind, 0, 0, MetaReply.ANY, null, line.strip());
    }

    private static MetaReply reply(Kind kind, String[] words, int from) {
        long flags = 0;
        long cas = 0;
        boolean isBare = words[0].equals("EN") || words[0].equals("MN");
        long mark = isBare ? MetaReply.ANY : MetaReply.NO_MARK;
        for (int i = from; i < words.length; i++) {
            if (words[i].startsWith("f")) {
                flags = number(words[i].substring(1));
            } else if (words[i].startsWith("c")) {
                cas = number(words[i].substring(1));
            } else if (words[i].startsWith("O")) {
                mark = number(words[i].substring(1));
            }
        }
        return new MetaReply(kind, flags, cas, mark, null, "");
    }

    private @Nullable MetaReply begin(ChannelHandlerContext ctx, String[] words) {
        long bytes = words.length < 2 ? -1 : number(words[1]);
        if (bytes < 0 || bytes > maxValueBytes) {
            throw new TooLongFrameException(
                    "a value of " + bytes + " bytes, of " + maxValueBytes + " at most");
        }
        begun = reply(Kind.VALUE, words, 2).with(ctx.alloc().buffer((int) bytes));
        missingBytes = (int) bytes;
        return null;
    }

    private @Nullable MetaReply value(ByteBuf in) {
        var reply = begun;
        var value = reply == null ? null : reply.value();
        if (value == null) {
            return null;
        }
        int part = Math.min(missingBytes, in.readableBytes());
        in.readBytes(value, part);
        missingBytes -= part;
        if (missingBytes > 0 || in.readableBytes() < LINE_END_BYTES) {
            return null;
        }
        if (in.readByte() != '\r' || in.readByte() != '\n') {
            throw new CorruptedFrameException("a value of another length than its line says");
        }
        begun = null;
        return reply;
    }

    private static long number(String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            throw malformed(text);
        }
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw malformed(text);
        }
    }

    private static CorruptedFrameException malformed(String line) {
        var shown = line.strip().replaceAll("[^ -~]", "?");
        return new CorruptedFrameException(
                "a reply that is not of memcached: "
                        + shown.substring(0, Math.min(shown.length(), 60)));
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        var reply = begun;
        begun = null;
        if (reply != null) {
            reply.release();
        }
    }
}
