package dev.quire.proxy.config;

import java.time.Duration;

/**
 * Where clients connect.
 *
 * @param http address of the HTTP/1.1 listener; port 0 picks a free one
 * @param backlog connections the kernel may hold before they are accepted
 * @param keepAlive how long an idle connection stays open; zero closes after each answer
 */
public record Listen(HostPort http, int backlog, Duration keepAlive) {

    static final Listen DEFAULTS =
            new Listen(new HostPort("127.0.0.1", 8080), 4096, Duration.ofSeconds(15));

    public Listen {
        if (backlog < 1 || keepAlive.isNegative()) {
            throw new IllegalArgumentException("backlog at least 1, keep-alive at least 0s");
        }
    }
}
