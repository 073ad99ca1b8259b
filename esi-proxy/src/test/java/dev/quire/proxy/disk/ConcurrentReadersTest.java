package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentReadersTest {
    private static final int READERS = 3;
    private static final int RECORDS = 60_000;
    private static final int IDS = 20_000;

    @TempDir Path temporary;

    /** Buffers that are not released fail the whole run of the tests. */
    @Test
    void readersGetRightRecordsWhileSegmentsAreEvicted() throws Exception {
        var house = new LogHouse(temporary.resolve("log"));
        var written = new AtomicInteger();
        // The newest version of each id is at most the count of its writes.
        try (var pool = Executors.newFixedThreadPool(READERS)) {
            var readers = new ArrayList<Future<Long>>();
            for (int i = 0; i < READERS; i++) {
                int seed = i;
                readers.add(pool.submit(reader(house, written, seed)));
            }
            for (int i = 0; i < RECORDS; i++) {
                house.put(i % IDS, i / IDS, 200 + i % 1500);
                if (i % 97 == 0) {
                    house.log.remove(LogHouse.id(i % IDS));
                }
                written.set(i + 1);
            }
            for (var reader : readers) {
                assertThat(reader.get(1, TimeUnit.MINUTES)).isPositive();
            }
        }

        var stats = house.log.stats();
        assertThat(stats.evicted()).isGreaterThan(20);
        assertThat(stats.reinserted()).isPositive();
        assertThat(stats.damaged()).isZero();
        // A file and its index file each for the newest, a file for the others.
        house.access.awaitOpen(stats.segments() + 1);
        house.close();
    }

    private static Callable<Long> reader(LogHouse house, AtomicInteger written, int seed) {
        return () -> {
            var random = new SplittableRandom(seed);
            long found = 0;
            while (written.get() < RECORDS) {
                int id = random.nextInt(IDS);
                // Fails if the record is wrong.
                var version = house.version(id);
                if (version != null) {
                    assertThat(version).isBetween(0, RECORDS / IDS);
                    found++;
                }
            }
            return found;
        };
    }

    @Test
    void anEvictedFileIsClosedWhenItsLastReaderIsDone() throws IOException {
        var house = new LogHouse(temporary.resolve("log"));
        house.put(1);
        var found = requireNonNull(house.log.retained(LogHouse.id(1)));
        house.log.drop();
        assertThat(house.access.open).hasValue(1);

        found.release();

        house.access.awaitOpen(0);
        house.close();
    }
}
