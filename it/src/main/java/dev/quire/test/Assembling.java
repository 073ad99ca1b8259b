package dev.quire.test;

import java.util.function.UnaryOperator;

/** How the pages of a site are assembled. */
@FunctionalInterface
public interface Assembling {

    /**
     * By the real proxy, in this JVM and without a socket, as its defaults have it; but what fails
     * is not asked for again, readers are no trusted peers, and the head of a page waits for its
     * parts.
     */
    Assembling PROXY = ProxySurrogate::local;

    /** By the application itself, as for a reader who comes without a surrogate. */
    Assembling APPLICATION = (application, clock) -> new InApplication(application);

    /**
     * Makes what assembles the pages of {@code application}.
     *
     * @param clock what it keeps ages by {@code clock}
     */
    Surrogate start(Application application, HandSetClock clock);

    /**
     * By the real proxy, in this JVM, between sockets on free ports: as {@link #PROXY}, but set up
     * as {@code setup} makes it.
     */
    static Assembling proxy(UnaryOperator<RunningProxy.Setup> setup) {
        return (application, clock) -> ProxySurrogate.overSockets(application, clock, setup);
    }
}
