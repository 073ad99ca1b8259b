package dev.quire.proxy.route;

import java.net.URI;
import java.time.Duration;

/**
 * A server behind us.
 *
 * @param name as the configuration calls it; labels its metrics
 * @param url scheme, host and port; no path
 * @param connectTimeout until the connection stands
 * @param firstByteTimeout from the last byte of the request to the first of the response
 * @param betweenBytesTimeout between two pieces of the response
 * @param maxConnections open at one time, over all loops
 * @param maxQueue requests that may wait for a connection, over all loops
 * @param retries further attempts for one request
 */
public record Origin(
        String name,
        URI url,
        Duration connectTimeout,
        Duration firstByteTimeout,
        Duration betweenBytesTimeout,
        int maxConnections,
        int maxQueue,
        int retries) {

    public Origin {
        if (url.getHost() == null || !"http".equals(url.getScheme())) {
            throw new IllegalArgumentException("origin " + name + " must be http://HOST[:PORT]");
        }
    }

    /** The port to connect to. */
    public int port() {
        return url.getPort() < 0 ? 80 : url.getPort();
    }
}
