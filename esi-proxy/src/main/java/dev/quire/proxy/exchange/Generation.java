package dev.quire.proxy.exchange;

/** The parts of the proxy that serve an exchange; newer ones may serve later exchanges. */
public interface Generation {

    /** An exchange that it served has ended. Once for each, on the loop of the exchange. */
    void ended();
}
