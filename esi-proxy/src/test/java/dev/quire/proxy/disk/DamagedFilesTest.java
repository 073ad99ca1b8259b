package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedFilesTest {
    private static final int OLD = 4;
    private static final int NEW = 4;
    private static final int LENGTH = 50;

    @TempDir Path temporary;

    private Path original;
    private Path work;

    /** Four records in the first segment, four more and a removal of the first in the second. */
    @BeforeEach
    void write() throws IOException {
        original = temporary.resolve("original");
        work = temporary.resolve("work");
        var house = new LogHouse(temporary.resolve("log"));
        for (int i = 0; i < OLD; i++) {
            house.put(i, 1, LENGTH);
        }
        house.log.seal();
        house.log.remove(LogHouse.id(0));
        for (int i = 0; i < NEW; i++) {
            house.put(OLD + i, 1, LENGTH);
        }
        house.crash(original);
        house.close();
    }

    private interface Damage {
        void apply(Path work) throws IOException;
    }

    /** Opens a damaged copy; returns how many of the newer records are there without a gap. */
    private int intact(Damage damage, boolean areOlderThere) throws IOException {
        LogHouse.copy(original, work);
        damage.apply(work);
        int intact = 0;
        var house = new LogHouse(work);
        try {
            for (int i = 1; areOlderThere && i < OLD; i++) {
                assertThat(house.version(i)).isEqualTo(1);
            }
            while (intact < NEW && house.version(OLD + intact) != null) {
                intact++;
            }
            for (int i = intact + 1; i < NEW; i++) {
                // Fails if it is wrong.
                house.version(OLD + i);
            }
            // The log goes on behind the damage.
            assertThat(house.put(99, 5, LENGTH)).isTrue();
            house.reopen();
            assertThat(house.version(99)).isEqualTo(5);
        } finally {
            house.close();
        }
        try (var files = Files.list(work)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        return intact;
    }

    private static Path segment(Path directory, int number) {
        return directory.resolve("%06d.seg".formatted(number));
    }

    private static Path index(Path directory, int number) {
        return directory.resolve("%06d.idx".formatted(number));
    }

    /** The count of the newer records that end before {@code offset} in the last segment. */
    private static int before(long offset) {
        long records = offset - SegmentHeader.BYTES - FrameHeader.frameBytes(0);
        return records < 0 ? 0 : (int) Math.min(NEW, records / FrameHeader.frameBytes(LENGTH));
    }

    private static void flip(Path file, long bit) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
        Files.write(file, bytes);
    }

    private static void cut(Path file, long length) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), (int) length));
    }

    @Test
    void theLastSegmentMayEndAnywhere() throws IOException {
        long length = Files.size(segment(original, 2));
        for (long end = 0; end <= length; end++) {
            long cut = end;

            int intact = intact(work -> cut(segment(work, 2), cut), true);

            assertThat(intact).as("cut at %s", end).isEqualTo(before(end));
        }
    }

    @Test
    void anyByteOfTheLastSegmentMayBeDamaged() throws IOException {
        var random = new Random(3);
        long length = Files.size(segment(original, 2));
        for (long at = 0; at < length; at++) {
            long bit = at * 8 + random.nextInt(8);
            boolean isAllLost = isInFollowedHeader(at);

            int intact = intact(work -> flip(segment(work, 2), bit), !isAllLost);

            assertThat(intact)
                    .as("bit %s", bit)
                    .isBetween(isAllLost ? 0 : before(at), isAllLost ? 0 : NEW);
        }
    }

    /** Whether {@code offset} of the last segment is in the header of a frame before others. */
    private static boolean isInFollowedHeader(long offset) {
        long behindRemoval = offset - SegmentHeader.BYTES - FrameHeader.frameBytes(0);
        long record = behindRemoval / FrameHeader.frameBytes(LENGTH);
        return behindRemoval < 0
                ? offset >= SegmentHeader.BYTES
                : record < NEW - 1
                        && behindRemoval % FrameHeader.frameBytes(LENGTH) < FrameHeader.BYTES;
    }

    /**
     * Three records in the first segment; one, the removal of the first, a replacement of the
     * second and one more in the last, which has no index file.
     */
    private Path withRemovalInTheLast() throws IOException {
        var path = temporary.resolve("last");
        try (var house = new LogHouse(temporary.resolve("third"))) {
            for (int i = 0; i < 3; i++) {
                house.put(i, 1, LENGTH);
            }
            house.log.seal();
            house.put(3, 1, LENGTH);
            house.log.remove(LogHouse.id(0));
            house.put(1, 2, LENGTH);
            house.put(4, 1, LENGTH);
            house.crash(path);
        }
        return path;
    }

    /** Behind the damage there may be removals, and records in place of older ones. */
    @Test
    void damageInTheMiddleOfTheLastSegmentBringsNoOlderRecordBack() throws IOException {
        var path = withRemovalInTheLast();
        long end = Files.size(segment(path, 2)) - FrameHeader.frameBytes(LENGTH);
        for (long at = SegmentHeader.BYTES; at < end; at++) {
            long bit = at * 8 + at % 8;
            var copy = temporary.resolve("bit " + bit);
            LogHouse.copy(path, copy);
            flip(segment(copy, 2), bit);
            try (var house = new LogHouse(copy)) {
                for (int starts = 0; starts < 2; starts++) {
                    assertThat(house.version(0)).as("bit %s", bit).isNull();
                    assertThat(house.version(1)).as("bit %s", bit).isIn(null, 2);
                    house.reopen();
                }
            }
        }
    }

    /** Readers find it, as in other segments. */
    @Test
    void damagedRecordInTheMiddleOfTheLastSegmentIsAMissAlone() throws IOException {
        var path = withRemovalInTheLast();
        flip(segment(path, 2), 8 * (SegmentHeader.BYTES + FrameHeader.BYTES + 1));

        try (var house = new LogHouse(path)) {
            assertThat(house.version(3)).isNull();
            assertThat(house.version(2)).isEqualTo(1);
            assertThat(house.version(1)).isEqualTo(2);
            assertThat(house.version(4)).isEqualTo(1);
        }
    }

    /** The first start may be killed in between. */
    @Test
    void theLastSegmentStaysDamagedUntilTheOlderOnesAreDeleted() throws IOException {
        var path = withRemovalInTheLast();
        flip(segment(path, 2), 8 * SegmentHeader.BYTES);
        var copy = temporary.resolve("copy");
        try (var house = new LogHouse(temporary.resolve("fourth"))) {
            house.log.close();
            LogHouse.copy(path, house.path, StandardCopyOption.REPLACE_EXISTING);
            house.access.deleteFailure = "Input/output error";
            assertThatThrownBy(house::open).hasMessage("Input/output error");
            LogHouse.copy(house.path, copy);
        }

        try (var next = new LogHouse(copy)) {
            for (int i = 0; i <= 4; i++) {
                assertThat(next.version(i)).isNull();
            }
        }
    }

    /** The origin chooses them. */
    @Test
    void bytesOfAnIncompleteRecordAreNotFrames() throws IOException {
        var path = temporary.resolve("fifth");
        try (var house = new LogHouse(path)) {
            house.put(1, 1, LENGTH);
            house.log.seal();
            long place = SegmentHeader.BYTES + FrameHeader.BYTES;
            var bytes = ByteBuffer.allocate(200);
            FrameHeader.removal(LogHouse.id(3)).writeTo(bytes, 2, place);
            house.log.append(
                    LogHouse.id(2), 1, LogHouse.LATER, Unpooled.wrappedBuffer(bytes.clear()));
        }
        Files.delete(index(path, 2));
        cut(segment(path, 2), SegmentHeader.BYTES + FrameHeader.BYTES + 150);

        try (var next = new LogHouse(path)) {
            assertThat(next.version(1)).isEqualTo(1);
            assertThat(next.log.has(LogHouse.id(2))).isFalse();
        }
    }

    @Test
    void damageUnderAValidIndexFileIsAMiss() throws IOException {
        long length = Files.size(segment(original, 1));
        for (long at = SegmentHeader.BYTES; at < length; at += 7) {
            long bit = at * 8;
            assertThat(intact(work -> flip(segment(work, 1), bit), false)).isEqualTo(NEW);
        }
    }

    @Test
    void aLostIndexFileIsRestoredFromItsSegment() throws IOException {
        assertThat(intact(work -> Files.delete(index(work, 1)), true)).isEqualTo(NEW);
        assertThat(intact(work -> Files.delete(index(work, 2)), true)).isEqualTo(NEW);
    }

    @Test
    void anyByteOfAnIndexFileMayBeDamaged() throws IOException {
        long length = Files.size(index(original, 1));
        for (long at = 0; at < length; at++) {
            long bit = at * 8 + at % 8;
            assertThat(intact(work -> flip(index(work, 1), bit), true)).isEqualTo(NEW);
        }
    }

    @Test
    void anIndexFileOfAnotherSegmentIsNotUsed() throws IOException {
        assertThat(
                        intact(
                                work ->
                                        Files.write(
                                                index(work, 2), Files.readAllBytes(index(work, 1))),
                                true))
                .isEqualTo(NEW);
        var other = new LogHouse(temporary.resolve("other"));
        other.put(500, 1, LENGTH);
        other.log.seal();
        other.close();
        assertThat(
                        intact(
                                work ->
                                        Files.write(
                                                segment(work, 1),
                                                Files.readAllBytes(segment(other.path, 1))),
                                false))
                .isEqualTo(NEW);
    }

    /** Three segments: a record, another one and the removal of the first, and a third record. */
    private LogHouse withRemoval() throws IOException {
        var house = new LogHouse(temporary.resolve("third"));
        house.put(1, 1, LENGTH);
        house.log.seal();
        house.put(2, 1, LENGTH);
        house.log.remove(LogHouse.id(1));
        house.log.seal();
        house.put(3, 1, LENGTH);
        house.close();
        return house;
    }

    private static void damageTheRemoval(LogHouse house) throws IOException {
        Files.delete(index(house.path, 2));
        flip(segment(house.path, 2), 8 * (SegmentHeader.BYTES + FrameHeader.frameBytes(LENGTH)));
    }

    /** Its removals are not known, so older records could come back. */
    @Test
    void aSegmentThatCannotBeReadWholeTakesTheOlderOnesWithIt() throws IOException {
        var house = withRemoval();
        damageTheRemoval(house);

        house.log = house.open();

        assertThat(house.version(1)).isNull();
        // Its removal may have been behind the damage.
        assertThat(house.version(2)).isNull();
        assertThat(house.version(3)).isEqualTo(1);
        house.close();
    }

    /** The first start may be killed in between. */
    @Test
    void aSegmentCannotBeReadWholeUntilTheOlderOnesAreDeleted() throws IOException {
        var house = withRemoval();
        damageTheRemoval(house);
        house.access.deleteFailure = "Input/output error";
        assertThatThrownBy(house::open).hasMessage("Input/output error");
        var copy = temporary.resolve("copy");
        LogHouse.copy(house.path, copy);

        try (var next = new LogHouse(copy)) {
            assertThat(next.version(1)).isNull();
            assertThat(next.version(2)).isNull();
            assertThat(next.version(3)).isEqualTo(1);
        }
    }

    /** Opens a copy whose second segment is cut; it has neither that one nor the first. */
    private LogHouse withCut(LogHouse house, long end) throws IOException {
        var copy = temporary.resolve("cut at " + end);
        LogHouse.copy(house.path, copy);
        cut(segment(copy, 2), end);
        var next = new LogHouse(copy);
        assertThat(next.version(1)).as("cut at %s", end).isNull();
        assertThat(next.version(2)).as("cut at %s", end).isNull();
        return next;
    }

    /** The index file shows that frames are missing, though those that are left are whole. */
    @Test
    void aSegmentThatWasCutTakesTheOlderOnesWithIt() throws IOException {
        var house = withRemoval();
        long first = SegmentHeader.BYTES + FrameHeader.frameBytes(LENGTH);
        for (long end : new long[] {0, 40, SegmentHeader.BYTES, first}) {
            try (var next = withCut(house, end)) {
                assertThat(next.version(3)).isEqualTo(1);
                assertThat(next.put(4, 1, LENGTH)).isTrue();
                next.reopen();
                assertThat(next.version(3)).isEqualTo(1);
                assertThat(next.version(4)).isEqualTo(1);
            }
        }
    }

    @Test
    void theNewestSegmentThatWasCutTakesTheOlderOnesWithIt() throws IOException {
        var house = withRemoval();
        Files.delete(segment(house.path, 3));
        Files.delete(index(house.path, 3));
        long first = SegmentHeader.BYTES + FrameHeader.frameBytes(LENGTH);
        for (long end : new long[] {0, SegmentHeader.BYTES, first}) {
            try (var next = withCut(house, end)) {
                assertThat(next.put(4, 1, LENGTH)).isTrue();
            }
        }
    }

    @Test
    void threeDamagedRecordsDropTheirSegment() throws IOException {
        var house = new LogHouse(temporary.resolve("third"));
        for (int i = 0; i < 5; i++) {
            house.put(i, 1, LENGTH);
        }
        house.log.seal();
        house.put(100, 1, LENGTH);
        for (int i = 0; i < 3; i++) {
            long frame = SegmentHeader.BYTES + i * FrameHeader.frameBytes(LENGTH);
            flip(segment(house.path, 1), 8 * (frame + FrameHeader.BYTES + i));
        }

        assertThat(house.version(0)).isNull();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(3)).isEqualTo(1);
        assertThat(house.log.stats().damaged()).isEqualTo(2);
        assertThat(house.version(2)).isNull();

        assertThat(house.version(3)).isNull();
        assertThat(house.version(100)).isEqualTo(1);
        house.put(101, 1, LENGTH);
        assertThat(house.log.stats().objects()).isEqualTo(2);
        assertThat(house.log.mayHaveOthers()).isTrue();
        // Its records may come back, unless they were removed.
        house.log.remove(LogHouse.id(3));
        house.reopen();
        assertThat(house.version(3)).isNull();
        assertThat(house.version(4)).isEqualTo(1);
        house.close();
    }
}
