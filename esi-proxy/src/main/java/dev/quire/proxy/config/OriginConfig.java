package dev.quire.proxy.config;

import java.net.URI;
import java.time.Duration;

/**
 * A server behind us.
 *
 * @param url scheme {@code http}, host and perhaps port; nothing else
 * @param connectTimeout until the connection stands
 * @param firstByteTimeout from the last byte of the request to the first of the response
 * @param betweenBytesTimeout between two pieces of the response
 * @param maxConnections open at one time, over all loops
 * @param maxQueue requests that may wait for a connection, over all loops
 * @param retries further attempts for one request
 */
public record OriginConfig(
        URI url,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration betweenBytesTimeout,
        int maxConnections,
        int maxQueue,
        int retries) {

    public OriginConfig {
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException("expected http://HOST[:PORT], not " + url);
        }
    }

    /** The origin at {@code url} with the default limits. */
    public static OriginConfig at(URI url) {
        return new OriginConfig(
                url,
                Duration.ofSeconds(2),
                Duration.ofSeconds(15),
                Duration.ofSeconds(15),
                256,
                256,
                1);
    }
}
