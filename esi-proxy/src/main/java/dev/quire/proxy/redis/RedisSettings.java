package dev.quire.proxy.redis;

import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.tls.OriginTls;
import java.util.List;
import java.util.Optional;

/**
 * The store and the limits of its use.
 *
 * @param namespace begins all keys
 */
public record RedisSettings(
        Access access, String namespace, RecordTerms records, CallLimits limits) {

    /**
     * The way to the store.
     *
     * @param key of the configuration that has the addresses
     * @param tls empty for connections without TLS
     */
    public record Access(String key, Topology topology, Login login, Optional<OriginTls> tls) {}

    /** How the servers of the store belong together. */
    public sealed interface Topology {

        /** The servers in the configuration. */
        List<Server> servers();

        /** One server. */
        record Standalone(Server server) implements Topology {

            @Override
            public List<Server> servers() {
                return List.of(server);
            }
        }

        /**
         * Sentinels, which know which of several servers is the primary one.
         *
         * @param master their name of these servers
         */
        record Sentinel(List<Server> sentinels, String master) implements Topology {
            public Sentinel {
                sentinels = List.copyOf(sentinels);
            }

            @Override
            public List<Server> servers() {
                return sentinels;
            }
        }

        /**
         * A cluster, whose primary servers have the slots.
         *
         * @param servers some of it, by which the others are found
         */
        record Cluster(List<Server> servers) implements Topology {
            public Cluster {
                servers = List.copyOf(servers);
            }
        }
    }

    /** The address of a server. */
    public record Server(String host, int port) {

        @Override
        public String toString() {
            return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
        }
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
