package dev.quire.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Decodes one response for each request announced with {@link #expect}, and treats all other bytes
 * as surplus. Stricter than Netty's decoder: rejects everything that two recipients could frame
 * differently (RFC 9112 §6.3, §11.2).
 */
final class ResponseDecoder extends HttpResponseDecoder {
    private static final int MAX_STATUS_LINE_BYTES = 8 * 1024;
    private static final int MAX_HEAD_BYTES = 64 * 1024;
    // A whole read of the socket in one piece: pieces are slices, so nothing is copied.
    private static final int MAX_PIECE_BYTES = 64 * 1024;

    private enum Phase {
        /** No response is expected: bytes are surplus. */
        BETWEEN,
        /** A response is expected; no byte has arrived. */
        START,
        /** Within a head or a body. */
        WITHIN
    }

    private Phase phase = Phase.BETWEEN;
    private boolean forHead;
    private boolean interim;
    private boolean started;
    private boolean surplus;
    private boolean endedByClose;

    ResponseDecoder() {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(MAX_STATUS_LINE_BYTES)
                        .setMaxHeaderSize(MAX_HEAD_BYTES)
                        .setMaxChunkSize(MAX_PIECE_BYTES)
                        .setAllowDuplicateContentLengths(true)
                        .setStrictLineParsing(true));
    }

    /** Expects the response to a request; {@code head} if the method is HEAD. */
    void expect(boolean head) {
        phase = Phase.START;
        forHead = head;
        started = false;
    }

    /** Whether any byte of the expected response has arrived, including interim responses. */
    boolean hasStarted() {
        return started;
    }

    /** Whether bytes arrived that belong to no response: the connection must not be reused. */
    boolean hasSurplus() {
        return surplus;
    }

    /** Whether the body of the last head ends with the connection (RFC 9112 §6.3, rule 8). */
    boolean isEndedByClose() {
        return endedByClose;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        switch (phase) {
            case BETWEEN -> dropSurplus(in);
            case START -> {
                // Netty skips control characters before a status line. RFC 9112 §2.2 allows only
                // servers to skip, and only empty lines.
                started = true;
                if (in.getByte(in.readerIndex()) != 'H') {
                    phase = Phase.BETWEEN;
                    dropSurplus(in);
                    throw new DecoderException("a response must start with HTTP/");
                }
                phase = Phase.WITHIN;
                decodeWithin(ctx, in, out);
            }
            case WITHIN -> decodeWithin(ctx, in, out);
        }
    }

    private void decodeWithin(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        super.decode(ctx, in, out);
        if (!out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
            phase = interim ? Phase.START : Phase.BETWEEN;
            if (phase == Phase.BETWEEN && in.isReadable()) {
                // Set now, so that it is known to the handler that receives the end of the
                // response.
                dropSurplus(in);
            }
        }
    }

    private void dropSurplus(ByteBuf in) {
        surplus = true;
        in.skipBytes(in.readableBytes());
    }

    @Override
    protected HttpMessage createMessage(String[] statusLine) {
        if (!statusLine[0].equals("HTTP/1.1") && !statusLine[0].equals("HTTP/1.0")) {
            throw new IllegalArgumentException("version must be HTTP/1.1 or HTTP/1.0");
        }
        if (!isThreeDigits(statusLine[1])) {
            throw new IllegalArgumentException("status must be three digits from 100");
        }
        if (hasControl(statusLine[2])) {
            throw new IllegalArgumentException("control character in the reason phrase");
        }
        return super.createMessage(statusLine);
    }

    /** Called for each head before its body is framed, so it can reject the head. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        var response = (HttpResponse) message;
        interim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        checkFraming(response);
        boolean isEmpty = (forHead && !interim) || super.isContentAlwaysEmpty(message);
        endedByClose =
                !isEmpty
                        && !HttpUtil.isTransferEncodingChunked(message)
                        && !HttpUtil.isContentLengthSet(message);
        return isEmpty;
    }

    private static void checkFraming(HttpResponse response) {
        var headers = response.headers();
        var codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        var lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (!codings.isEmpty()) {
            if (!lengths.isEmpty()) {
                throw new IllegalArgumentException("both Transfer-Encoding and Content-Length");
            }
            if (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
                throw new IllegalArgumentException("Transfer-Encoding other than chunked");
            }
            if (response.protocolVersion().minorVersion() == 0) {
                throw new IllegalArgumentException("Transfer-Encoding in HTTP/1.0");
            }
        }
        // Netty takes the first of several in HTTP/1.0.
        if (lengths.size() > 1 && lengths.stream().distinct().count() > 1) {
            throw new IllegalArgumentException("conflicting Content-Length values");
        }
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Transfer-Encoding and Content-Length");
    }

    /** Netty ends a name at the first whitespace and drops the rest before the colon. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        int at = start + length;
        // Whitespace alone is removed, not rejected (RFC 9112 §5.1).
        while (at < line.length && (line[at] == ' ' || line[at] == '\t')) {
            at++;
        }
        if (at == line.length || line[at] != ':') {
            throw new IllegalArgumentException("a field name must be followed by a colon");
        }
        return super.splitHeaderName(line, start, length);
    }

    private static boolean isThreeDigits(String status) {
        return status.length() == 3
                && status.charAt(0) >= '1'
                && status.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f);
    }
}
