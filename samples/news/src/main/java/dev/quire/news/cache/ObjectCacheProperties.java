package dev.quire.news.cache;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The keys under {@code news.object-cache}.
 *
 * @param server host and port, unless the type is {@link Type#NONE}
 * @param lifetime of an entry
 */
@ConfigurationProperties("news.object-cache")
record ObjectCacheProperties(Type type, String server, Duration lifetime) {

    /** Where results are kept. */
    enum Type {
        NONE,
        REDIS,
        MEMCACHED
    }

    String host() {
        return server.substring(0, server.lastIndexOf(':'));
    }

    int port() {
        return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    }
}
