package dev.quire.test.attacks;

import java.net.InetSocketAddress;
import java.util.Map;

/** A kind of proxy under attack. */
interface AttackTarget {
    /** Its name in {@code for}. */
    String name();

    /**
     * Starts one with an empty store, in front of two servers on the loopback: {@code other} is for
     * the host {@code other.example}, {@code origin} for all others.
     *
     * @param config sections of Quire's configuration, which a peer does not use
     * @throws AssertionError if it does not start
     */
    Running start(InetSocketAddress origin, InetSocketAddress other, Map<String, String> config);

    /** One that is running. */
    interface Running extends AutoCloseable {
        InetSocketAddress address();

        @Override
        void close();
    }
}
