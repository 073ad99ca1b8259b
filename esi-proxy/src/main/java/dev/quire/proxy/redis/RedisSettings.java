package dev.quire.proxy.redis;

import dev.quire.proxy.tls.OriginTls;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The store and the limits of its use.
 *
 * @param servers of the store, by the mode; at least one
 * @param tls empty for connections without TLS
 * @param namespace begins all keys
 * @param maxRecordBytes the longest record
 * @param writingBytes limit of the records that are being written
 * @param maxTtl no record is kept longer
 * @param timeout how long a call waits for its answer
 * @param queue limit of the calls that wait, over all loops
 * @param lease how long a lease holds
 * @param secret signs records
 */
public record RedisSettings(
        List<Server> servers,
        Mode mode,
        Login login,
        Optional<OriginTls> tls,
        String namespace,
        int maxRecordBytes,
        long writingBytes,
        Duration maxTtl,
        Duration timeout,
        int queue,
        Duration lease,
        Optional<byte[]> secret) {

    public RedisSettings {
        servers = List.copyOf(servers);
    }

    /** The address of a server. */
    public record Server(String host, int port) {}

    /** How the servers belong together. */
    public enum Mode {
        /** One server. */
        STANDALONE
    }

    /**
     * The user of the store. Its password is never printed.
     *
     * @param user empty for the default user
     * @param password empty for none
     */
    public record Login(Optional<String> user, Optional<String> password) {
        public static final Login NONE = new Login(Optional.empty(), Optional.empty());

        @Override
        public String toString() {
            return "Login[" + user.orElse("default") + "]";
        }
    }
}
