package dev.quire.proxy.deliver;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.PageHead;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.ByteRange;
import dev.quire.core.policy.ResponseFields;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.HeadText.Coding;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.gzip.GzipBody;
import dev.quire.proxy.gzip.GzipPiece;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Writes one response to one client in HTTP/1.1, and ends the exchange. On the exchange's loop. */
public final class ResponseWriter {

    /** How the client learns where the body ends (RFC 9112 §6.3). */
    private enum Framing {
        /** No head yet. */
        NONE,
        /** Content-Length, or no body at all. */
        LENGTH,
        CHUNKED,
        /** The connection closes behind it. */
        CLOSE
    }

    private static final ByteBuf CHUNK_END =
            Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(2, 2).writeBytes(new byte[] {'\r', '\n'}).asReadOnly());
    private static final ByteBuf LAST_CHUNK =
            Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(5, 5)
                            .writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
                            .asReadOnly());
    private static final int HEAD_BYTES = 256;

    /** Age, Cache-Status of a hit, Connection. */
    private static final int TAIL_BYTES = 128;

    /** From this size on a body that waits for its client is counted. */
    private static final int LARGE_BYTES = 64 * 1024;

    private final Exchange exchange;
    private final boolean hasBody;
    private Framing framing = Framing.NONE;
    private boolean closes;

    public ResponseWriter(Exchange exchange) {
        this.exchange = exchange;
        this.hasBody = !exchange.request().isHead();
    }

    /** Whether a body of that size is counted while it waits for its client. */
    static boolean isLarge(long bytes) {
        return bytes >= LARGE_BYTES;
    }

    /** Whether a head has been written: nothing else can stand in any more. */
    public boolean hasBegun() {
        return framing != Framing.NONE;
    }

    public boolean isWritable() {
        return exchange.connection().isWritable();
    }

    /** A stored response that is not an ESI document, whole. */
    public void stored(StoredResponse response, Instant now) {
        int bytes = hasBody ? response.length() : 0;
        var out = headed(response, TAIL_BYTES + (isCopied(bytes) ? bytes : 0));
        stored(response, out, now);
    }

    /**
     * A stored ESI document as it came, for a surrogate that assembles it.
     *
     * @param source the form of it that is not compiled
     */
    public void unassembled(StoredResponse source, Instant now) {
        var out = exchange.connection().alloc().directBuffer(2 * HEAD_BYTES);
        HeadText.stored(out, source.head(), source.length(), false, Coding.AS_IT_CAME);
        HeadText.surrogateControl(out, source.head());
        stored(source, out, now);
    }

    /**
     * The same of one whose tags bear the stamp of the request that this answers: other bytes in
     * each answer.
     */
    public void unassembled(StoredResponse source, Stamp stamp, Instant now) {
        var out = exchange.connection().alloc().directBuffer(2 * HEAD_BYTES);
        HeadText.stored(out, source.head(), source.length(), false, Coding.RESTAMPED);
        HeadText.surrogateControl(out, source.head());
        HeadText.line(out, "Surrogate-Control", "stamp=\"" + stamp.text() + '"');
        stored(source, out, now);
    }

    /**
     * A stored response in the form of it whose content coding has been undone, for a client that
     * cannot take it.
     */
    public void undone(StoredResponse plain, Instant now) {
        var out = exchange.connection().alloc().directBuffer(2 * HEAD_BYTES);
        HeadText.stored(out, plain.head(), plain.length(), false, Coding.UNDONE);
        stored(plain, out, now);
    }

    /**
     * A stored response in gzip.
     *
     * @param piece its body, compressed
     */
    public void compressed(StoredResponse response, GzipPiece piece, Instant now) {
        if (!response.isCompressible()) {
            throw new IllegalStateException("never compressed: " + response.key().url());
        }
        var body = new Gathering(exchange.connection().alloc(), HEAD_BYTES);
        var gzip = new GzipBody();
        gzip.add(piece, body);
        gzip.end(body);
        long bytes = body.bytes();
        var out = headedInGzip(response, TAIL_BYTES);
        age(out, response, now);
        cacheStatus(out);
        framing = Framing.LENGTH;
        HeadText.contentLength(out, bytes);
        connection(out);
        HeadText.end(out);
        exchange.trace().answered(response.status());
        write(out);
        body(body);
        if (hasBody && isLarge(bytes) && response.tryRetain()) {
            whenGone(response::release);
        }
        end();
    }

    /** A buffer that begins with the head of {@code response}, with room for so many bytes more. */
    private ByteBuf headed(StoredResponse response, int moreBytes) {
        var head = response.text();
        var out = exchange.connection().alloc().directBuffer(head.length() + moreBytes);
        head.writeTo(out);
        return out;
    }

    /** The same with its head in gzip. */
    private ByteBuf headedInGzip(StoredResponse response, int moreBytes) {
        var head = response.text();
        var out = exchange.connection().alloc().directBuffer(head.compressedLength() + moreBytes);
        head.writeCompressedTo(out);
        return out;
    }

    /** Whether a stored body is copied behind its head, which is less work than sharing it. */
    private static boolean isCopied(int bytes) {
        return bytes <= Gathering.MAX_COPIED_BYTES;
    }

    private void stored(StoredResponse response, ByteBuf out, Instant now) {
        int status = response.head().status();
        age(out, response, now);
        cacheStatus(out);
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        exchange.trace().answered(status);
        int bytes = hasBody && HeadText.mayHaveLength(status) ? response.length() : 0;
        if (isCopied(bytes)) {
            var body = response.body();
            write(out.writeBytes(body, body.readerIndex(), bytes));
            exchange.trace().wrote(bytes);
        } else {
            write(out);
            body(response, 0, bytes);
        }
        end();
    }

    /**
     * Parts of a stored body: one as it is, several as multipart/byteranges (RFC 9110 §14.6).
     *
     * @param ranges within the body
     */
    public void parts(StoredResponse response, List<ByteRange> ranges, Instant now) {
        var multipart =
                ranges.size() == 1
                        ? null
                        : new Multipart(ranges, response.head(), response.length());
        var first = ranges.getFirst();
        var out = exchange.connection().alloc().directBuffer(2 * HEAD_BYTES);
        HeadText.part(
                out,
                response.head(),
                multipart == null ? null : multipart.contentType(),
                Coding.asItCame(response.isCompressible()));
        if (multipart == null) {
            HeadText.line(out, "Content-Range", first.contentRange(response.length()));
        }
        HeadText.line(
                out,
                "Content-Length",
                Long.toString(multipart == null ? first.lengthBytes() : multipart.lengthBytes()));
        age(out, response, now);
        cacheStatus(out);
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        exchange.trace().answered(206);
        write(out);
        if (multipart == null) {
            body(response, first);
        } else {
            for (int i = 0; i < ranges.size(); i++) {
                body(Unpooled.wrappedBuffer(multipart.before(i)));
                body(response, ranges.get(i));
            }
            body(Unpooled.wrappedBuffer(multipart.end()));
        }
        end();
    }

    private void body(StoredResponse response, ByteRange range) {
        body(response, (int) range.first(), (int) range.lengthBytes());
    }

    /**
     * 416: nothing of a stored body is in any range asked for (RFC 9110 §15.5.17).
     *
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public void unsatisfiable(StoredResponse response, Instant wall) {
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, 416, "Range Not Satisfiable");
        HeadText.line(out, "Date", HttpDate.format(wall));
        HeadText.line(out, "Content-Range", "bytes */" + response.length());
        HeadText.line(out, "Content-Length", "0");
        HeadText.via(out);
        cacheStatus(out);
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        exchange.trace().answered(416);
        write(out);
        end();
    }

    /**
     * What is left of a response of which the client has had the first {@code from} bytes, and the
     * end; one reference is taken over.
     */
    public void rest(StoredResponse response, int from) {
        if (hasBody) {
            body(response, from, response.length() - from);
        }
        response.release();
        end();
    }

    /** 304 to a client whose own copy still holds (RFC 9110 §15.4.5). */
    public void notModified(StoredResponse response, Instant now) {
        notModified(response, Coding.asItCame(response.isCompressible()), now);
    }

    /** The same where the client would be sent {@link #compressed}. */
    public void notModifiedCompressed(StoredResponse response, Instant now) {
        notModified(response, Coding.GZIP, now);
    }

    /** The same where the client would be sent {@link #undone}. */
    public void notModifiedUndone(StoredResponse response, Instant now) {
        notModified(response, Coding.UNDONE, now);
    }

    private void notModified(StoredResponse response, Coding coding, Instant now) {
        var out = notModified(response.head(), coding);
        age(out, response, now);
        confirm(out);
    }

    /**
     * The same in place of a response that has just come.
     *
     * @param isCompressible whether later answers may come compressed
     * @param wall its Date, if it has none
     */
    public void notModified(ResponseHead passing, boolean isCompressible, Instant wall) {
        var out = notModified(passing, Coding.asItCame(isCompressible));
        date(out, passing, wall);
        var age = passing.fields().first("Age");
        if (age != null) {
            HeadText.line(out, "Age", age);
        }
        confirm(out);
    }

    private ByteBuf notModified(ResponseHead head, Coding coding) {
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, 304);
        for (var name : ResponseFields.OF_NOT_MODIFIED) {
            for (var value : head.fields().all(name)) {
                HeadText.line(out, name, name.toLowerCase(Locale.ROOT), value, coding);
            }
        }
        HeadText.varying(out, head.fields().all("Vary"), coding);
        HeadText.via(out);
        return out;
    }

    private void confirm(ByteBuf out) {
        cacheStatus(out);
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        exchange.trace().answered(304);
        write(out);
        end();
    }

    /**
     * The head of an assembled page.
     *
     * @param wall its Date: the page is made now, whatever it is made of
     * @param lengthBytes of its body, -1 if that is not known yet
     * @param isCompressed whether its body is in gzip
     */
    void page(
            PageHead.Said<StoredResponse> said,
            Instant wall,
            long lengthBytes,
            boolean isCompressed) {
        int status = said.status();
        exchange.trace().answered(status);
        var out = headOf(said, isCompressed);
        ofAPage(out, said, wall);
        cacheStatus(out);
        var cookies = said.cookies();
        for (int i = 0; i < cookies.size(); i++) {
            HeadText.line(out, "Set-Cookie", cookies.get(i));
        }
        if (said.errors() > 0 && exchange.peer().isTrusted()) {
            HeadText.line(out, "X-ESI-Errors", Integer.toString(said.errors()));
        }
        if (hasBody && HeadText.mayHaveLength(status)) {
            frame(out, lengthBytes);
        } else {
            framing = Framing.LENGTH;
        }
        connection(out);
        HeadText.end(out);
        write(out);
    }

    /** What the head of a page says every time, unless the page has changed it. */
    private ByteBuf headOf(PageHead.Said<StoredResponse> said, boolean isCompressed) {
        var page = said.page();
        if (!said.amendment().changesHead()) {
            return isCompressed && page.isCompressible()
                    ? headedInGzip(page, HEAD_BYTES)
                    : headed(page, HEAD_BYTES);
        }
        var out = exchange.connection().alloc().directBuffer(2 * HEAD_BYTES);
        HeadText.amended(
                out,
                page.head(),
                said.amendment(),
                isCompressed ? Coding.GZIP : Coding.asItCame(page.isCompressible()));
        return out;
    }

    /** 304 to a client whose own copy of an assembled page still holds (RFC 9110 §15.4.5). */
    void notModified(PageHead.Said<StoredResponse> said, Instant wall) {
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, 304);
        var coding = Coding.asItCame(said.page().isCompressible());
        for (var name : ResponseFields.OF_NOT_MODIFIED_PAGE) {
            for (var value : said.page().head().fields().all(name)) {
                HeadText.line(out, name, name.toLowerCase(Locale.ROOT), value, coding);
            }
            for (var field : said.amendment().fields()) {
                if (field.name().equalsIgnoreCase(name)) {
                    var lower = name.toLowerCase(Locale.ROOT);
                    HeadText.line(out, name, lower, field.value(), coding);
                }
            }
        }
        HeadText.varying(out, HeadText.varies(said.page().head(), said.amendment()), coding);
        HeadText.via(out);
        ofAPage(out, said, wall);
        confirm(out);
    }

    /** What is said anew of a page each time it is made. */
    private static void ofAPage(ByteBuf out, PageHead.Said<StoredResponse> said, Instant wall) {
        HeadText.line(out, HeadText.DATE, HttpDate.format(wall));
        HeadText.line(out, HeadText.CACHE_CONTROL, said.cacheControl());
        var tag = said.tag();
        if (tag != null) {
            HeadText.line(out, HeadText.ETAG, tag);
        }
        if (!said.varies().isEmpty()) {
            HeadText.line(out, "Vary", String.join(", ", said.varies()));
        }
    }

    /**
     * A head that flows past.
     *
     * @param isUnassembled whether it is the head of a page whose body would have been assembled:
     *     its length and validators are not those of the page
     * @param isCompressible whether later answers may come compressed
     * @param wall its Date, if it has none
     */
    public void passing(
            ResponseHead head, boolean isUnassembled, boolean isCompressible, Instant wall) {
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.passing(out, head, isUnassembled, Coding.asItCame(isCompressible));
        passing(out, head, isUnassembled, wall);
    }

    /** The head of an ESI document that flows past, to a surrogate that assembles it. */
    public void passingUnassembled(ResponseHead head, Instant wall) {
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.passing(out, head, false, Coding.AS_IT_CAME);
        HeadText.surrogateControl(out, head);
        passing(out, head, false, wall);
    }

    private void passing(ByteBuf out, ResponseHead head, boolean isUnassembled, Instant wall) {
        exchange.trace().answered(head.status());
        date(out, head, wall);
        cacheStatus(out);
        var length = head.fields().first("content-length");
        if (!HeadText.mayHaveLength(head.status()) || isUnassembled) {
            framing = Framing.LENGTH;
        } else if (length != null) {
            HeadText.line(out, "Content-Length", length);
            framing = Framing.LENGTH;
        } else if (hasBody) {
            frame(out, -1);
        } else {
            framing = Framing.LENGTH;
        }
        connection(out);
        HeadText.end(out);
        write(out);
    }

    private static void date(ByteBuf out, ResponseHead head, Instant wall) {
        if (!head.fields().contains("date")) {
            // RFC 9110 §6.6.1: whoever forwards a response without one adds it.
            HeadText.line(out, "Date", HttpDate.format(wall));
        }
    }

    /** A 1xx head, in front of the real one; HTTP/1.0 clients know none (RFC 9110 §15.2). */
    public void interim(ResponseHead head) {
        if (exchange.isHttp10() || hasBegun()) {
            return;
        }
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, head);
        head.fields().forEach((name, value) -> HeadText.line(out, name, value));
        HeadText.end(out);
        write(out);
        flush();
    }

    /**
     * An answer of our own, whole.
     *
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public void error(ErrorPage page, Instant wall) {
        exchange.trace().answered(page.status());
        var text = (page.text() + "\n").getBytes(StandardCharsets.UTF_8);
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, page.status());
        HeadText.line(out, "Date", HttpDate.format(wall));
        HeadText.line(out, "Content-Type", "text/plain; charset=utf-8");
        HeadText.line(out, "Cache-Control", "no-store");
        HeadText.line(out, "X-Content-Type-Options", "nosniff");
        HeadText.line(out, "Content-Length", Integer.toString(text.length));
        if (page.status() == 503) {
            HeadText.line(out, "Retry-After", "1");
        }
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        if (hasBody) {
            out.writeBytes(text);
            exchange.trace().wrote(text.length);
        }
        write(out);
        end();
    }

    /**
     * What this server as a whole can do: the answer to {@code OPTIONS *} (RFC 9110 §9.3.7).
     *
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public void options(Instant wall) {
        exchange.trace().answered(204);
        var out = exchange.connection().alloc().directBuffer(HEAD_BYTES);
        HeadText.status(out, 204);
        HeadText.line(out, "Date", HttpDate.format(wall));
        HeadText.line(out, "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        framing = Framing.LENGTH;
        connection(out);
        HeadText.end(out);
        write(out);
        end();
    }

    /** Part of the body; takes over one reference. */
    public void body(ByteBuf data) {
        if (!hasBody || !data.isReadable()) {
            data.release();
            return;
        }
        int bytes = data.readableBytes();
        if (framing == Framing.CHUNKED) {
            chunkBegins(bytes);
            write(data);
            chunkEnds();
        } else {
            write(data);
        }
        exchange.trace().wrote(bytes);
    }

    /**
     * {@code bytes} of the body from {@code from} on. As long as a client is slow to take a large
     * one, it holds the response itself, so that it is known for what memory it stands.
     */
    private void body(StoredResponse response, int from, int bytes) {
        var body = response.body();
        if (bytes == 0) {
            return;
        }
        var slice = body.retainedSlice(body.readerIndex() + from, bytes);
        if (!isLarge(bytes) || !response.tryRetain()) {
            body(slice);
            return;
        }
        if (framing == Framing.CHUNKED) {
            chunkBegins(bytes);
        }
        exchange.connection().write(slice, response::release);
        if (framing == Framing.CHUNKED) {
            chunkEnds();
        }
        exchange.trace().wrote(bytes);
    }

    /** Several parts of the body in one chunk; empties {@code parts}. */
    void body(Gathering parts) {
        long lengthBytes = parts.bytes();
        if (!hasBody || lengthBytes == 0) {
            parts.drop();
            return;
        }
        if (framing == Framing.CHUNKED) {
            chunkBegins(lengthBytes);
        }
        parts.take(exchange.connection()::write);
        if (framing == Framing.CHUNKED) {
            chunkEnds();
        }
        exchange.trace().wrote(lengthBytes);
    }

    /** Runs {@code gone} once everything written so far has left, or never will. */
    void whenGone(Runnable gone) {
        exchange.connection().write(Unpooled.EMPTY_BUFFER, gone);
    }

    public void flush() {
        exchange.connection().flush();
    }

    /** The body is whole, and so is the exchange. */
    public void end() {
        if (framing == Framing.CHUNKED) {
            write(LAST_CHUNK.duplicate());
        }
        exchange.connection().flush();
        exchange.connection().finished(!closes);
    }

    /** The body broke off behind us: the client must see that it is cut. */
    public void abort() {
        exchange.connection().abort();
    }

    private void frame(ByteBuf out, long lengthBytes) {
        if (lengthBytes >= 0) {
            framing = Framing.LENGTH;
            HeadText.contentLength(out, lengthBytes);
        } else if (exchange.isHttp10()) {
            framing = Framing.CLOSE;
        } else {
            framing = Framing.CHUNKED;
            HeadText.line(out, "Transfer-Encoding", "chunked");
        }
    }

    private void connection(ByteBuf out) {
        closes = framing == Framing.CLOSE || !exchange.keepAlive();
        if (closes) {
            HeadText.line(out, "Connection", "close");
        } else if (exchange.isHttp10()) {
            HeadText.line(out, "Connection", "keep-alive");
        }
    }

    private static void age(ByteBuf out, StoredResponse response, Instant now) {
        if (response.isShared()) {
            HeadText.age(out, response.freshness().ageAt(now).toSeconds());
        }
    }

    private void cacheStatus(ByteBuf out) {
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
    }

    private void chunkBegins(long bytes) {
        var size = exchange.connection().alloc().directBuffer(18);
        ByteBufUtil.writeAscii(size, Long.toHexString(bytes));
        HeadText.end(size);
        write(size);
    }

    private void chunkEnds() {
        write(CHUNK_END.duplicate());
    }

    private void write(ByteBuf bytes) {
        exchange.connection().write(bytes);
    }
}
