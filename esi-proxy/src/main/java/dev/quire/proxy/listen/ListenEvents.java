package dev.quire.proxy.listen;

import java.net.InetAddress;

/** Counts and logs events of the listener. Called on any loop. */
public interface ListenEvents {

    /** A request was refused. */
    void refused(Refusal refusal);

    /**
     * A connection was closed on accept because a limit was exceeded.
     *
     * @param reason a constant of the limit
     */
    void turnedAway(Enum<?> reason);

    /**
     * Connections were closed on accept since the last call for this reason; each was passed to
     * {@link #turnedAway(Enum)} before.
     *
     * @param last the client of the last of them
     */
    void turnedAway(Enum<?> reason, long connections, InetAddress last);
}
