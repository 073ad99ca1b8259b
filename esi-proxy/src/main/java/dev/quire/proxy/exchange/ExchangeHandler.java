package dev.quire.proxy.exchange;

/** What becomes of the exchanges a connection makes. On the connection's loop. */
public interface ExchangeHandler {

    /** A request has come; its answer goes to {@link Exchange#response}. */
    void begin(Exchange exchange);

    /**
     * A step of the exchange that did not come from its own connection has thrown. Nothing is
     * answered any more if it is over already.
     */
    void failed(Exchange exchange, RuntimeException bug);

    /** The exchange is over: answered, aborted, or left by its client. Once for each. */
    void finished(Exchange exchange);
}
