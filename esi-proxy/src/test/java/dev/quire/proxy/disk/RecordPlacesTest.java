package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.cache.OpenRecord;
import dev.quire.proxy.cache.RecordPlace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A place of a record names that record, and no other one that comes to be there. */
class RecordPlacesTest extends InLogHouse {
    private static final int BYTES = 100_000;

    @Test
    void placeOfARecordIsThatOfItsBytes() throws IOException {
        house.put(1, 1, BYTES);
        house.put(2, 1, BYTES);
        for (long id = 1; id <= 2; id++) {
            var place = requireNonNull(house.log.find(LogHouse.id(id)));

            var record = requireNonNull(place.read());
            assertThat(record).isEqualTo(LogHouse.record(id, 1, BYTES));
            record.release();
            var open = requireNonNull(place.open());
            assertThat(sent(open.region(0, BYTES))).isEqualTo(LogHouse.record(id, 1, BYTES));
            assertThat(sent(open.region(12_345, 54_321)))
                    .isEqualTo(LogHouse.record(id, 1, BYTES).slice(12_345, 54_321));
            var read = Unpooled.directBuffer(60_000).writeByte(7);
            open.read(40_000, 59_999, read);
            assertThat(read.skipBytes(1))
                    .isEqualTo(LogHouse.record(id, 1, BYTES).slice(40_000, 59_999));
            read.release();
            open.release();
        }
    }

    @Test
    void absentRecordHasNoPlace() {
        assertThat(house.log.find(LogHouse.id(1))).isNull();
    }

    @Test
    void placeIsNotThatOfANewerRecord() {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        house.put(1, 2, BYTES);

        assertThat(place.open()).isNull();
        assertThat(place.read()).isNull();
        assertThat(house.version(1)).isEqualTo(2);
    }

    @Test
    void placeOfARemovedRecordIsGone() {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        house.log.remove(LogHouse.id(1));

        assertThat(place.open()).isNull();
        assertThat(place.read()).isNull();
    }

    @Test
    void placeOfADroppedLogIsGone() {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        house.log.drop();
        house.put(1, 1, BYTES);

        assertThat(place.open()).isNull();
        assertThat(place.read()).isNull();
    }

    @Test
    void placeOfAClosedLogIsGone() throws IOException {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        house.reopen();

        assertThat(place.open()).isNull();
        assertThat(place.read()).isNull();
    }

    /** The record is the first one of each segment, so it is at the same place in all of them. */
    @Test
    void placeInAnEvictedSegmentIsGoneThoughItsSlotIsTakenAgain() {
        house.again = (id, record) -> null;
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        while (house.log.stats().evicted() < 20) {
            house.log.seal();
            house.put(1, 1, BYTES);

            assertThat(place.open()).isNull();
            assertThat(place.read()).isNull();
        }
    }

    @Test
    void placeOfARecordThatWasWrittenAgainIsAnother() {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        for (int i = 0; house.log.stats().evicted() == 0; i++) {
            house.put(2 + i, 1, BYTES);
        }

        assertThat(house.log.stats().reinserted()).isPositive();
        assertThat(place.open()).isNull();
        assertThat(house.version(1)).isEqualTo(1);
    }

    @Test
    void regionKeepsItsFileOpenByItself() throws IOException {
        house.put(1, 1, BYTES);
        var open = requireNonNull(requireNonNull(house.log.find(LogHouse.id(1))).open());
        var region = open.region(0, BYTES);
        house.log.drop();
        open.release();
        assertThat(house.access.open).hasValue(1);

        assertThat(sent(region)).isEqualTo(LogHouse.record(1, 1, BYTES));

        house.access.awaitOpen(0);
    }

    /** A connection that is closed releases what it has not sent. */
    @Test
    void regionThatIsNotSentReleasesTheFileToo() {
        house.put(1, 1, BYTES);
        var open = requireNonNull(requireNonNull(house.log.find(LogHouse.id(1))).open());
        var region = open.region(0, BYTES);
        var retained = region.retain();
        house.log.drop();
        open.release();
        region.release();
        assertThat(house.access.open).hasValue(1);

        retained.release();

        house.access.awaitOpen(0);
    }

    /** That may be an event loop, and the kernel may take long to free the file. */
    @Test
    void lastReaderOfARemovedFileDoesNotWaitUntilItIsClosed() {
        house.put(1, 1, BYTES);
        var open = requireNonNull(requireNonNull(house.log.find(LogHouse.id(1))).open());
        house.log.drop();
        var goOn = new CountDownLatch(1);
        house.access.closing = goOn;

        open.release();

        assertThat(house.access.open).hasValue(1);
        goOn.countDown();
        house.access.awaitOpen(0);
    }

    @Test
    void damagedRecordLeavesTheIndexAndItsPlaceIsGone() throws IOException {
        house.put(1, 1, BYTES);
        house.put(2, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        try (var file = file()) {
            file.write(ByteBuffer.allocate(8), 50_000);
        }

        assertThat(place.read()).isNull();
        assertThat(place.open()).isNull();
        assertThat(house.version(2)).isEqualTo(1);
    }

    @Test
    void cutFileIsAnErrorOfTheReaderAndTheRecordIsGone() throws IOException {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        var open = requireNonNull(place.open());
        cut();
        var read = Unpooled.directBuffer(BYTES);

        assertThatThrownBy(() -> open.read(0, BYTES, read))
                .isInstanceOf(EOFException.class)
                .hasMessage("segment 1 is cut");
        assertThat(place.open()).isNull();
        assertThat(house.log.stats().damaged()).isEqualTo(1);

        read.release();
        open.release();
    }

    @Test
    void recordOfARegionThatACutFileDoesNotHaveIsGone() throws IOException {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        var open = requireNonNull(place.open());
        cut();

        assertThat(sent(open.region(0, 10_000)).readableBytes()).isEqualTo(10_000);
        assertThat(isThere(place)).isTrue();
        assertThatThrownBy(() -> sent(open.region(0, BYTES))).isInstanceOf(IOException.class);
        assertThat(isThere(place)).isFalse();
        open.release();
    }

    @Test
    void recordOfARegionThatAClientDoesNotTakeIsNotGone() throws IOException {
        house.put(1, 1, BYTES);
        var place = requireNonNull(house.log.find(LogHouse.id(1)));
        var open = requireNonNull(place.open());

        open.region(0, BYTES).release();

        assertThat(isThere(place)).isTrue();
        open.release();
    }

    /** Slow clients keep at most all present files and a quarter of that in removed ones. */
    @Test
    void recordsAreOnlyReadWhileManyRemovedFilesAreOpen() {
        house.again = (id, record) -> null;
        var kept = new ArrayList<OpenRecord>();
        long id = 0;
        for (var open = opened(id); open != null; open = opened(++id)) {
            kept.add(open);
            house.log.seal();
        }

        var place = requireNonNull(house.log.find(LogHouse.id(id)));
        var read = requireNonNull(place.read());
        assertThat(read).isEqualTo(LogHouse.record(id, 1, 1_000_000));
        read.release();
        long removed = 1_000_000L * (kept.size() - house.log.stats().segments() + 1);
        assertThat(removed).isBetween(LogHouse.SIZE / 4 - 1_000_000, LogHouse.SIZE / 2);

        kept.forEach(OpenRecord::release);
        // A file and its index file for the newest, a file for each of the others.
        house.access.awaitOpen(house.log.stats().segments() + 1);
        assertThat(isThere(place)).isTrue();
    }

    private @Nullable OpenRecord opened(long id) {
        house.put(id, 1, 1_000_000);
        return requireNonNull(house.log.find(LogHouse.id(id))).open();
    }

    private static boolean isThere(RecordPlace place) {
        var open = place.open();
        if (open != null) {
            open.release();
        }
        return open != null;
    }

    private void cut() throws IOException {
        try (var file = file()) {
            file.truncate(50_000);
        }
    }

    private FileChannel file() throws IOException {
        try (var files = Files.list(house.path)) {
            var segment = files.filter(file -> file.toString().endsWith(".seg")).findFirst();
            return FileChannel.open(segment.orElseThrow(), StandardOpenOption.WRITE);
        }
    }

    /** Sends {@code region} as a channel does, in pieces, and releases it. */
    private static ByteBuf sent(FileRegion region) throws IOException {
        var out = new ByteArrayOutputStream();
        try {
            while (region.transferred() < region.count()) {
                region.transferTo(Channels.newChannel(out), region.transferred());
            }
        } finally {
            region.release();
        }
        return Unpooled.wrappedBuffer(out.toByteArray());
    }
}
