package dev.quire.proxy.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The proxy's state in numbers.
 *
 * @param uptime since it was started
 * @param exchanges client requests that have begun and not ended
 * @param waiting of these, the ones that wait for an origin: for its answer, for a connection to
 *     it, or for a fetch that another request leads
 * @param cache what is stored
 * @param origins by the configuration's names
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
     * What is stored.
     *
     * @param memoryBytes the most that may be kept
     * @param transitBytes held by bodies that are on their way
     */
    public record Cache(long objects, long bytes, long memoryBytes, long transitBytes) {}

    /**
     * One origin.
     *
     * @param connections open ones
     * @param idle of these, the ones without a request
     * @param queued requests that wait for a connection
     * @param servers in the order of the configuration
     */
    public record Origin(long connections, long idle, long queued, List<Server> servers) {
        public Origin {
            servers = List.copyOf(servers);
        }
    }

    /**
     * One server of an origin.
     *
     * @param circuit closed, half-open or open: whether requests are sent
     * @param health unchecked, up or down: what the checks have found
     * @param requests under way
     */
    public record Server(
            String url,
            String circuit,
            String health,
            long requests,
            long connections,
            long idle,
            long queued) {}
}
