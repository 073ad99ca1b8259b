package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Secret;
import dev.quire.proxy.config.SharedConfig;
import dev.quire.proxy.redis.RedisSettings;
import dev.quire.proxy.tls.OriginTls;
import java.util.List;
import java.util.Optional;

/** The connections that a configuration describes. */
final class StoreSettings {

    private StoreSettings() {}

    /**
     * @param servers of the store
     */
    static RedisSettings of(SharedConfig config, List<HostPort> servers) {
        return new RedisSettings(
                servers.stream()
                        .map(server -> new RedisSettings.Server(server.host(), server.port()))
                        .toList(),
                RedisSettings.Mode.STANDALONE,
                new RedisSettings.Login(config.username(), config.password().map(Secret::text)),
                config.isTls()
                        ? Optional.of(
                                new OriginTls(
                                        config.authorities(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        true))
                        : Optional.empty(),
                config.namespace(),
                config.maxObjectBytes(),
                config.queueBytes(),
                config.maxTtl(),
                config.timeout(),
                config.queue(),
                config.lease(),
                config.key().map(key -> key.text().getBytes(US_ASCII)));
    }
}
