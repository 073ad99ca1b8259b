package dev.quire.proxy.exchange;

/** Handles the exchanges of a connection. On the connection's loop. */
public interface ExchangeHandler {

    /** Handles a new request; the response goes to {@link Exchange#response}. */
    void begin(Exchange exchange);

    /**
     * Handles an exception in a step that was not called by the exchange's own connection. Sends no
     * response if the exchange has already ended.
     */
    void failed(Exchange exchange, Throwable bug);

    /**
     * The exchange has ended: it was answered, aborted, or cancelled by its client. Once for each.
     *
     * @param nowNanos on the clock of its loop
     */
    void finished(Exchange exchange, long nowNanos);
}
