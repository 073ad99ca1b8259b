package dev.quire.spring;

import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Consumer;

/** What has to be done before the head of a response goes out. */
public final class BeforeCommit {

    private BeforeCommit() {}

    /**
     * Has {@code work} done when the response of the current request is decided, on the thread that
     * commits it, if it is none of an error. It may add fields.
     *
     * @return whether it will be; false where the calling thread answers no request, and where the
     *     head is out already
     */
    public static boolean run(Consumer<HttpServletResponse> work) {
        var exchange = Exchange.current();
        if (exchange == null || exchange.response().isCommitted()) {
            return false;
        }
        exchange.beforeCommit(work);
        return true;
    }
}
