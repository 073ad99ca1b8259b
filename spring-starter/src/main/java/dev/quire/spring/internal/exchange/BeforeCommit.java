package dev.quire.spring.internal.exchange;

import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Consumer;

/** Work that runs before the head of a response is sent. */
public final class BeforeCommit {

    private BeforeCommit() {}

    /**
     * Runs {@code work} before the head of the current response is decided, on the thread that
     * commits it; not after {@code sendError}. The work may add fields.
     *
     * @return whether the work will run; false if the calling thread handles no request, or the
     *     head is already sent
     */
    public static boolean run(Consumer<HttpServletResponse> work) {
        var exchange = GuardedExchange.current();
        if (exchange == null || exchange.response().isCommitted()) {
            return false;
        }
        exchange.beforeCommit(work);
        return true;
    }
}
