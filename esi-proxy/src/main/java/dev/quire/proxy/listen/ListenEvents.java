package dev.quire.proxy.listen;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Counts and logs events of the listener. Called on any loop. */
public interface ListenEvents {

    /** One end of a connection. */
    enum Side {
        CLIENT,
        SERVER
    }

    /** A client has opened a stream of HTTP/2. */
    default void streamOpened() {}

    /**
     * A stream of HTTP/2 was reset.
     *
     * @param by the side that reset it
     * @param error a constant of the error code; null if it is unknown
     */
    default void reset(Side by, @Nullable Enum<?> error) {}

    /**
     * GOAWAY was sent on a connection of HTTP/2.
     *
     * @param reason a constant of the reason
     */
    default void goAway(Enum<?> reason) {}

    /**
     * A header of the PROXY protocol was read or refused.
     *
     * @param result a constant of the result
     */
    default void proxyHeader(Enum<?> result) {}

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
