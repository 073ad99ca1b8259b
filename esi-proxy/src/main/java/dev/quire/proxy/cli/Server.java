package dev.quire.proxy.cli;

import dev.quire.proxy.handover.Takeover;
import java.util.List;

/** A server that {@code quire run} starts and stops, each once and from one thread. */
public interface Server {

    /**
     * Binds both addresses, or neither.
     *
     * @throws CannotStart with all problems found
     */
    ListenAddresses start() throws CannotStart;

    /**
     * Like {@link #start()}, with the listening sockets that {@code from} has. Returns when the
     * other process accepts no more; if it throws, that process continues to accept.
     */
    ListenAddresses start(Takeover from) throws CannotStart;

    /** The servers of its origins, in the order of the configuration; after the start. */
    List<ServerHealth> servers();

    /** Drains in-flight requests as configured, then closes everything. */
    void drainAndStop();
}
