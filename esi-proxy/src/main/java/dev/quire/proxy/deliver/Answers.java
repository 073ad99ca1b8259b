package dev.quire.proxy.deliver;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.PageHead;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.ByteRange;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.proxy.cache.FileBody;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.HeadText.Coding;
import dev.quire.proxy.exchange.ErrorResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import dev.quire.proxy.gzip.GzipBody;
import dev.quire.proxy.gzip.GzipPiece;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends whole responses, and the heads of responses whose bodies are written elsewhere. On the
 * exchange's loop.
 */
public final class Answers {

    /** Bodies of at least this size are accounted for while they wait for their client. */
    private static final int LARGE_BYTES = 64 * 1024;

    /** Of a body in a file. */
    private static final int PIECE_BYTES = 512 * 1024;

    /** Buffer size for the header and trailer of a gzip body. */
    private static final int RUN_BYTES = 256;

    private Answers() {}

    /** Whether a body of that size is accounted for while it waits for its client. */
    static boolean isLarge(long bytes) {
        return bytes >= LARGE_BYTES;
    }

    /** Sends a stored response that is not an ESI document, as stored or decoded. */
    public static void stored(Exchange exchange, StoredResponse response, Instant now) {
        int bytes = bodyBytes(exchange, response);
        var out = ResponseHeads.stored(exchange.response(), response, false, bytes);
        stored(exchange, response, bytes, out, now);
    }

    /**
     * Sends a stored ESI document unprocessed, to a surrogate that assembles it.
     *
     * @param source its source form
     * @param stamp the stamp of its tags, if they carry the stamp of this request: then the bytes
     *     differ in each response
     */
    public static void unassembled(
            Exchange exchange, StoredResponse source, @Nullable Stamp stamp, Instant now) {
        var out = ResponseHeads.unassembled(exchange.response(), source, stamp);
        stored(exchange, source, bodyBytes(exchange, source), out, now);
    }

    private static int bodyBytes(Exchange exchange, StoredResponse response) {
        boolean hasBody = !exchange.request().isHead() && HeadText.mayHaveLength(response.status());
        return hasBody ? response.length() : 0;
    }

    private static void stored(
            Exchange exchange, StoredResponse response, int bytes, HeadLines out, Instant now) {
        ResponseHeads.age(out, response, now);
        endHead(exchange, out, true);
        body(exchange, response, 0, bytes);
        exchange.response().end();
    }

    /**
     * Sends a stored response in gzip.
     *
     * @param piece its body, compressed
     */
    public static void compressed(
            Exchange exchange, StoredResponse response, GzipPiece piece, Instant now) {
        if (!response.isCompressible() && !response.isDecoded()) {
            throw new IllegalStateException("not compressible: " + response.key().url());
        }
        var to = exchange.response();
        var body = new Gathering(to.alloc(), RUN_BYTES);
        var gzip = new GzipBody();
        gzip.add(piece, body);
        gzip.end(body);
        long bytes = body.bytes();
        var out = ResponseHeads.stored(to, response, true, 0);
        ResponseHeads.age(out, response, now);
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
        HeadText.contentLength(out, bytes);
        to.endHead(true);
        to.body(body);
        if (!exchange.request().isHead() && isLarge(bytes) && response.tryRetain()) {
            to.whenGone(response::release);
        }
        to.end();
    }

    /**
     * Sends parts of a stored body: a single one as it is, several as multipart/byteranges (RFC
     * 9110 §14.6).
     *
     * @param ranges ranges within the body
     */
    public static void parts(
            Exchange exchange, StoredResponse response, List<ByteRange> ranges, Instant now) {
        var to = exchange.response();
        var parts = new BodyParts(ranges, response.head(), response.length());
        var out = ResponseHeads.parts(to, response.head(), parts, Coding.of(response));
        ResponseHeads.age(out, response, now);
        endHead(exchange, out, true);
        for (int i = 0; i < ranges.size(); i++) {
            parts.before(i, to::body);
            body(exchange, response, ranges.get(i));
        }
        parts.end(to::body);
        to.end();
    }

    /**
     * Sends the head of parts of a body that is being received.
     *
     * @param isCompressible whether later responses may be compressed
     * @param wall its Date, if it has none
     */
    public static void passingParts(
            Exchange exchange,
            ResponseHead passing,
            BodyParts parts,
            boolean isCompressible,
            Instant wall) {
        var whole =
                new ResponseHead(
                        passing.status(),
                        passing.reason(),
                        ForwardedFields.forwardable(passing.fields()));
        var coding = Coding.asItCame(isCompressible);
        var out = ResponseHeads.parts(exchange.response(), whole, parts, coding);
        ofPassing(out, passing, wall);
        endHead(exchange, out, true);
    }

    /** Writes Date and Age of a response that is being received. */
    private static void ofPassing(HeadLines out, ResponseHead passing, Instant wall) {
        ResponseHeads.date(out, passing, wall);
        var age = passing.fields().first("Age");
        if (age != null) {
            out.line("Age", age);
        }
    }

    /**
     * Sends 416: none of the requested ranges overlaps the body (RFC 9110 §15.5.17).
     *
     * @param completeBytes the length of the body
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public static void unsatisfiable(Exchange exchange, long completeBytes, Instant wall) {
        var out = ResponseHeads.unsatisfiable(exchange.response(), completeBytes, wall);
        endHead(exchange, out, true);
        exchange.response().end();
    }

    /** Sends the body from {@code from} on, and the end; takes over one reference. */
    public static void remainder(Exchange exchange, StoredResponse response, int from) {
        body(exchange, response, from, response.length() - from);
        response.release();
        exchange.response().end();
    }

    /**
     * Sends the parts of the body that are at {@code from} or behind it, and the end; takes over
     * one reference.
     */
    public static void remainder(
            Exchange exchange, StoredResponse response, int from, BodyParts parts) {
        var to = exchange.response();
        var body = response.body();
        int index = body.readerIndex() + from;
        parts.take(body.retainedSlice(index, response.length() - from), to::body);
        to.whenGone(response::release);
        to.end();
    }

    /** Sends 304 to a client whose copy is still valid (RFC 9110 §15.4.5). */
    public static void notModified(Exchange exchange, StoredResponse response, Instant now) {
        notModified(exchange, response, Coding.of(response), now);
    }

    /** Sends 304 like {@link #notModified}, in place of {@link #compressed}. */
    public static void notModifiedCompressed(
            Exchange exchange, StoredResponse response, Instant now) {
        notModified(exchange, response, Coding.GZIP, now);
    }

    private static void notModified(
            Exchange exchange, StoredResponse response, Coding coding, Instant now) {
        var out = ResponseHeads.notModified(exchange.response(), response.head(), coding);
        ResponseHeads.age(out, response, now);
        endHead(exchange, out, true);
        exchange.response().end();
    }

    /**
     * Sends 304 in place of a response that is being received.
     *
     * @param isCompressible whether later responses may be compressed
     * @param wall its Date, if it has none
     */
    public static void notModified(
            Exchange exchange, ResponseHead passing, boolean isCompressible, Instant wall) {
        notModified(exchange, passing, Coding.asItCame(isCompressible), wall);
    }

    /** Sends 304 in place of {@link #passingCompressed}. */
    public static void notModifiedCompressed(
            Exchange exchange, ResponseHead passing, Instant wall) {
        notModified(exchange, passing, Coding.GZIP, wall);
    }

    private static void notModified(
            Exchange exchange, ResponseHead passing, Coding coding, Instant wall) {
        var out = ResponseHeads.notModified(exchange.response(), passing, coding);
        ofPassing(out, passing, wall);
        endHead(exchange, out, true);
        exchange.response().end();
    }

    /** Sends 304 to a client whose copy of an assembled page is still valid (RFC 9110 §15.4.5). */
    static void notModified(
            Exchange exchange, PageHead.Snapshot<StoredResponse> snapshot, Instant wall) {
        endHead(exchange, ResponseHeads.notModified(exchange.response(), snapshot, wall), true);
        exchange.response().end();
    }

    /**
     * Sends the head of an assembled page.
     *
     * @param wall its Date
     * @param lengthBytes the length of its body, -1 if not known yet
     * @param isCompressed whether its body is in gzip
     */
    static void page(
            Exchange exchange,
            PageHead.Snapshot<StoredResponse> snapshot,
            Instant wall,
            long lengthBytes,
            boolean isCompressed) {
        var to = exchange.response();
        var out = ResponseHeads.page(to, snapshot, wall, isCompressed);
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
        var cookies = snapshot.cookies();
        for (int i = 0; i < cookies.size(); i++) {
            out.line("Set-Cookie", cookies.get(i));
        }
        if (snapshot.errors() > 0 && exchange.seesDiagnostics()) {
            out.line("X-ESI-Errors", Integer.toString(snapshot.errors()));
        }
        boolean hasBody = !exchange.request().isHead() && HeadText.mayHaveLength(snapshot.status());
        if (hasBody && lengthBytes >= 0) {
            HeadText.contentLength(out, lengthBytes);
        }
        to.endHead(!hasBody || lengthBytes >= 0);
    }

    /**
     * Sends the head of a streamed response.
     *
     * @param isUnassembled whether it is the head of a page that would have been assembled: its
     *     length and validators are not those of the assembled page
     * @param isCompressible whether later responses may be compressed
     * @param wall its Date, if it has none
     */
    public static void passing(
            Exchange exchange,
            ResponseHead head,
            boolean isUnassembled,
            boolean isCompressible,
            Instant wall) {
        var coding =
                Conditions.isKnownWeakly(exchange.request(), head)
                        ? Coding.WEAKENED
                        : Coding.asItCame(isCompressible);
        var out = ResponseHeads.passing(exchange.response(), head, isUnassembled, coding, wall);
        passing(exchange, head, isUnassembled, out);
    }

    /**
     * Sends the head of a streamed response that is compressed.
     *
     * @param wall its Date, if it has none
     */
    public static void passingCompressed(Exchange exchange, ResponseHead head, Instant wall) {
        var out = ResponseHeads.passing(exchange.response(), head, false, Coding.GZIP, wall);
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
        exchange.response().endHead(false);
    }

    /** Sends the head of a streamed ESI document, to a surrogate that assembles it. */
    public static void passingUnassembled(Exchange exchange, ResponseHead head, Instant wall) {
        var out = ResponseHeads.passing(exchange.response(), head, false, Coding.AS_IT_CAME, wall);
        HeadText.surrogateControl(out, head);
        passing(exchange, head, false, out);
    }

    /** Sends a 101 and joins the client with {@code origin}. */
    public static void switching(
            Exchange exchange, ResponseHead head, TunnelEnd origin, TunnelPlace place) {
        var out = ResponseHeads.switching(exchange.response(), head);
        place.handshake().fields().forEach(out::line);
        exchange.response().tunnel(origin, place);
    }

    private static void passing(
            Exchange exchange, ResponseHead head, boolean isUnassembled, HeadLines out) {
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
        boolean mayHaveLength = HeadText.mayHaveLength(head.status()) && !isUnassembled;
        var length = mayHaveLength ? head.fields().first("content-length") : null;
        if (length != null) {
            out.line("Content-Length", length);
        }
        exchange.response().endHead(!mayHaveLength || length != null);
    }

    /**
     * Sends an error response: the operator's page if there is one, else ours.
     *
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public static void error(Exchange exchange, ErrorPage page, Instant wall) {
        if (!exchange.isReplaced(page)) {
            builtIn(exchange, exchange.response(), page, wall);
        }
    }

    /** Sends our own error response to {@code to}. */
    public static void builtIn(
            Exchange exchange, ResponseChannel to, ErrorPage page, Instant wall) {
        ErrorResponse.send(to, page, exchange.effective().fields(), exchange.id(), wall);
    }

    /** Sends the redirect of a rule. */
    public static void redirect(Exchange exchange, int status, String location, Instant wall) {
        var to = exchange.response();
        ResponseHeads.redirect(to, status, location, wall);
        to.endHead(true);
        to.end();
    }

    /**
     * Sends a response of the configuration.
     *
     * @param fields to add; they replace the default of {@code Cache-Control}
     */
    public static void fixed(Exchange exchange, FixedAnswer answer, Fields fields, Instant wall) {
        var to = exchange.response();
        var body = answer.body();
        ResponseHeads.fixed(to, answer, body.length, fields, wall);
        to.endHead(true);
        if (body.length > 0) {
            to.body(Unpooled.wrappedBuffer(body));
        }
        to.end();
    }

    /** Sends the response to {@code OPTIONS *}. */
    public static void options(Exchange exchange, Instant wall) {
        ResponseHeads.options(exchange.response(), wall);
        exchange.response().endHead(true);
        exchange.response().end();
    }

    private static void body(Exchange exchange, StoredResponse response, ByteRange range) {
        body(exchange, response, (int) range.first(), (int) range.lengthBytes());
    }

    /**
     * Sends {@code bytes} of the body from {@code from} on. While a slow client receives a large
     * body it holds a reference to the response, so that this memory is accounted for.
     */
    private static void body(Exchange exchange, StoredResponse response, int from, int bytes) {
        var file = response.file();
        if (file != null) {
            body(exchange, file, from, bytes);
            return;
        }
        var body = response.body();
        int index = body.readerIndex() + from;
        if (isLarge(bytes) && response.tryRetain()) {
            exchange.response().body(body.retainedSlice(index, bytes), response::release);
        } else {
            exchange.response().body(body, index, bytes);
        }
    }

    /** In pieces, so that the progress of a slow client is seen. */
    private static void body(Exchange exchange, FileBody file, int from, int bytes) {
        var to = exchange.response();
        // One write is cheaper than two. If the file cannot be read, the channel fails and closes.
        var read = bytes < FileBody.SENDFILE_BYTES ? file.read(from, bytes, to.alloc()) : null;
        if (read != null) {
            to.body(read);
            return;
        }
        for (int at = 0; at < bytes; at += PIECE_BYTES) {
            int piece = Math.min(PIECE_BYTES, bytes - at);
            to.body(file.region(from + at, piece));
        }
    }

    private static void endHead(Exchange exchange, HeadLines out, boolean isLengthKnown) {
        HeadText.cacheStatus(out, exchange.cacheStatus(), exchange.ttlSeconds());
        exchange.response().endHead(isLengthKnown);
    }
}
