package dev.quire.test;

import java.util.function.UnaryOperator;

/** How the pages of a site are assembled. */
@FunctionalInterface
public interface Assembling {

    /**
     * By the language and the caching rules of Quire, in memory and without a socket: the fastest
     * way, and the one to step through.
     */
    Assembling IN_MEMORY = (application, clock) -> new MemorySurrogate(application, clock);

    /**
     * By the real proxy, in this JVM, as its defaults have it; but what fails is not asked for
     * again, and readers are no trusted peers.
     */
    Assembling PROXY = proxy(setup -> setup);

    /** By the application itself, as for a reader who comes without a surrogate. */
    Assembling APPLICATION = (application, clock) -> new InApplication(application);

    /**
     * Makes what assembles the pages of {@code application}.
     *
     * @param clock what it keeps ages by {@code clock}
     */
    Surrogate start(Application application, HandSetClock clock);

    /** By the real proxy, set up as {@code setup} makes it. */
    static Assembling proxy(UnaryOperator<RunningProxy.Setup> setup) {
        return (application, clock) -> new ProxySurrogate(application, clock, setup);
    }
}
