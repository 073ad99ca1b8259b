package dev.quire.proxy.exchange;

/** What becomes of the exchanges a connection makes. On the connection's loop. */
public interface ExchangeHandler {

    /** A request has come; its answer goes to {@link Exchange#connection}. */
    void begin(Exchange exchange);

    /** The exchange is over: answered, aborted, or left by its client. Once for each. */
    void finished(Exchange exchange);
}
