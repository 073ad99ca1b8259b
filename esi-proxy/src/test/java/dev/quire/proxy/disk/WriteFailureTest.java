package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteFailureTest extends InLogHouse {
    private static final Duration PAUSE = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(strings = {"input/output error", "read-only file system"})
    void aFailureStopsWritingForHalfAMinuteAndReadingGoesOn(String failure) {
        house.put(1);
        house.access.writeFailure = failure;

        assertThat(house.put(2)).isFalse();
        house.access.writeFailure = null;
        house.clock.pass(PAUSE.minusSeconds(1));
        assertThat(house.put(3)).isFalse();

        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.log.stats().isPaused()).isTrue();
        assertThat(house.log.stats().failedWrites()).isEqualTo(1);
        assertThat(house.log.stats().failure()).contains(failure);
        house.clock.pass(Duration.ofSeconds(1));
        assertThat(house.put(4)).isTrue();
        assertThat(house.log.stats().isPaused()).isFalse();
        assertThat(house.version(2)).isNull();
        assertThat(house.version(4)).isEqualTo(1);
    }

    @Test
    void aRecordThatCannotBeWrittenRemovesTheEarlierOne() throws IOException {
        house.put(1);
        house.put(2);
        house.access.writeFailure = "Input/output error";

        house.put(1, 2, 1000);
        assertThat(house.version(1)).isNull();

        house.access.writeFailure = null;
        house.clock.pass(PAUSE);
        house.put(3);
        house.reopen();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isEqualTo(1);
        assertThat(house.version(3)).isEqualTo(1);
    }

    /** The buffer holds them together: all that was not written fails at once. */
    @Test
    void recordsThatWaitForAFailedWriteAreGoneAndSoAreTheEarlierOnes() throws IOException {
        house.put(1);
        house.put(2);
        house.put(3);
        house.append(1, 2, 500);
        house.log.remove(LogHouse.id(2));
        house.append(4, 1, 500);
        house.access.writeFailure = "Input/output error";

        house.log.flush();

        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isNull();
        assertThat(house.version(4)).isNull();
        assertThat(house.log.stats().failedWrites()).isEqualTo(1);
        house.access.writeFailure = null;
        house.clock.pass(PAUSE);
        assertThat(house.put(5)).isTrue();
        house.reopen();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isNull();
        assertThat(house.version(3)).isEqualTo(1);
        assertThat(house.version(4)).isNull();
        assertThat(house.version(5)).isEqualTo(1);
    }

    /** A part of the buffer is in the file: whole frames, valid in their places. */
    @Test
    void framesBehindTheLastOneDoNotComeBack() throws IOException {
        // So many removals and a frame are as long as eight frames: the ninth would follow them.
        int count = 10;
        int length = 24;
        assertThat(count * FrameHeader.frameBytes(0)).isEqualTo(7 * FrameHeader.frameBytes(length));
        for (int i = 0; i < count; i++) {
            house.put(i, 1, length);
        }
        for (int i = 0; i < count; i++) {
            house.append(i, 2, length);
        }
        house.access.space.set(count * FrameHeader.frameBytes(length) - 1);
        house.log.flush();

        house.access.space.set(1L << 30);
        house.clock.pass(PAUSE);
        assertThat(house.put(count, 1, length)).isTrue();
        var copy = temporary.resolve("copy");
        house.crash(copy);

        try (var next = new LogHouse(copy)) {
            assertThat(next.version(count)).isEqualTo(1);
            assertThat(next.log.stats().objects()).isEqualTo(1);
        }
    }

    /** The first of two frames is whole in the file, and there is not an earlier one to remove. */
    private void failBehindAFirstFrame() {
        int length = 500;
        house.append(2, 1, length);
        house.append(3, 1, length);
        house.access.space.set(FrameHeader.frameBytes(length) + 10);
        house.log.flush();
    }

    @Test
    void aFirstFrameOfAFailedWriteDoesNotComeBack() throws IOException {
        house.put(1);

        failBehindAFirstFrame();

        assertThat(house.append(2, 2, 500)).isFalse();
        var copy = temporary.resolve("copy");
        house.crash(copy);
        try (var next = new LogHouse(copy)) {
            assertThat(next.version(1)).isEqualTo(1);
            assertThat(next.version(2)).isNull();
        }
        house.access.space.set(1L << 30);
        house.reopen();
        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.version(2)).isNull();
    }

    @Test
    void aFirstFrameThatCannotBeCutOffEmptiesTheLogAtTheNextStart() throws IOException {
        house.put(1);
        house.access.truncateFailure = "Input/output error";

        failBehindAFirstFrame();

        var copy = temporary.resolve("copy");
        house.crash(copy);
        try (var next = new LogHouse(copy)) {
            assertThat(next.log.stats().objects()).isZero();
        }
        // This process goes on with the others.
        house.access.space.set(1L << 30);
        house.access.truncateFailure = null;
        house.clock.pass(PAUSE);
        assertThat(house.put(4)).isTrue();
        house.reopen();
        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.version(2)).isNull();
        assertThat(house.version(4)).isEqualTo(1);
    }

    /** The next start cannot know which records were removed. */
    @Test
    void aRemovalThatWasNeverWrittenEmptiesTheLogAtTheNextStart() throws IOException {
        house.put(1);
        house.put(2);
        house.access.writeFailure = "Input/output error";
        house.log.remove(LogHouse.id(1));
        var copy = temporary.resolve("copy");
        house.crash(copy);
        house.access.writeFailure = null;

        var next = new LogHouse(copy);

        assertThat(next.version(1)).isNull();
        assertThat(next.version(2)).isNull();
        assertThat(next.put(3)).isTrue();
        next.reopen();
        assertThat(next.version(3)).isEqualTo(1);
        next.close();
    }

    /** Has {@code records} in the log, and removes some of them while nothing can be written. */
    private void removeInVain(int removals, int records) {
        for (int i = 0; i < records; i++) {
            house.append(i, 1, 24);
        }
        house.log.flush();
        house.access.writeFailure = "Input/output error";
        for (int i = 0; i < removals; i++) {
            house.log.remove(LogHouse.id(i));
        }
        house.log.flush();
    }

    @Test
    void manyRemovalsThatWaitAreWrittenAfterwards() throws IOException {
        int removals = 10_000;

        removeInVain(removals, removals + 10);

        assertThat(house.version(removals + 5)).isEqualTo(1);
        house.access.writeFailure = null;
        house.clock.pass(PAUSE);
        assertThat(house.put(-1)).isTrue();
        house.reopen();
        assertThat(house.version(0)).isNull();
        assertThat(house.version(removals - 1)).isNull();
        assertThat(house.log.stats().objects()).isEqualTo(11);
    }

    @Test
    void tooManyRemovalsThatWaitEmptyTheLog() throws IOException {
        house.indexBytes = 8 * IndexTable.MIN_BYTES;
        house.reopen();

        removeInVain(SegmentLog.MAX_PENDING + 1, SegmentLog.MAX_PENDING + 10);

        assertThat(house.version(SegmentLog.MAX_PENDING + 5)).isNull();
        house.access.writeFailure = null;
        house.clock.pass(PAUSE);
        assertThat(house.put(-1)).isTrue();
        house.reopen();
        assertThat(house.version(-1)).isEqualTo(1);
        assertThat(house.log.stats().objects()).isEqualTo(1);
    }

    @Test
    void aFullFileSystemLeavesWholeRecordsAndIsUsedAgain() throws IOException {
        house.access.space.set(500_000);
        int written = 0;
        while (house.put(written)) {
            written++;
        }
        assertThat(written).isBetween(400, 500);
        for (int i = 0; i < written; i++) {
            assertThat(house.version(i)).isEqualTo(1);
        }
        // The part of a record that was behind the last one is gone.
        var copy = temporary.resolve("copy");
        house.crash(copy);
        var next = new LogHouse(copy);
        assertThat(next.log.stats().objects()).isEqualTo(written);
        assertThat(next.version(written)).isNull();
        next.close();

        house.access.space.set(1L << 30);
        house.clock.pass(PAUSE);

        assertThat(house.put(written)).isTrue();
        house.reopen();
        for (int i = 0; i <= written; i++) {
            assertThat(house.version(i)).isEqualTo(1);
        }
    }

    @Test
    void aFormatThatCannotBeDeletedIsDeletedLaterInThePause() throws IOException {
        house.put(1);
        house.access.writeFailure = "Read-only file system";
        house.access.deleteFailure = "Read-only file system";
        house.log.remove(LogHouse.id(1));
        house.log.flush();
        house.access.writeFailure = null;
        house.access.deleteFailure = null;

        assertThat(house.put(2)).isFalse();

        var copy = temporary.resolve("copy");
        house.crash(copy);
        try (var next = new LogHouse(copy)) {
            assertThat(next.version(1)).isNull();
        }
    }

    @Test
    void onAFullFileSystemTheOldestSegmentMakesSpace() {
        int i = 0;
        while (house.log.stats().segments() < 3) {
            house.put(i++);
        }
        house.access.space.set(0);
        while (house.put(i)) {
            i++;
        }

        house.clock.pass(PAUSE);
        house.put(i);

        assertThat(house.log.stats().evicted()).isEqualTo(1);
        assertThat(house.version(0)).isNull();
        assertThat(house.version(i - 1)).isEqualTo(1);
    }

    @Test
    void aLogTakesNoMoreThanTheFileSystemHas() {
        var space = new FileAccess.Space(100L << 30, 30L << 30);

        var size = LogSize.of(64L << 30, 10L << 30, space);

        assertThat(size.maxBytes()).isEqualTo((40L << 30) - (256L << 20));
        assertThat(size.segmentBytes()).isEqualTo(256L << 20);
        assertThat(LogSize.of(16L << 20, 0, space).segmentBytes()).isEqualTo(2L << 20);
        assertThat(LogSize.of(20L << 30, 0, space).segmentBytes()).isEqualTo(256L << 20);
        assertThat(LogSize.of(969L << 20, 0, space).segmentBytes()).isEqualTo(30L << 20);
    }

    /** Its next file has another number. */
    @ParameterizedTest
    @ValueSource(strings = {"000002.seg", "000002.idx"})
    void aPipeInPlaceOfANewFileStopsWritingForHalfAMinute(String name) throws Exception {
        house.put(1);
        house.log.seal();
        var pipe = house.path.resolve(name).toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();

        assertThat(house.put(2)).isFalse();

        assertThat(house.log.stats().failure()).isEqualTo(name + " is not a regular file");
        assertThat(house.version(1)).isEqualTo(1);
        house.clock.pass(PAUSE);
        assertThat(house.put(3)).isTrue();
        house.log.seal();
        house.reopen();
        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.version(3)).isEqualTo(1);
    }

    @Test
    void aReadFailureIsAMiss() throws IOException {
        house.put(1);
        house.put(2);
        house.access.readFailure = "Input/output error";

        assertThat(house.version(1)).isNull();

        house.access.readFailure = null;
        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isEqualTo(1);
        assertThat(house.log.stats().damaged()).isEqualTo(1);
        // It is still in the file, so its removal is written.
        house.log.remove(LogHouse.id(1));
        house.reopen();
        assertThat(house.version(1)).isNull();
    }

    /** Records of a file that could not be deleted are back at the next start, unless removed. */
    @Test
    void aRecordInAFileThatCannotBeDeletedStaysRemoved() throws IOException {
        house.put(1);
        house.put(2);
        while (house.log.stats().segments() < 7) {
            house.put(100, 1, 100_000);
        }
        house.access.deleteFailure = "Input/output error";
        int i = 200;
        while (house.put(i, 1, 100_000)) {
            i++;
        }
        assertThat(house.log.stats().isPaused()).isTrue();
        house.log.remove(LogHouse.id(1));
        var copy = temporary.resolve("copy");
        house.crash(copy);
        try (var next = new LogHouse(copy)) {
            assertThat(next.version(1)).isNull();
        }

        house.access.deleteFailure = null;
        house.clock.pass(PAUSE);
        assertThat(house.put(i, 1, 100_000)).isTrue();
        house.reopen();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(i - 1)).isEqualTo(1);
    }
}
