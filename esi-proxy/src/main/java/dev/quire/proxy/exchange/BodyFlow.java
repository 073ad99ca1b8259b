package dev.quire.proxy.exchange;

/** Controls the flow of a body. On the exchange's loop. */
public interface BodyFlow {

    /** Stops the data, except for what is already being passed on; suspends the deadlines. */
    void pause();

    void resume();

    /**
     * The rest is not wanted: no further calls to the sink, and the connection is closed unless the
     * body is complete.
     */
    void cancel();
}
