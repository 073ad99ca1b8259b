package dev.quire.proxy.cli;

/** What {@code quire run} starts and stops; each once, by one thread. */
public interface Server {

    /**
     * Listens on both addresses, or on neither.
     *
     * @throws CannotStart with every reason there is
     */
    Addresses start() throws CannotStart;

    /** Lets the requests in flight end, as the configuration says, and closes everything. */
    void drainAndStop();
}
