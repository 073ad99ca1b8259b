package dev.quire.proxy.memcached;

import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import java.util.List;

/**
 * The servers and the limits of their use.
 *
 * @param servers at least one; each key is on one of them
 * @param namespace begins all keys
 * @param limits over all servers
 */
public record MemcachedSettings(
        List<Server> servers, String namespace, RecordTerms records, CallLimits limits) {

    public MemcachedSettings {
        servers = List.copyOf(servers);
    }

    /** The address of a server. */
    public record Server(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }
}
