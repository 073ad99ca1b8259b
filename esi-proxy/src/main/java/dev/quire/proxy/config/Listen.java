package dev.quire.proxy.config;

import java.time.Duration;

/**
 * The {@code listen} section.
 *
 * @param http address of the HTTP/1.1 listener; port 0 picks a free port
 * @param backlog connections the kernel may queue before they are accepted
 * @param keepAlive how long an idle connection stays open; zero closes after each response
 * @param maxConnectionsPerClient open at the same time; 0 for no limit
 */
public record Listen(HostPort http, int backlog, Duration keepAlive, int maxConnectionsPerClient) {

    static final Listen DEFAULTS =
            new Listen(new HostPort("127.0.0.1", 8080), 4096, Duration.ofSeconds(15), 0);

    public Listen {
        if (backlog < 1 || keepAlive.isNegative() || maxConnectionsPerClient < 0) {
            throw new IllegalArgumentException(
                    "expected a backlog of at least 1, and keep-alive and"
                            + " max-connections-per-client of at least 0");
        }
    }
}
