package dev.quire.proxy.cli;

/** A server that {@code quire run} starts and stops, each once and from one thread. */
public interface Server {

    /**
     * Binds both addresses, or neither.
     *
     * @throws CannotStart with all problems found
     */
    ListenAddresses start() throws CannotStart;

    /** Drains in-flight requests as configured, then closes everything. */
    void drainAndStop();
}
