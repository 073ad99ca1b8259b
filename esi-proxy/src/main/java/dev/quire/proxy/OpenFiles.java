package dev.quire.proxy;

import dev.quire.proxy.admin.AdminServer;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.listen.Descriptors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections that the limit of open files allows. */
final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    /** The maximum of client connections that was logged last. */
    private int warnedOfClients;

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

    static int maxTunnels(Configuration configuration) {
        return Descriptors.forTunnels(
                Descriptors.limit(), reserved(configuration), configuration.listen().maxTunnels());
    }

    /**
     * The descriptors of connections to origins, without tunnels, of the admin ports, and of the
     * disk tier.
     */
    private static long reserved(Configuration configuration) {
        var disk = configuration.disk();
        return 2L * AdminServer.MAX_CONNECTIONS
                + (disk.isOn() ? DiskTier.descriptors(disk.sizeBytes()) : 0)
                + configuration.origins().values().stream()
                        .mapToLong(origin -> (long) origin.maxConnections() * origin.urls().size())
                        .sum();
    }
}
