package dev.quire.proxy.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the proxy's state.
 *
 * @param uptime since the start
 * @param exchanges client requests in progress
 * @param waiting those of them that wait for an origin: for its response, for a connection, or for
 *     a fetch led by another request
 * @param cache the state of the cache
 * @param origins by configured name
 */
public record Stats(
        Duration uptime,
        boolean ready,
        long exchanges,
        long waiting,
        Cache cache,
        Map<String, Origin> origins) {

    public Stats {
        origins = Map.copyOf(origins);
    }

    /**
     * The state of the cache.
     *
     * @param memoryBytes the configured limit
     * @param transitBytes memory used by in-flight bodies
     */
    public record Cache(long objects, long bytes, long memoryBytes, long transitBytes) {}

    /**
     * The state of an origin.
     *
     * @param connections open connections
     * @param idle open connections without a request
     * @param queued requests that wait for a connection
     * @param tlsVerified whether the certificates of servers with https are checked
     * @param servers in the order of the configuration
     */
    public record Origin(
            long connections, long idle, long queued, boolean tlsVerified, List<Server> servers) {
        public Origin {
            servers = List.copyOf(servers);
        }
    }

    /**
     * The state of one server of an origin.
     *
     * @param circuit the circuit breaker: closed, half-open or open
     * @param health the result of the health checks: unchecked, up or down
     * @param requests in-flight requests
     * @param tlsFault why the last TLS handshake failed; null if it did not, or without TLS
     */
    public record Server(
            String url,
            String circuit,
            String health,
            long requests,
            long connections,
            long idle,
            long queued,
            @Nullable String tlsFault) {}
}
