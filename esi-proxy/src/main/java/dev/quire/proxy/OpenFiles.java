package dev.quire.proxy;

import dev.quire.proxy.admin.AdminServer;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.SharedConfig;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.listen.Descriptors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections that the limit of open files allows. */
final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    /** For messages of the log. */
    private static final int MESSAGES = 1;

    /** Of a connection to a cluster: the one that finds the servers. */
    private static final int OF_CLUSTER = 1;

    private final int loops;

    /** The maximum of client connections that was logged last. */
    private int warnedOfClients;

    /**
     * @param loops event loops of this process
     */
    OpenFiles(int loops) {
        this.loops = loops;
    }

    int maxClients(Configuration configuration) {
        long limit = Descriptors.limit();
        int clients =
                Descriptors.forClients(limit, reserved(configuration) + maxTunnels(configuration));
        if (clients < Descriptors.MAX_CLIENTS && clients != warnedOfClients) {
            warnedOfClients = clients;
            LOG.atWarn()
                    .addKeyValue("event", "few-open-files")
                    .log(
                            "at most {} client connections, since the process may open {} files (expected a"
                                    + " limit of {} or more, see ulimit -n)",
                            clients,
                            limit,
                            limit + Descriptors.MAX_CLIENTS - clients);
        }
        return clients;
    }

    int maxTunnels(Configuration configuration) {
        return Descriptors.forTunnels(
                Descriptors.limit(), reserved(configuration), configuration.listen().maxTunnels());
    }

    /**
     * The descriptors of connections to origins, without tunnels, to the store, of the admin ports,
     * and of the disk tier.
     */
    private long reserved(Configuration configuration) {
        var disk = configuration.disk();
        return 2L * AdminServer.MAX_CONNECTIONS
                + connectionsToStore(configuration, loops)
                + (disk.isOn() ? DiskTier.descriptors(disk.sizeBytes()) : 0)
                + configuration.origins().values().stream()
                        .mapToLong(origin -> (long) origin.maxConnections() * origin.urls().size())
                        .sum();
    }

    /**
     * Returns the number of connections to the servers of the records and of the log. The number of
     * primary servers of a cluster is not known at the start: it counts as those that are listed.
     */
    static long connectionsToStore(Configuration configuration, int loops) {
        var store = configuration.shared();
        int most = store.connections();
        long ofEach = most == 0 ? loops : Math.min(most, loops);
        if (store.isWithoutLog()) {
            return ofEach * store.servers().size();
        }
        boolean isCluster = store.mode() == SharedConfig.Mode.CLUSTER;
        int ofRecords = isCluster ? store.servers().size() + OF_CLUSTER : 1;
        int ofLog = isCluster ? configuration.logServers().size() + OF_CLUSTER : 1;
        int logs = configuration.fleet().replicas() > 0 ? 2 : 1;
        return (store.isOn() ? ofEach * ofRecords : 0)
                + (configuration.hasLog() ? logs * ofLog + MESSAGES : 0);
    }
}
