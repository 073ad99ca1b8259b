package dev.quire.proxy.exchange;

/** The hand on the tap of a body in motion. On the exchange's loop. */
public interface BodyFlow {

    /** No more data after what is already being handed over; deadlines stand still. */
    void pause();

    /** Data again. */
    void resume();

    /** Nobody wants the rest: no further calls, and the connection is closed unless it is done. */
    void cancel();
}
