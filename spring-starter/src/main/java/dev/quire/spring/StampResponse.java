package dev.quire.spring;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A response that puts the surrogate's stamp where the placeholder stands, as the bytes pass. It
 * keeps back at most the beginning of a placeholder, past a flush too.
 */
final class StampResponse extends DelegatingResponse {

    private final StampSwap swap;
    private final BooleanSupplier hasStamps;
    private boolean refused;

    /**
     * A response.
     *
     * @param hasStamps whether there is something to swap, as far as is known by now
     */
    StampResponse(HttpServletResponse response, StampSwap swap, BooleanSupplier hasStamps) {
        super(response);
        this.swap = swap;
        this.hasStamps = hasStamps;
    }

    /** Nothing more is written: what is kept back goes. */
    @Override
    void finish() throws IOException {
        drainWriter();
        if (swap.isKeeping()) {
            swap.finish(response.getOutputStream());
        }
    }

    @Override
    void write(byte[] bytes, int offset, int length) throws IOException {
        refuseCompressed();
        swap.write(bytes, offset, length, response.getOutputStream());
    }

    /**
     * The placeholder in what a filter inside has compressed cannot be found; whoever unpacks it
     * could forge tags from then on. Rather no answer, and none of what else that filter writes.
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
    void flush() throws IOException {
        refuseCompressed();
        response.getOutputStream().flush();
    }

    @Override
    void close() throws IOException {
        swap.finish(response.getOutputStream());
        response.getOutputStream().close();
    }

    @Override
    StampSwap unblock() {
        return swap;
    }
}
