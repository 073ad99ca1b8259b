package dev.quire.proxy.route;

import dev.quire.proxy.tls.OriginTls;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An origin: one server or several equivalent ones.
 *
 * @param name the configured name; a label of its metrics
 * @param urls distinct, at most {@link #MAX_URLS}, at least one not a fallback
 * @param balance selects the URL of a request
 * @param maxConnections open connections to one URL, over all loops
 * @param maxQueue requests that may wait for a connection to one URL, over all loops
 * @param queueTimeout the longest such wait
 * @param sendsVia whether requests have Via; otherwise they have CDN-Loop
 * @param tls of the servers with https
 * @param host the Host of requests and health checks; empty for the one that the client sent
 */
public record OriginSettings(
        String name,
        List<Url> urls,
        Balance balance,
        Deadlines deadlines,
        int maxConnections,
        int maxQueue,
        Duration queueTimeout,
        Retries retries,
        Health health,
        boolean sendsVia,
        OriginTls tls,
        Optional<String> host) {

    /** The maximum number of URLs. */
    public static final int MAX_URLS = 64;

    /** Returns an origin at {@code url} with the default limits. */
    public static OriginSettings at(String name, URI url) {
        return new OriginSettings(
                name,
                List.of(Url.at(url)),
                Balance.LEAST_REQUESTS,
                new Deadlines(
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(15),
                        Duration.ZERO),
                256,
                256,
                Duration.ofSeconds(1),
                new Retries(1, 20),
                Health.UNCHECKED,
                true,
                OriginTls.DEFAULTS,
                Optional.empty());
    }

    public OriginSettings {
        urls = List.copyOf(urls);
        if (urls.isEmpty() || urls.size() > MAX_URLS) {
            throw new IllegalArgumentException(
                    "origin " + name + " must have 1 to " + MAX_URLS + " URLs: " + urls);
        }
        if (urls.stream().allMatch(Url::isFallback)) {
            throw new IllegalArgumentException("origin " + name + " has only fallbacks: " + urls);
        }
        if (urls.stream().map(Url::url).distinct().count() < urls.size()) {
            throw new IllegalArgumentException("origin " + name + " lists a URL twice: " + urls);
        }
    }

    /**
     * The address of one server.
     *
     * @param url scheme, host and port without a path, or {@code unix:} and the path of a socket
     * @param weight its relative share of requests, from 1
     * @param isFallback whether it is used only if no other server is available
     */
    public record Url(URI url, int weight, boolean isFallback) {
        private static final String HTTPS = "https";
        private static final String UNIX = "unix";

        public Url {
            boolean isUnix = UNIX.equals(url.getScheme()) && url.getPath() != null;
            boolean isHttp = "http".equals(url.getScheme()) || HTTPS.equals(url.getScheme());
            if (!isUnix && (url.getHost() == null || !isHttp)) {
                throw new IllegalArgumentException(
                        "an origin must be at http://HOST[:PORT], https://HOST[:PORT] or"
                                + " unix:/PATH: "
                                + url);
            }
            if (weight < 1) {
                throw new IllegalArgumentException("a weight must be at least 1: " + weight);
            }
        }

        /** Returns a server with weight 1. */
        public static Url at(URI url) {
            return new Url(url, 1, false);
        }

        /** Whether connections begin with a TLS handshake. */
        public boolean isTls() {
            return HTTPS.equals(url.getScheme());
        }

        /** The path of its Unix socket, or nothing. */
        public Optional<Path> socket() {
            return UNIX.equals(url.getScheme())
                    ? Optional.of(Path.of(url.getPath()))
                    : Optional.empty();
        }

        /** The host, with brackets around an IPv6 address; {@code localhost} for a Unix socket. */
        public String host() {
            return url.getHost() == null ? "localhost" : url.getHost();
        }

        /** The port to connect to. */
        public int port() {
            return url.getPort() < 0 ? (isTls() ? 443 : 80) : url.getPort();
        }

        /** The authority of requests of Quire's own. */
        public String authority() {
            return url.getRawAuthority() == null ? host() : url.getRawAuthority();
        }

        /** {@code HOST:PORT}, or the URL of a Unix socket. */
        public String hostPort() {
            return url.getHost() == null ? url.toString() : url.getHost() + ":" + port();
        }
    }

    /** How the URL of a request is selected. */
    public enum Balance {
        /** The URL with the fewest requests relative to its weight. */
        LEAST_REQUESTS,
        /** In turn, in proportion to the weights. */
        ROUND_ROBIN,
        /** Random, in proportion to the weights. */
        RANDOM,
        /** The same URL for the same client. */
        CLIENT,
        /** The same URL for the same cache key. */
        KEY
    }

    /**
     * Timeouts of a fetch.
     *
     * @param connect until the connection is established
     * @param firstByte from the last byte of the request to the first of the response
     * @param betweenBytes between two reads of the response, unless it is a stream of events
     * @param idle between two reads of a stream of events; zero for no limit
     */
    public record Deadlines(
            Duration connect, Duration firstByte, Duration betweenBytes, Duration idle) {}

    /**
     * When a request is retried.
     *
     * @param most maximum retries of one request
     * @param budgetPercent share of all requests that may be retried, and a few each second
     */
    public record Retries(int most, int budgetPercent) {}

    /**
     * Health checks of a server, and the slow start of a recovered one.
     *
     * @param path requested by each check; no checks if absent
     * @param interval average time between checks
     * @param timeout of one check
     * @param threshold number of the last {@code window} checks that decides
     * @param window at least the threshold, less than twice the threshold, at most 32
     * @param slowStart time until a recovered server gets its full share
     */
    public record Health(
            Optional<String> path,
            Duration interval,
            Duration timeout,
            int threshold,
            int window,
            Duration slowStart) {

        public static final Health UNCHECKED =
                new Health(
                        Optional.empty(),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(2),
                        2,
                        2,
                        Duration.ofSeconds(10));

        public Health {
            if (threshold < 1 || window < threshold || window >= 2 * threshold || window > 32) {
                throw new IllegalArgumentException(
                        "a window must be at least the threshold and less than twice as much: "
                                + window
                                + " for "
                                + threshold);
            }
        }
    }

    /** The name in {@code tls.server-name}. */
    public Optional<String> serverName() {
        return tls.serverName();
    }
}
