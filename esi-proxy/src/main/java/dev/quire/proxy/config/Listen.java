package dev.quire.proxy.config;

import java.time.Duration;
import java.util.Optional;

/**
 * The {@code listen} section.
 *
 * @param http address of the HTTP/1.1 listener; port 0 picks a free port
 * @param backlog connections the kernel may queue before they are accepted
 * @param keepAlive how long an idle connection stays open; zero closes after each response
 * @param maxConnectionsPerClient open at the same time; 0 for no limit
 * @param defaultHost the authority of requests of HTTP/1.0 without Host
 * @param halfClose whether a client that closes its side after a complete request is answered
 * @param maxTunnels open at the same time, over all routes; 0 for none
 */
public record Listen(
        HostPort http,
        int backlog,
        Duration keepAlive,
        int maxConnectionsPerClient,
        Optional<String> defaultHost,
        HalfClose halfClose,
        int maxTunnels) {

    /** The meaning of a client that closes its sending side after a complete request. */
    public enum HalfClose {
        /** It waits for its response. */
        ANSWER,
        /** It has gone; its request is cancelled. */
        GONE
    }

    static final Listen DEFAULTS =
            new Listen(
                    new HostPort("127.0.0.1", 8080),
                    4096,
                    Duration.ofSeconds(15),
                    0,
                    Optional.empty(),
                    HalfClose.ANSWER,
                    1024);

    /** With the default number of tunnels. */
    public Listen(HostPort http, int backlog, Duration keepAlive, int maxConnectionsPerClient) {
        this(
                http,
                backlog,
                keepAlive,
                maxConnectionsPerClient,
                Optional.empty(),
                HalfClose.ANSWER,
                1024);
    }

    public Listen {
        if (backlog < 1
                || keepAlive.isNegative()
                || maxConnectionsPerClient < 0
                || maxTunnels < 0) {
            throw new IllegalArgumentException(
                    "expected a backlog of at least 1, and keep-alive,"
                            + " max-connections-per-client and max-tunnels of at least 0");
        }
    }
}
