package dev.quire.test;

import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.util.function.UnaryOperator;

/** How the pages of a site are assembled. */
@FunctionalInterface
public interface Assembling {

    /**
     * By the real proxy, in this JVM and without a socket, with its default configuration; but
     * failures are not retried, readers are not trusted peers, and the head of a page waits for its
     * parts.
     */
    Assembling PROXY = ProxySurrogate::local;

    /** By the application itself, as for a reader without a surrogate. */
    Assembling APPLICATION = (application, clock) -> new InApplication(application);

    /**
     * Starts an assembler of the pages of {@code application}.
     *
     * @param clock ages its stored responses
     */
    Surrogate start(Application application, TestClock clock);

    /**
     * By the real proxy, in this JVM, between sockets on free ports: as {@link #PROXY}, but
     * configured by {@code setup}.
     */
    static Assembling proxy(UnaryOperator<RunningProxy.Setup> setup) {
        return (application, clock) -> ProxySurrogate.overSockets(application, clock, setup);
    }
}
