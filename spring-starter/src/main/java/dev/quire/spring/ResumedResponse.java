package dev.quire.spring;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/**
 * The response of a fragment whose handler has been waited for. It goes on by a forward, which
 * begins by asking for an uncommitted, empty response; what was written meanwhile must stay.
 */
final class ResumedResponse extends HttpServletResponseWrapper {

    private boolean entering = true;

    ResumedResponse(HttpServletResponse response) {
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
