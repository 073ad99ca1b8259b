package dev.quire.proxy.exchange;

/** The parts of the proxy that serve an exchange, while newer ones may serve those that follow. */
public interface Generation {

    /** An exchange that it served is over. Once for each, on the loop of the exchange. */
    void ended();
}
