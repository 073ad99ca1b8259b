package dev.quire.proxy.memcached;

import static dev.quire.proxy.store.OpenRecords.KEY;
import static dev.quire.proxy.store.OpenRecords.PLACE;
import static dev.quire.proxy.store.OpenRecords.record;
import static dev.quire.proxy.store.OpenRecords.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.store.StoreRecordsContract;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Records and leases in a memcached server. */
class MemcachedRecordsTest extends StoreRecordsContract<OpenMemcached> {
    private static MemcachedServer server;

    @BeforeAll
    static void start() {
        server = MemcachedServer.with();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected OpenMemcached open(RecordTerms terms) {
        return OpenMemcached.connected(
                OpenMemcached.with(OpenMemcached.settings(server.port()), terms));
    }

    @Override
    protected void clear() {
        server.flush();
    }

    @Override
    protected long connectionsMade() {
        return Long.parseLong(stat("total_connections"));
    }

    @Override
    protected boolean has(String key) {
        return !server.tell("mg " + key).equals("EN");
    }

    @Override
    protected int length(String key) {
        return server.value(key).length();
    }

    @Override
    protected Duration lifetime(String key) {
        return Duration.ofSeconds(server.lifetime(key));
    }

    @Override
    protected void copy(String from, String to) {
        server.set(to, server.value(from));
    }

    /** {@inheritDoc} The next second of the server's clock begins in a moment. */
    @Override
    protected void awaitWorstMoment() {
        var before = stat("uptime");
        store.await(() -> !stat("uptime").equals(before));
        long begun = System.nanoTime();
        store.await(() -> System.nanoTime() - begun > 900_000_000);
    }

    private static String stat(String name) {
        var start = "STAT " + name + " ";
        return server.tell("stats")
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow()
                .substring(start.length())
                .strip();
    }

    @Test
    void timesAreComparedWhenTheyBeginAgain() {
        long last = (1L << 26) - 1;
        var later = record(version(last + 1), "later");
        store.put(PLACE, version(last + 1), later);

        store.put(PLACE, version(last), record(version(last), "earlier"));

        assertThat(store.records.count(TierWrite.REPLACED)).isEqualTo(1);
    }

    @Test
    void aValueThatIsTooLongIsNotRead() {
        server.set(KEY, "x".repeat(store.records.maxRecordBytes() + 1));

        assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
        store.awaitConnections(2);
    }

    @Test
    void aServerThatTakesNoSuchValueStaysInUse() {
        try (var small = MemcachedServer.with("-I", "32k", "-o", "slab_chunk_max=16");
                var filled = OpenMemcached.of(small)) {
            filled.put(PLACE, version(1), Arrays.copyOf(record(version(1), ""), 40_000));

            assertThat(filled.records.count(TierWrite.FAILED)).isEqualTo(1);
            assertThat(filled.servers.failure().orElseThrow())
                    .contains("SERVER_ERROR object too large", "shared.max-object");
            assertThat(filled.get(PLACE)).isEqualTo(new Absent());
            assertThat(filled.servers.connections()).isEqualTo(2);
        }
    }
}
