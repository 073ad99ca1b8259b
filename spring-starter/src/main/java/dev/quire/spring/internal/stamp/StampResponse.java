package dev.quire.spring.internal.stamp;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A response that replaces the placeholder with the surrogate's stamp while streaming. It holds
 * back at most the start of a placeholder, even across a flush.
 */
final class StampResponse extends DelegatingResponse {

    private final StampSwap swap;
    private final BooleanSupplier hasStamps;
    private boolean refused;

    /**
     * Wraps a response.
     *
     * @param hasStamps whether the response is known to contain stamps so far
     */
    public StampResponse(HttpServletResponse response, StampSwap swap, BooleanSupplier hasStamps) {
        super(response);
        this.swap = swap;
        this.hasStamps = hasStamps;
    }

    /** Writes the held bytes; nothing is written afterwards. */
    @Override
    public void finish() throws IOException {
        drainWriter();
        if (swap.isKeeping()) {
            swap.finish(response.getOutputStream());
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        refuseCompressed();
        swap.write(bytes, offset, length, response.getOutputStream());
    }

    /**
     * Fails if a filter inside has compressed the body. The placeholder cannot be found in it, and
     * a client that decompresses it could then forge tags. The response fails, and further writes
     * of that filter are refused.
     */
    private void refuseCompressed() {
        var encoding = response.getHeader("Content-Encoding");
        boolean isPlain = encoding == null || encoding.equalsIgnoreCase("identity");
        if (!refused && (isPlain || !hasStamps.getAsBoolean())) {
            return;
        }
        if (!refused && !response.isCommitted()) {
            response.reset();
            response.setHeader("Cache-Control", "no-store");
            response.setStatus(SC_INTERNAL_SERVER_ERROR);
        }
        refused = true;
        throw new IllegalStateException(
                "a filter inside %s has compressed a response with ESI tags, so their stamps cannot be replaced; leave compression to server.compression.enabled or to the surrogate"
                        .formatted(StampFilter.class.getSimpleName()));
    }

    @Override
    public void flushBuffer() throws IOException {
        drainWriter();
        refuseCompressed();
        response.flushBuffer();
    }

    @Override
    public void reset() {
        response.reset();
        swap.reset();
        forgetWriter();
    }

    @Override
    public void resetBuffer() {
        drainWriter();
        response.resetBuffer();
        swap.reset();
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
        response.sendError(status, message);
        swap.reset();
    }

    @Override
    public void sendError(int status) throws IOException {
        response.sendError(status);
        swap.reset();
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (!clearBuffer) {
            finish();
        }
        response.sendRedirect(location, status, clearBuffer);
        swap.reset();
    }

    @Override
    public void flush() throws IOException {
        refuseCompressed();
        response.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
        swap.finish(response.getOutputStream());
        response.getOutputStream().close();
    }

    @Override
    public StampSwap unblock() {
        return swap;
    }
}
