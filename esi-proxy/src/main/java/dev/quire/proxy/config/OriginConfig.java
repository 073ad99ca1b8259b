package dev.quire.proxy.config;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server behind us, or several that serve the same.
 *
 * @param urls at least one that is no fallback
 * @param balance which of them a request goes to
 * @param connectTimeout until the connection stands
 * @param firstByteTimeout from the last byte of the request to the first of the response
 * @param betweenBytesTimeout between two pieces of the response
 * @param maxConnections open to one URL at one time, over all loops
 * @param maxQueue requests that may wait for a connection to one URL, over all loops
 * @param retries further attempts for one request
 * @param retryBudgetPercent of all requests that may be sent once more
 * @param health how its servers are found to be well
 */
public record OriginConfig(
        List<Url> urls,
        Balance balance,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration betweenBytesTimeout,
        int maxConnections,
        int maxQueue,
        int retries,
        int retryBudgetPercent,
        Health health) {

    /** So many URLs at most. */
    static final int MAX_URLS = 64;

    public OriginConfig {
        urls = List.copyOf(urls);
    }

    /**
     * One server.
     *
     * @param url scheme {@code http}, host and perhaps port; nothing else
     * @param weight its share beside the others
     * @param fallback whether it is asked only if no other can be
     */
    public record Url(URI url, int weight, boolean fallback) {
        public Url {
            if (!"http".equals(url.getScheme()) || url.getHost() == null) {
                throw new IllegalArgumentException("expected http://HOST[:PORT], not " + url);
            }
        }

        /** One with an ordinary share. */
        public static Url at(URI url) {
            return new Url(url, 1, false);
        }
    }

    /** Which URL a request goes to. */
    public enum Balance {
        LEAST_REQUESTS,
        ROUND_ROBIN,
        RANDOM,
        CLIENT,
        KEY
    }

    /**
     * How servers are found to be well, and eased in once they are.
     *
     * @param path asked for in each check; without one there are no checks
     * @param interval from one check to the next
     * @param timeout of one check
     * @param threshold this many of the last {@code window} checks decide
     * @param slowStart until a server that has recovered has its whole share
     */
    public record Health(
            Optional<String> path,
            Duration interval,
            Duration timeout,
            int threshold,
            int window,
            Duration slowStart) {

        /** No checks, and ten seconds to recover. */
        public static final Health DEFAULTS =
                new Health(
                        Optional.empty(),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(2),
                        2,
                        2,
                        Duration.ofSeconds(10));
    }

    /** The origin at {@code url} with the default limits. */
    public static OriginConfig at(URI url) {
        return new OriginConfig(
                List.of(Url.at(url)),
                Balance.LEAST_REQUESTS,
                Duration.ofSeconds(2),
                Duration.ofSeconds(15),
                Duration.ofSeconds(15),
                256,
                256,
                1,
                20,
                Health.DEFAULTS);
    }
}
