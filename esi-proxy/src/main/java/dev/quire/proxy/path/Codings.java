package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheControl;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.gzip.GzipPiece;
import org.jspecify.annotations.Nullable;

/** In which content coding a client gets what is not assembled: ours, the origin's, or none. */
public final class Codings {
    private final Compression compression;
    private final Compressing compressing;

    public Codings(Compression compression, Compressing compressing) {
        this.compression = compression;
        this.compressing = compressing;
    }

    /**
     * All of {@code response} compressed; null if it is sent as it is: because it always is,
     * because the client wants it so, or because it is not compressed yet. A part is one of the
     * plain bytes.
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

    /** Whether what begins with {@code head} may come compressed when it is asked for again. */
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
