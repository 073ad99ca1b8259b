package dev.quire.proxy.exchange;

import dev.quire.core.assemble.ErrorPage;

/** The parts of the proxy that serve an exchange; newer ones may serve later exchanges. */
public interface Generation {

    /**
     * An exchange that it served has ended. Once for each, on the loop of the exchange.
     *
     * @param isError whether the client got an error of the server or of the proxy, or a response
     *     that broke off
     */
    void ended(boolean isError);

    /**
     * Lets go of an exchange that goes on without these parts, such as a stream; returns what
     * counts it from now on.
     */
    Generation released();

    /**
     * Sends a page of the operator with the status of {@code page}. Returns false, and sends
     * nothing, if the operator has no such page.
     */
    default boolean replaces(ErrorPage page, Exchange exchange) {
        return false;
    }
}
