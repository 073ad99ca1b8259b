package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IndexTableTest {
    private static final int SLOTS = 7;

    private final Random random = new Random(5);

    private static long location(int slot, long place) {
        return FrameLocation.of(
                slot, place * 8, new FrameHeader(new RecordHash(0, 0), 0, 0, 100, 0));
    }

    @Test
    void locationsKeepTheirParts() {
        long place = FrameLocation.MAX_SEGMENT_BYTES - 8;
        long location =
                FrameLocation.of(
                        FrameLocation.MAX_SLOTS - 1,
                        place,
                        new FrameHeader(new RecordHash(0, 0), 0, 0, 200 << 20, 0));

        assertThat(location).isPositive();
        assertThat(FrameLocation.slot(location)).isEqualTo(FrameLocation.MAX_SLOTS - 1);
        assertThat(FrameLocation.place(location)).isEqualTo(place);
        assertThat(FrameLocation.frameBytes(location)).isBetween(200L << 20, (200L << 20) + 4096);
        long found = location;
        for (int times = 0; times < 10; times++) {
            assertThat(FrameLocation.finds(found)).isEqualTo(Math.min(times, 7));
            found = FrameLocation.found(found);
            assertThat(FrameLocation.isSame(location, found)).isTrue();
            assertThat(FrameLocation.frameBytes(found))
                    .isEqualTo(FrameLocation.frameBytes(location));
        }
        assertThat(FrameLocation.finds(FrameLocation.movedTo(location, found))).isEqualTo(3);
    }

    @Test
    void mostFoundComeFirst() {
        var table = new IndexTable(IndexTable.MIN_BYTES, LogHouse.TIER);
        var finds = List.of(2, 0, 9, 2, 1);
        for (int i = 0; i < finds.size(); i++) {
            var id = LogHouse.id(i);
            table.put(id, location(1, 10 + i));
            for (int times = 0; times < finds.get(i); times++) {
                table.markFound(id, table.find(id));
            }
        }
        table.put(LogHouse.id(7), FrameLocation.found(location(2, 9)));

        assertThat(LongStream.of(table.found(1)).map(FrameLocation::place))
                .containsExactly(12 * 8L, 10 * 8L, 13 * 8L, 14 * 8L);
    }

    @Test
    void itIsAMapOfLocations() {
        var table = new IndexTable(64L << 20, LogHouse.TIER);
        var model = new HashMap<RecordHash, Long>();
        for (int i = 0; i < 2_000_000; i++) {
            var id = LogHouse.id(random.nextInt(400_000));
            if (random.nextInt(3) == 0) {
                assertThat(table.remove(id)).isEqualTo(model.remove(id) != null);
            } else {
                long location = location(random.nextInt(SLOTS), 8 + random.nextInt(1 << 20));
                assertThat(table.put(id, location)).isTrue();
                model.put(id, location);
            }
            if (i % 500_000 == 0) {
                int slot = random.nextInt(SLOTS);
                table.removeSegment(slot);
                model.values().removeIf(location -> FrameLocation.slot(location) == slot);
            }
        }

        assertThat(table.count()).isEqualTo(model.size());
        for (int i = 0; i < 400_000; i++) {
            var id = LogHouse.id(i);
            assertThat(table.find(id)).isEqualTo(model.getOrDefault(id, 0L));
        }
        table.clear();
        assertThat(table.count()).isZero();
    }

    @Test
    void anObjectNeedsAtMost24Bytes() {
        var table = new IndexTable(128L << 20, LogHouse.TIER);
        for (int i = 0; i < 1_000_000; i++) {
            table.put(LogHouse.id(i), location(1, i + 8));
        }

        assertThat(table.bytes() / table.count()).isBetween(16L, 24L);
    }

    @Test
    void itNeverTakesMoreMemoryThanAllowed() {
        var table = new IndexTable(3L << 20, LogHouse.TIER);
        int refused = 0;
        for (int i = 0; i < 250_000; i++) {
            boolean hasSpace = table.hasSpace(LogHouse.id(i));
            assertThat(table.put(LogHouse.id(i), location(i % SLOTS, i + 8))).isEqualTo(hasSpace);
            refused += hasSpace ? 0 : 1;
        }

        assertThat(table.bytes()).isEqualTo(3L << 20);
        assertThat(250_000 - refused).isEqualTo((int) table.count());
        assertThat(table.count() * 16).isBetween(2L << 20, 3L << 20);
        table.removeSegment(0);
        assertThat(table.count()).isLessThan(250_000 - refused);
    }

    @Test
    void onlyTheLaterLocationIsKept() {
        var table = new IndexTable(IndexTable.MIN_BYTES, LogHouse.TIER);
        var id = LogHouse.id(1);

        table.putIfLater(id, location(2, 9));
        table.putIfLater(id, location(1, 50));
        assertThat(table.find(id)).isEqualTo(location(2, 9));
        table.putIfLater(id, location(2, 10));
        assertThat(table.find(id)).isEqualTo(location(2, 10));
        table.markFound(id, location(2, 9));
        assertThat(table.found(2)).isEmpty();
        table.markFound(id, location(2, 10));
        assertThat(table.found(2)).containsExactly(FrameLocation.found(location(2, 10)));
        assertThat(table.replace(id, location(2, 9), location(3, 9))).isFalse();
        assertThat(table.replace(id, location(2, 10), location(3, 9))).isTrue();
        assertThat(table.remove(id, location(2, 10))).isFalse();
        assertThat(table.remove(id, location(3, 9))).isTrue();
    }

    /** Each id has one location all the time, so a reader must see it however the table moves. */
    @Test
    void readersSeeEntriesWhileOthersMove() throws Exception {
        var table = new IndexTable(64L << 20, LogHouse.TIER);
        int fixed = 2000;
        for (int i = 0; i < fixed; i++) {
            table.put(LogHouse.id(i), location(1, i + 8));
        }
        var isDone = new AtomicBoolean();

        try (var pool = Executors.newFixedThreadPool(2)) {
            var reads =
                    pool.submit(() -> {
                        long count = 0;
                        while (!isDone.get()) {
                            int i = (int) (count++ % fixed);
                            long location = table.find(LogHouse.id(i));
                            assertThat(FrameLocation.isSame(location, location(1, i + 8))).isTrue();
                            table.markFound(LogHouse.id(i), location);
                        }
                        return count;
                    });
            for (int round = 0; round < 10; round++) {
                for (int i = fixed; i < 100_000; i++) {
                    table.put(LogHouse.id(i), location(2, i + 8));
                }
                table.removeSegment(2);
            }
            isDone.set(true);
            assertThat(reads.get(1, TimeUnit.MINUTES)).isPositive();
        }

        assertThat(table.count()).isEqualTo(fixed);
    }
}
