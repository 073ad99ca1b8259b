package dev.quire.proxy.redis;

import static dev.quire.proxy.store.OpenRecords.PLACE;
import static dev.quire.proxy.store.OpenRecords.bytes;
import static dev.quire.proxy.store.OpenRecords.record;
import static dev.quire.proxy.store.OpenRecords.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import org.junit.jupiter.api.Test;

/** Records and leases over one connection, which two event loops share. */
class OneConnectionTest extends RedisRecordsTest {

    @Override
    protected OpenStore open(RecordTerms terms) {
        return OpenStore.of(server, given -> OpenStore.with(with(given, 1), terms));
    }

    private static RedisSettings with(RedisSettings given, int connections) {
        var limits = given.limits();
        return OpenStore.with(
                given,
                new CallLimits(
                        limits.timeout(), limits.queue(), limits.writingBytes(), connections));
    }

    @Test
    void recordIsFoundOnEachLoop() {
        var record = record(version(1), "page");
        store.put(PLACE, version(1), record);

        for (int i = 0; i < 2; i++) {
            var loop = store.loop(i);
            assertThat(bytes(OpenStore.await(then -> store.records().get(PLACE, loop, then))))
                    .isEqualTo(record);
        }
    }

    @Test
    void thereAreNoMoreConnectionsThanLoops() {
        long before = connectionsMade();
        try (var many = OpenStore.open(with(OpenStore.settings(server.port()), 3))) {
            many.awaitConnections(2);

            assertThat(connectionsMade() - before).isEqualTo(3);
        }
    }
}
