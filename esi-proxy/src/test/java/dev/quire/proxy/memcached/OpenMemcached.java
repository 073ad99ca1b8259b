package dev.quire.proxy.memcached;

import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.OpenRecords;
import dev.quire.proxy.store.RecordTerms;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** The records of memcached servers as one process has them, with two event loops. */
final class OpenMemcached extends OpenRecords {
    final MetaServers servers;
    final MemcachedRecords records;

    OpenMemcached(MemcachedSettings settings) {
        servers = new MetaServers(settings, each, transport.clientChannel());
        records = new MemcachedRecords(servers, epoch::get);
    }

    static MemcachedSettings settings(int... ports) {
        return new MemcachedSettings(
                Arrays.stream(ports)
                        .mapToObj(port -> new MemcachedSettings.Server("127.0.0.1", port))
                        .toList(),
                "q1",
                TERMS,
                LIMITS);
    }

    static MemcachedSettings with(MemcachedSettings given, RecordTerms terms) {
        return new MemcachedSettings(given.servers(), given.namespace(), terms, given.limits());
    }

    static MemcachedSettings with(MemcachedSettings given, Duration timeout, int queue) {
        return new MemcachedSettings(
                given.servers(),
                given.namespace(),
                given.records(),
                new CallLimits(timeout, queue, given.limits().writingBytes(), 0));
    }

    /** Opens it and waits until it is usable on all loops. */
    static OpenMemcached of(MemcachedServer server) {
        return connected(settings(server.port()));
    }

    static OpenMemcached connected(MemcachedSettings settings) {
        var store = new OpenMemcached(settings);
        store.awaitConnections(2 * settings.servers().size());
        return store;
    }

    @Override
    public MemcachedRecords records() {
        return records;
    }

    @Override
    protected int connected() {
        return servers.connections();
    }

    @Override
    protected int waiting() {
        return servers.waiting();
    }

    @Override
    protected Optional<String> failure() {
        return servers.failure();
    }

    @Override
    protected void closeConnections() {
        servers.close();
    }
}
