package dev.quire.proxy.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The {@code listen} section.
 *
 * @param http address for clients without TLS; at least one address is present
 * @param https address for clients with TLS
 * @param redirect which requests without TLS are redirected to {@code https}
 * @param backlog connections the kernel may queue before they are accepted
 * @param keepAlive how long an idle connection stays open; zero closes after each response
 * @param maxConnectionsPerClient open at the same time; 0 for no limit
 * @param defaultHost the authority of requests of HTTP/1.0 without Host
 * @param halfClose whether a client that closes its side after a complete request is answered
 * @param maxTunnels open at the same time, over all routes; 0 for none
 * @param h2c whether clients may begin with HTTP/2 on the address {@code http}
 * @param http2 the {@code http2} section
 */
public record Listen(
        Optional<HostPort> http,
        Optional<HostPort> https,
        Redirect redirect,
        int backlog,
        Duration keepAlive,
        int maxConnectionsPerClient,
        Optional<String> defaultHost,
        HalfClose halfClose,
        int maxTunnels,
        boolean h2c,
        Http2Config http2) {

    /** The meaning of a client that closes its sending side after a complete request. */
    public enum HalfClose {
        /** It waits for its response. */
        ANSWER,
        /** It has gone; its request is cancelled. */
        GONE
    }

    /** Which requests without TLS are redirected. */
    public enum Redirect {
        /** None. */
        OFF,
        /** Those of routed hosts, to the same URL with {@code https}. */
        HTTPS
    }

    static final Listen DEFAULTS =
            new Listen(
                    Optional.of(new HostPort("127.0.0.1", 8080)),
                    Optional.empty(),
                    Redirect.OFF,
                    4096,
                    Duration.ofSeconds(15),
                    0,
                    Optional.empty(),
                    HalfClose.ANSWER,
                    1024,
                    false,
                    Http2Config.DEFAULTS);

    /** With the default number of tunnels. */
    public Listen(HostPort http, int backlog, Duration keepAlive, int maxConnectionsPerClient) {
        this(
                Optional.of(http),
                Optional.empty(),
                Redirect.OFF,
                backlog,
                keepAlive,
                maxConnectionsPerClient,
                Optional.empty(),
                HalfClose.ANSWER,
                1024,
                false,
                Http2Config.DEFAULTS);
    }

    public Listen {
        if (http.isEmpty() && https.isEmpty()) {
            throw new IllegalArgumentException("expected an address for clients");
        }
        if (backlog < 1
                || keepAlive.isNegative()
                || maxConnectionsPerClient < 0
                || maxTunnels < 0) {
            throw new IllegalArgumentException(
                    "expected a backlog of at least 1, and keep-alive,"
                            + " max-connections-per-client and max-tunnels of at least 0");
        }
    }

    /** All addresses for clients. */
    public List<ClientAddress> addresses() {
        return Stream.of(
                        http.map(it -> new ClientAddress(ClientAddress.HTTP, it, false)),
                        https.map(it -> new ClientAddress(ClientAddress.HTTPS, it, true)))
                .flatMap(Optional::stream)
                .toList();
    }
}
