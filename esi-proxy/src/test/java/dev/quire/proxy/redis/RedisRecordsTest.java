package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.version;
import static dev.quire.proxy.store.OpenRecords.KEY;
import static dev.quire.proxy.store.OpenRecords.PLACE;
import static dev.quire.proxy.store.OpenRecords.VARIANT;
import static dev.quire.proxy.store.OpenRecords.bytes;
import static dev.quire.proxy.store.OpenRecords.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.store.StoreRecordsContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Records and leases in a Redis server. */
@TestInstance(Lifecycle.PER_CLASS)
class RedisRecordsTest extends StoreRecordsContract<OpenStore> {
    RedisServer server;

    String program() {
        return RedisServer.REDIS;
    }

    @BeforeAll
    void start() {
        server = RedisServer.of(program());
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected OpenStore open(RecordTerms terms) {
        return OpenStore.of(server, given -> OpenStore.with(given, terms));
    }

    @Override
    protected void clear() {
        server.cli("FLUSHALL");
    }

    @Override
    protected long connectionsMade() {
        return server.cli("INFO", "stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }

    @Override
    protected boolean has(String key) {
        return server.cli("EXISTS", key).equals("1");
    }

    @Override
    protected int length(String key) {
        return Integer.parseInt(server.cli("STRLEN", key));
    }

    @Override
    protected Duration lifetime(String key) {
        return Duration.ofMillis(Long.parseLong(server.cli("PTTL", key)));
    }

    @Override
    protected void copy(String from, String to) {
        server.cli("COPY", from, to);
    }

    @Test
    void theKeysOfAResourceAreInOneSlot() {
        store.put(PLACE, version(1, 1), record(version(1, 1), "list"));
        store.put(VARIANT, version(1, 1), record(version(1, 1), "variant"));
        store.lease(VARIANT, version(1, 1));

        assertThat(server.cli("KEYS", "*").lines())
                .containsExactlyInAnyOrder(
                        KEY,
                        KEY + ":00000000000000030000000000000004",
                        KEY + ":00000000000000030000000000000004:l");
    }

    @Test
    void theLaterPositionStays() {
        var later = record(version(257, 1), "later");
        store.put(PLACE, version(257, 1), later);

        store.put(PLACE, version(256, 999), record(version(256, 999), "earlier position"));

        assertThat(bytes(store.get(PLACE))).isEqualTo(later);
        assertThat(store.records.count(TierWrite.REPLACED)).isEqualTo(1);
    }

    @Test
    void aValueThatIsTooLongIsNotReadAndRemoved() {
        store.put(PLACE, version(1, 1), new byte[store.records.maxRecordBytes()]);

        server.cli("APPEND", KEY, "x");

        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.records.corrupt()).isEqualTo(1);
        store.settle();
        assertThat(has(KEY)).isFalse();
    }

    @Test
    void aValueOfAnotherTypeIsRemoved() {
        server.cli("LPUSH", KEY, "x");

        assertThat(store.get(PLACE).getClass().getSimpleName()).isEqualTo("None");

        store.settle();
        assertThat(server.cli("EXISTS", KEY)).isEqualTo("0");
        assertThat(store.records.isUsable()).isTrue();
    }

    @Test
    void aLeaseOfAnotherTypeIsRemoved() {
        server.cli("LPUSH", KEY + ":l", "x");

        assertThat(store.lease(PLACE, null).getClass().getSimpleName()).isEqualTo("None");

        store.settle();
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
    }

    @Test
    void scriptsAreLoadedAgainAfterTheServerHasForgottenThem() {
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());

        server.cli("SCRIPT", "FLUSH");

        var record = record(version(1, 1), "page");
        store.put(PLACE, version(1, 1), record);
        server.cli("SCRIPT", "FLUSH");
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(record);
        assertThat(store.records.server().failure()).isEmpty();
    }
}
