package dev.quire.proxy.memcached;

import dev.quire.proxy.store.RecordSeal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The servers and the limits of their use.
 *
 * @param servers at least one; each key is on one of them
 * @param namespace begins all keys
 * @param maxRecordBytes the longest record
 * @param writingBytes limit of the records that are being written, over all servers
 * @param maxTtl no record is kept longer
 * @param timeout how long a call waits for its answer
 * @param queue limit of the calls that wait, over all loops and servers
 * @param lease how long a lease holds
 * @param secret signs records
 */
public record MemcachedSettings(
        List<Server> servers,
        String namespace,
        int maxRecordBytes,
        long writingBytes,
        Duration maxTtl,
        Duration timeout,
        int queue,
        Duration lease,
        Optional<byte[]> secret) {

    public MemcachedSettings {
        servers = List.copyOf(servers);
    }

    /** The length of the longest value. */
    int valueBytes() {
        return maxRecordBytes + (secret.isPresent() ? RecordSeal.BYTES : 0);
    }

    /** The calls that may wait for one server. If it hangs, the others have theirs. */
    int queueShare() {
        return Math.ceilDiv(queue, servers.size());
    }

    /** The bytes of records that may be on their way to one server. */
    long writingShare() {
        return Math.max(maxRecordBytes, writingBytes / servers.size());
    }

    /** The address of a server. */
    public record Server(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }
}
