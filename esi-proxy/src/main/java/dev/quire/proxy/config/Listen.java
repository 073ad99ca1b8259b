package dev.quire.proxy.config;

import dev.quire.core.policy.HttpsRedirect;
import dev.quire.core.text.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

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
 * @param also further addresses
 * @param proxies peers of {@code http} and {@code https} that use the PROXY protocol
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
        Http2Config http2,
        List<ClientAddress> also,
        List<Network> proxies) {

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
                    Http2Config.DEFAULTS,
                    List.of(),
                    List.of());

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
                Http2Config.DEFAULTS,
                List.of(),
                List.of());
    }

    public Listen {
        also = List.copyOf(also);
        proxies = List.copyOf(proxies);
        if (http.isEmpty() && https.isEmpty() && also.isEmpty()) {
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

    /** The redirect of requests without TLS. */
    public Optional<HttpsRedirect> httpsRedirect() {
        return redirect == Redirect.HTTPS
                ? https.map(address -> new HttpsRedirect(address.port()))
                : Optional.empty();
    }

    /** All addresses for clients. */
    public List<ClientAddress> addresses() {
        var plain =
                h2c
                        ? EnumSet.of(ListenProtocol.HTTP1, ListenProtocol.H2C)
                        : ClientAddress.defaultProtocols(false);
        var secure = ClientAddress.defaultProtocols(true);
        var addresses = new ArrayList<ClientAddress>();
        http.map(it -> new ClientAddress(ClientAddress.HTTP, it, false, plain, proxies))
                .ifPresent(addresses::add);
        https.map(it -> new ClientAddress(ClientAddress.HTTPS, it, true, secure, proxies))
                .ifPresent(addresses::add);
        addresses.addAll(also);
        return addresses;
    }
}
