package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Secret;
import dev.quire.proxy.config.SharedConfig;
import dev.quire.proxy.memcached.MemcachedSettings;
import dev.quire.proxy.redis.RedisSettings;
import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Login;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology;
import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.tls.OriginTls;
import java.util.List;
import java.util.Optional;

/** The connections that a configuration describes. */
final class StoreSettings {

    private static final String SHARED_SERVERS = "shared.servers";

    private StoreSettings() {}

    /** The store of the records. */
    static RedisSettings ofRecords(SharedConfig config) {
        return of(config, SHARED_SERVERS, config.servers());
    }

    /** The store of the log of invalidations. */
    static RedisSettings ofLog(Configuration configuration) {
        return of(
                configuration.shared(),
                configuration.fleet().servers().isEmpty() ? SHARED_SERVERS : "fleet.servers",
                configuration.logServers());
    }

    private static RedisSettings of(SharedConfig config, String key, List<HostPort> servers) {
        return new RedisSettings(
                new Access(
                        key,
                        topology(config, servers),
                        new Login(config.username(), config.password().map(Secret::text)),
                        config.isTls() ? Optional.of(tls(config)) : Optional.empty()),
                config.namespace(),
                records(config),
                limits(config));
    }

    static MemcachedSettings ofMemcached(SharedConfig config) {
        return new MemcachedSettings(
                config.servers().stream()
                        .map(each -> new MemcachedSettings.Server(each.host(), each.port()))
                        .toList(),
                config.namespace(),
                records(config),
                limits(config));
    }

    private static RecordTerms records(SharedConfig config) {
        return new RecordTerms(
                config.maxObjectBytes(),
                config.maxTtl(),
                config.lease(),
                config.key().map(key -> key.text().getBytes(US_ASCII)));
    }

    private static CallLimits limits(SharedConfig config) {
        return new CallLimits(
                config.timeout(), config.queue(), config.queueBytes(), config.connections());
    }

    private static Topology topology(SharedConfig config, List<HostPort> addresses) {
        var servers = addresses.stream().map(each -> new Server(each.host(), each.port())).toList();
        return switch (config.mode()) {
            case STANDALONE -> new Topology.Standalone(servers.getFirst());
            case SENTINEL -> new Topology.Sentinel(servers, config.master());
            case CLUSTER -> new Topology.Cluster(servers);
        };
    }

    private static OriginTls tls(SharedConfig config) {
        return new OriginTls(config.authorities(), Optional.empty(), Optional.empty(), true);
    }
}
