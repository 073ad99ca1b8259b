package dev.quire.proxy.redis;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Login;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology;
import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.OpenRecords;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.tls.OriginTls;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The records of a store as one process has them, with two event loops. */
final class OpenStore extends OpenRecords {
    final RedisRecords records;

    private OpenStore(RedisSettings settings) {
        records = new RedisRecords(settings, each, epoch::get);
    }

    static RedisSettings settings(int port) {
        return settings(new Topology.Standalone(new Server("127.0.0.1", port)));
    }

    static RedisSettings settings(Topology topology) {
        return new RedisSettings(
                new Access("shared.servers", topology, Login.NONE, Optional.empty()),
                "q1",
                TERMS,
                LIMITS);
    }

    static RedisSettings with(RedisSettings given, Login login, Optional<OriginTls> tls) {
        var access = new Access("shared.servers", given.access().topology(), login, tls);
        return new RedisSettings(access, given.namespace(), given.records(), given.limits());
    }

    static RedisSettings with(RedisSettings given, RecordTerms records) {
        return new RedisSettings(given.access(), given.namespace(), records, given.limits());
    }

    static RedisSettings with(RedisSettings given, CallLimits limits) {
        return new RedisSettings(given.access(), given.namespace(), given.records(), limits);
    }

    static RedisSettings withTimeout(RedisSettings given, Duration timeout) {
        var limits = given.limits();
        return with(given, new CallLimits(timeout, limits.queue(), limits.writingBytes(), 0));
    }

    /** Opens it, without waiting for a connection. */
    static OpenStore open(RedisSettings settings) {
        return new OpenStore(settings);
    }

    /** Opens it and waits until it is usable on all loops. */
    static OpenStore of(RedisServer server) {
        return connected(settings(server.port()));
    }

    static OpenStore of(RedisServer server, UnaryOperator<RedisSettings> changes) {
        return connected(changes.apply(settings(server.port())));
    }

    private static OpenStore connected(RedisSettings settings) {
        var store = open(settings);
        int most = settings.limits().connections();
        store.awaitConnections(most == 0 ? store.each.size() : most);
        return store;
    }

    @Override
    public RedisRecords records() {
        return records;
    }

    @Override
    protected int connected() {
        return records.server().connected();
    }

    @Override
    protected int waiting() {
        return records.server().queue().waiting();
    }

    @Override
    protected Optional<String> failure() {
        return records.server().failure();
    }

    @Override
    protected void closeConnections() {
        records.close();
    }

    static Version version(long number, long writtenAt) {
        return new Version(new RecordPosition(EPOCH, number), writtenAt);
    }
}
