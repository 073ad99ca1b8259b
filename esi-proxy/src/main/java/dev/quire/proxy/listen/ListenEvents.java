package dev.quire.proxy.listen;

import java.net.InetAddress;

/** Counts events of the listener. Called on any loop. */
public interface ListenEvents {

    /**
     * A request was refused.
     *
     * @param reason a constant of the violated rule
     * @param offender the offending text, escaped
     */
    void refused(Enum<?> reason, String offender, InetAddress client);

    /**
     * A connection was closed on accept because a limit was exceeded.
     *
     * @param reason a constant of the limit
     */
    void turnedAway(Enum<?> reason);
}
