package dev.quire.spring.internal.response;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/**
 * The response of a fragment whose asynchronous handler is resumed by a forward. A forward requires
 * an uncommitted response and resets it; the content written so far must stay.
 */
public final class ResumedResponse extends HttpServletResponseWrapper {

    private boolean entering = true;

    public ResumedResponse(HttpServletResponse response) {
        super(response);
    }

    @Override
    public boolean isCommitted() {
        return !entering && super.isCommitted();
    }

    @Override
    public void resetBuffer() {
        if (entering) {
            entering = false;
        } else {
            super.resetBuffer();
        }
    }
}
