package dev.quire.proxy.listen;

import java.net.InetAddress;

/** What the listener counts. Called on any loop. */
public interface ListenEvents {

    /**
     * A request was not acted on.
     *
     * @param reason a constant of the rule it broke
     * @param offender what was found, escaped
     */
    void refused(Enum<?> reason, String offender, InetAddress client);

    /**
     * A connection was closed as it came: there are too many.
     *
     * @param reason a constant of the limit it is over
     */
    void turnedAway(Enum<?> reason);
}
