package dev.quire.proxy.listen;

/** A client connection of any protocol, among those of its loop. On the connection's loop. */
interface LoopConnection {

    Arrival arrival();

    /** Stops accepting requests: closes with its last response, or when idle. */
    void drain(GoAwayReason reason);

    /** Ends its requests and tunnels, and then closes. */
    void end();

    /** Acts on timeouts that have expired. Called periodically. */
    void check(long nowNanos);
}
