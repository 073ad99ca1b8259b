package dev.quire.proxy.path;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.CacheControl;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.PassingCompression;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.gzip.GzipPiece;
import dev.quire.proxy.gzip.GzipStream;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Chooses the content coding of responses that are not assembled: ours, the origin's, or none. */
public final class Codings {
    /** How long a client waits for others whose bodies are being compressed. */
    static final Duration PATIENCE = Duration.ofMillis(500);

    private final Compression compression;
    private final Compressing compressing;
    private final LongWork longWork;

    public Codings(Compression compression, Compressing compressing, LongWork longWork) {
        this.compression = compression;
        this.compressing = compressing;
        this.longWork = longWork;
    }

    /**
     * Whether {@code response}, stored without a coding or decoded, is to be sent in gzip. Range is
     * ignored then: parts of the uncompressed bytes would not fit what the client already has.
     */
    boolean isToBeCompressed(StoredResponse response, Exchange exchange) {
        return (response.isCompressible() || isCompressibleAgain(response))
                && exchange.accepted().prefersGzip();
    }

    /** Whether {@code response} is decoded, and may be compressed in another coding. */
    private boolean isCompressibleAgain(StoredResponse response) {
        return response.isDecoded()
                && compression.mayReplaceCoding(response.head(), response.length());
    }

    /**
     * Passes the compressed body of {@code response} to {@code answer}, or null if it is no longer
     * stored, another loop is just compressing it, or too many others are being compressed. A long
     * body is compressed on a separate thread, once, and {@code answer} is called on the loop of
     * {@code exchange}.
     */
    void compressed(
            StoredResponse response, Exchange exchange, Consumer<@Nullable GzipPiece> answer) {
        int bytes = response.length();
        var kept = response.piece(0, bytes);
        if (kept != null) {
            answer.accept(kept);
        } else if (bytes <= Compressing.MAX_BYTES_ON_LOOP) {
            answer.accept(compressing.compress(response, 0, bytes, bytes));
        } else {
            FragmentTransforms.aside(
                    "compress",
                    response,
                    exchange,
                    () ->
                            longWork.inTurn(
                                    response.key(), PATIENCE, () -> compressedWhole(response)),
                    answer);
        }
    }

    private @Nullable GzipPiece compressedWhole(StoredResponse response) {
        int bytes = response.length();
        var kept = response.piece(0, bytes);
        return kept == null ? compressing.compress(response, 0, bytes, bytes) : kept;
    }

    /**
     * Whether {@code head}, whose body is passed on as it arrives, is that of a body in gzip.
     *
     * @param lengthBytes of the body, or -1 if unknown
     */
    boolean isCompressedInPassing(Exchange exchange, ResponseHead head, long lengthBytes) {
        return new PassingCompression(
                        compression,
                        exchange.request(),
                        exchange.accepted(),
                        !exchange.keyedFields().isEmpty(),
                        !exchange.response().protocol().equals("HTTP/1.0"))
                .appliesTo(head, lengthBytes);
    }

    /** Sends 304 in place of the response with {@code head}, in the coding that it would have. */
    void notModified(Exchange exchange, ResponseHead head, Instant wall) {
        if (isCompressedInPassing(exchange, head, Admission.announcedBytes(head.fields()))) {
            Answers.notModifiedCompressed(exchange, head, wall);
        } else {
            Answers.notModified(exchange, head, mayDiffer(exchange, head, false), wall);
        }
    }

    /** Updates the weight of {@code response} if forms of its head were made. */
    void headSent(StoredResponse response) {
        compressing.headSent(response);
    }

    /** Begins to compress a body; null if too many others are being compressed. */
    @Nullable GzipStream stream(Exchange exchange) {
        return compressing.stream(exchange.response().alloc());
    }

    /**
     * Whether {@code part}, which the origin has sent, may not fit what the client already has: the
     * date of its If-Range is the same in all codings of the whole.
     */
    boolean mayNotFit(Exchange exchange, ResponseHead part) {
        return part.status() == 206
                && RangeAnswer.asksByDate(exchange.request())
                && mayDiffer(exchange, RangeAnswer.wholeOf(part), false);
    }

    /** Whether later responses to the same request may have another content coding. */
    boolean mayDiffer(Exchange exchange, ResponseHead head, boolean isDocument) {
        if (!exchange.request().isGet() && !exchange.request().isHead()) {
            return false;
        }
        if (!ContentCoding.of(head.fields()).isCoded()
                && !compression.mayCompress(
                        head, isDocument, Admission.announcedBytes(head.fields()))) {
            return false;
        }
        var directives = CacheControl.of(head.fields());
        return !directives.noStore() && !directives.isPrivate();
    }
}
