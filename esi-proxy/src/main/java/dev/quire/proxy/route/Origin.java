package dev.quire.proxy.route;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server behind us, or several that serve the same.
 *
 * @param name as the configuration calls it; labels its metrics
 * @param urls at least one that is no fallback, at most {@link #MAX_URLS}, none twice
 * @param balance which of them a request goes to
 * @param maxConnections open to one URL at one time, over all loops
 * @param maxQueue requests that may wait for a connection to one URL, over all loops
 */
public record Origin(
        String name,
        List<Url> urls,
        Balance balance,
        Deadlines deadlines,
        int maxConnections,
        int maxQueue,
        Retries retries,
        Health health) {

    /** So many at most. */
    public static final int MAX_URLS = 64;

    /** The origin at {@code url} with the default limits. */
    public static Origin at(String name, URI url) {
        return new Origin(
                name,
                List.of(Url.at(url)),
                Balance.LEAST_REQUESTS,
                new Deadlines(
                        Duration.ofSeconds(2), Duration.ofSeconds(15), Duration.ofSeconds(15)),
                256,
                256,
                new Retries(1, 20),
                Health.UNCHECKED);
    }

    public Origin {
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
     * Where one of its servers is.
     *
     * @param url scheme, host and port; no path
     * @param weight its share beside the others, from 1
     * @param isFallback whether it is asked only if no other can be
     */
    public record Url(URI url, int weight, boolean isFallback) {
        public Url {
            if (url.getHost() == null || !"http".equals(url.getScheme())) {
                throw new IllegalArgumentException(
                        "an origin must be at http://HOST[:PORT]: " + url);
            }
            if (weight < 1) {
                throw new IllegalArgumentException("a weight must be at least 1: " + weight);
            }
        }

        /** One with an ordinary share. */
        public static Url at(URI url) {
            return new Url(url, 1, false);
        }

        /** The port to connect to. */
        public int port() {
            return url.getPort() < 0 ? 80 : url.getPort();
        }
    }

    /** Which URL a request goes to. */
    public enum Balance {
        /** The one with the fewest requests for its weight. */
        LEAST_REQUESTS,
        /** One after the other, as often as their weights say. */
        ROUND_ROBIN,
        /** Any, as likely as their weights say. */
        RANDOM,
        /** Always the same for one client. */
        CLIENT,
        /** Always the same for one cache key. */
        KEY
    }

    /**
     * How long it may take.
     *
     * @param connect until the connection stands
     * @param firstByte from the last byte of the request to the first of the response
     * @param betweenBytes between two pieces of the response
     */
    public record Deadlines(Duration connect, Duration firstByte, Duration betweenBytes) {}

    /**
     * When a request is sent once more.
     *
     * @param most further attempts for one request
     * @param budgetPercent of all requests that may be sent once more, beside a few in each second
     */
    public record Retries(int most, int budgetPercent) {}

    /**
     * How a server is found to be well, and eased in once it is.
     *
     * @param path asked for in each check; without one there are no checks
     * @param interval from one check to the next, on average
     * @param timeout of one check
     * @param threshold this many of the last {@code window} checks decide
     * @param window at least the threshold, less than twice as many, at most 32
     * @param slowStart until a server that has recovered has its whole share
     */
    public record Health(
            Optional<String> path,
            Duration interval,
            Duration timeout,
            int threshold,
            int window,
            Duration slowStart) {

        /** No checks. */
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
}
