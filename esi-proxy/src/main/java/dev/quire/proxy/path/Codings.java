package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheControl;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.gzip.GzipPiece;
import org.jspecify.annotations.Nullable;

/** Chooses the content coding of responses that are not assembled: ours, the origin's, or none. */
public final class Codings {
    private final Compression compression;
    private final Compressing compressing;

    public Codings(Compression compression, Compressing compressing) {
        this.compression = compression;
        this.compressing = compressing;
    }

    /**
     * Returns the compressed body of {@code response}. Returns null if it must be sent as stored:
     * because it is not compressible, the client does not prefer gzip or asks for a range, or it is
     * not compressed yet. Ranges refer to the uncompressed bytes.
     */
    @Nullable GzipPiece compressed(StoredResponse response, Exchange exchange) {
        var request = exchange.request();
        if (!response.isCompressible()
                || !exchange.accepted().prefersGzip()
                || request.fields().contains("range")) {
            return null;
        }
        int bytes = response.length();
        var kept = response.piece(0, bytes);
        return kept != null || request.isHead()
                ? kept
                : compressing.compress(response, 0, bytes, Compressing.MAX_BYTES_ON_LOOP);
    }

    /** Whether later responses to the same request may be compressed. */
    boolean mayCompress(Exchange exchange, ResponseHead head, boolean isDocument) {
        if (!exchange.request().isGet() && !exchange.request().isHead()) {
            return false;
        }
        if (!compression.mayCompress(head, isDocument, -1)) {
            return false;
        }
        var directives = CacheControl.of(head.fields());
        return !directives.noStore() && !directives.isPrivate();
    }
}
