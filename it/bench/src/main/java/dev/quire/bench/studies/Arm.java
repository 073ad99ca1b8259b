package dev.quire.bench.studies;

import dev.quire.bench.Running;
import dev.quire.bench.peers.Meter;
import dev.quire.bench.peers.Target;

/**
 * A running server, or several that work together, measured in a study.
 *
 * @param name in tables and pictures
 * @param look its class in pictures, such as {@code ours}
 * @param port on the loopback address
 * @param prefix of all paths
 * @param running the processes whose CPU time and memory are its own
 * @param originRequests expected requests at the origin for each of its requests, or {@link
 *     Meter.Expected#ANY}
 */
record Arm(String name, String look, int port, String prefix, Running running, int originRequests)
        implements AutoCloseable {

    /** A cache that must answer without its origin. */
    static Arm cache(String name, String look, Target target) {
        return new Arm(name, look, target.port(), "", target.running(), 0);
    }

    String url(String path) {
        return "http://127.0.0.1:" + port + prefix + path;
    }

    @Override
    public void close() {
        running.close();
    }
}
