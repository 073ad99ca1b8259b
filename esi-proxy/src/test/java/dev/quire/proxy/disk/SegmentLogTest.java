package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentLogTest extends InLogHouse {
    private static final int MIB = 1 << 20;

    @ParameterizedTest
    @ValueSource(ints = {24, 25, 1000, 262_144 - 56, 262_144 - 55, 300_001, MIB, 2 * MIB - 232})
    void recordsOfAllLengthsAreFound(int length) throws IOException {
        assertThat(house.put(1, 1, length)).isTrue();

        assertThat(house.version(1)).isEqualTo(1);
        house.reopen();
        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.version(2)).isNull();
        assertThat(house.log.has(LogHouse.id(1))).isTrue();
        assertThat(house.log.has(LogHouse.id(2))).isFalse();
    }

    @Test
    void theLongestRecordIsThatOfTheContract() {
        int longest = (int) house.log.maxRecordBytes();

        assertThat(house.put(1, 1, longest)).isTrue();
        assertThat(house.put(2, 1, longest + 1)).isFalse();

        assertThat(house.version(1)).isEqualTo(1);
    }

    @Test
    void aRecordInPiecesIsOneRecord() {
        var record = LogHouse.record(1, 3, 5000);
        var pieces =
                Unpooled.wrappedBuffer(
                        record.slice(0, 1), record.slice(1, 4000), record.slice(4001, 999));

        house.log.append(LogHouse.id(1), 1, LogHouse.LATER, pieces);

        assertThat(house.version(1)).isEqualTo(3);
        assertThat(pieces.readableBytes()).isEqualTo(5000);
    }

    @Test
    void recordsAreWrittenTogetherAtTheLatestWhenOneIsRead() throws IOException {
        house.append(1, 1, 100);
        house.append(2, 1, 100);
        assertThat(house.log.has(LogHouse.id(1))).isTrue();
        assertThat(inFiles("before")).isZero();

        assertThat(house.version(1)).isEqualTo(1);

        assertThat(inFiles("after")).isEqualTo(2);
    }

    /** The records that another process would find now. */
    private long inFiles(String copy) throws IOException {
        LogHouse.copy(house.path, temporary.resolve(copy));
        try (var next = new LogHouse(temporary.resolve(copy))) {
            return next.log.stats().objects();
        }
    }

    @Test
    void theLaterRecordIsValidAlsoAfterARestart() throws IOException {
        house.put(1, 1, 100);
        house.log.seal();
        house.put(1, 2, 100);
        house.put(1, 3, 100);

        assertThat(house.version(1)).isEqualTo(3);
        house.reopen();
        assertThat(house.version(1)).isEqualTo(3);
        assertThat(house.log.stats().objects()).isEqualTo(1);
    }

    @Test
    void aRemovedRecordDoesNotComeBack() throws IOException {
        house.put(1);
        house.put(2);
        house.log.seal();

        house.log.remove(LogHouse.id(1));

        assertThat(house.version(1)).isNull();
        house.reopen();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isEqualTo(1);
    }

    @Test
    void removingAnUnknownRecordWritesNothing() {
        house.put(1);

        assertThat(isRemovalWritten(2)).isFalse();
    }

    @Test
    void aRecordThatIsTooLongRemovesTheEarlierOne() throws IOException {
        house.put(1);

        assertThat(house.put(1, 2, 2 * MIB)).isFalse();

        assertThat(house.version(1)).isNull();
        house.reopen();
        assertThat(house.version(1)).isNull();
    }

    @Test
    void theOldestRecordsAreEvictedAndFilesStayWithinTheSize() throws IOException {
        for (int i = 0; i < 30_000; i++) {
            assertThat(house.put(i)).isTrue();
            if (i % 500 == 0) {
                assertThat(fileBytes()).isLessThanOrEqualTo(LogHouse.SIZE);
            }
        }

        assertThat(house.version(0)).isNull();
        assertThat(house.version(29_999)).isEqualTo(1);
        var stats = house.log.stats();
        assertThat(stats.bytes()).isEqualTo(fileBytes()).isGreaterThan(LogHouse.SIZE * 3 / 4);
        assertThat(stats.evicted()).isPositive();
        assertThat(stats.reinserted()).isZero();
        long objects = stats.objects();
        house.reopen();
        assertThat(house.log.stats().objects()).isEqualTo(objects);
        assertThat(house.version(29_999)).isEqualTo(1);
    }

    private long fileBytes() throws IOException {
        long pending = 0;
        try (var files = Files.list(house.path)) {
            for (var file : files.filter(f -> f.toString().endsWith(".seg")).toList()) {
                pending += Files.size(file);
            }
        }
        // The index entries of the newest segment are partly in memory.
        return pending + indexBytes();
    }

    private long indexBytes() throws IOException {
        long segmentBytes = 0;
        try (var files = Files.list(house.path)) {
            for (var file : files.filter(f -> f.toString().endsWith(".seg")).toList()) {
                segmentBytes += Files.size(file);
            }
        }
        return house.log.stats().bytes() - segmentBytes;
    }

    @Test
    void recordsThatWereFoundSurviveTheirSegment() throws IOException {
        int i = 0;
        while (house.log.stats().evicted() == 0) {
            house.put(i++);
            assertThat(house.version(7)).isIn(null, 1);
        }
        int afterFirst = i;
        while (i < 3 * afterFirst) {
            house.put(i++);
            house.version(7);
        }

        assertThat(house.version(7)).isEqualTo(1);
        assertThat(house.version(8)).isNull();
        assertThat(house.log.stats().reinserted()).isPositive();
        house.reopen();
        assertThat(house.version(7)).isEqualTo(1);
        assertThat(house.version(8)).isNull();
    }

    /** Appends until a segment is evicted, with records that are never found. */
    private void evictOne() {
        long before = house.log.stats().evicted();
        for (int i = 0; house.log.stats().evicted() == before; i++) {
            house.put(1_000_000 + i, 1, 100_000);
        }
    }

    @Test
    void aRecordIsTestedBeforeItIsWrittenAgain() throws IOException {
        var shown = new HashMap<RecordHash, Integer>();
        house.again =
                (id, record) -> {
                    shown.put(id, record.readableBytes());
                    assertThat(house.log.has(id)).isTrue();
                    long number = id.low();
                    return switch ((int) number) {
                        // The same, one with another length, and one without more use.
                        case 1 -> new RecordLog.Reinserted(70, record.retain());
                        case 2 -> new RecordLog.Reinserted(80, LogHouse.direct(2, 9, 2_000));
                        default -> null;
                    };
                };
        house.reopen();
        for (int i = 0; i < 5; i++) {
            house.log.append(LogHouse.id(i), 7, LogHouse.LATER, LogHouse.record(i, 1, 1_000));
        }
        for (int i = 1; i < 4; i++) {
            house.version(i);
        }
        assertThat(house.log.oldestPosition()).isEqualTo(7);

        evictOne();

        assertThat(shown)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                LogHouse.id(1),
                                1_000,
                                LogHouse.id(2),
                                1_000,
                                LogHouse.id(3),
                                1_000));
        for (int restarts = 0; restarts < 2; restarts++) {
            assertThat(house.version(1)).isEqualTo(1);
            assertThat(house.version(2)).isEqualTo(9);
            assertThat(house.version(3)).isNull();
            assertThat(house.log.oldestPosition()).isEqualTo(70);
            house.reopen();
        }
    }

    @Test
    void aSegmentThatCannotBeReadIsEvicted() {
        house.put(1);
        house.version(1);
        house.again =
                (id, record) -> {
                    throw new AssertionError();
                };
        while (house.log.stats().segments() < 7) {
            house.put(100, 1, 100_000);
        }
        house.access.readFailure = "Input/output error";

        evictOne();

        assertThat(house.log.stats().isPaused()).isFalse();
        assertThat(house.log.has(LogHouse.id(1))).isFalse();
    }

    @Test
    void aRecordWithoutMemoryForItIsNotWrittenAgain() throws IOException {
        var attempts = new ArrayList<RecordHash>();
        house.again =
                (id, record) -> {
                    attempts.add(id);
                    throw new OutOfMemoryError("for the test");
                };
        house.reopen();
        house.put(1);
        house.version(1);

        evictOne();

        assertThat(attempts).containsExactly(LogHouse.id(1));
        assertThat(house.log.has(LogHouse.id(1))).isFalse();
        assertThat(house.put(2)).isTrue();
        house.reopen();
        assertThat(house.version(1)).isNull();
        assertThat(house.version(2)).isEqualTo(1);
    }

    @Test
    void segmentIsEvictedWithoutMemoryForALookAtTheResponsesInMemory() throws IOException {
        house.again =
                new InMemory() {
                    @Override
                    public void forEachInMemory(
                            long until, BooleanSupplier isWanted, Consumer<RecordHash> each) {
                        each.accept(LogHouse.id(1));
                        throw new OutOfMemoryError("for the test");
                    }
                };
        house.reopen();
        house.put(1);
        house.put(2);

        evictOne();

        assertThat(house.log.has(LogHouse.id(1))).isTrue();
        assertThat(house.log.has(LogHouse.id(2))).isFalse();
        assertThat(house.put(3)).isTrue();
    }

    /** Otherwise readers would wait until all are written again, which may take seconds. */
    @Test
    void aRecordThatIsWrittenAgainIsReadBeforeTheOtherOnesAre() throws Exception {
        var isRight = new CompletableFuture<Boolean>();
        var isReadMeanwhile = new AtomicBoolean();
        house.again =
                (id, record) -> {
                    if (id.low() == 1) {
                        // The first one is in the index by now, and not in the file yet.
                        Thread.ofPlatform()
                                .daemon()
                                .start(() ->
                                        isRight.complete(
                                                Integer.valueOf(1).equals(house.version(0))));
                    } else if (id.low() > 1 && !isRight.isDone()) {
                        LockSupport.parkNanos(10_000_000);
                    }
                    if (isRight.isDone()) {
                        isReadMeanwhile.set(true);
                    }
                    return LogHouse.UNCHANGED.again(id, record);
                };
        house.reopen();
        for (int i = 0; i < 200; i++) {
            house.put(i);
            house.version(i);
        }

        evictOne();

        assertThat(isRight.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(isReadMeanwhile).isTrue();
    }

    @Test
    void aRecordThatIsWrittenAgainIsReadWhileTheOldestFileIsDeleted() throws Exception {
        house.put(1);
        house.version(1);

        assertThat(isReadDuringADeletion(this::evictOne, () -> 1)).isTrue();

        assertThat(house.log.stats().reinserted()).isEqualTo(1);
    }

    @Test
    void roomOfRecordsWithoutMoreUseIsForTheOtherOnes() throws IOException {
        var shown = new ArrayList<RecordHash>();
        house.again =
                (id, record) -> {
                    shown.add(id);
                    // Those that are found most are of no more use.
                    return id.low() < 1_000 ? null : LogHouse.UNCHANGED.again(id, record);
                };
        house.reopen();
        int i = 0;
        while (house.log.stats().evicted() == 0) {
            house.put(i);
            house.version(i);
            if (i < 1_000) {
                house.version(i);
            }
            i++;
        }

        long share = 2 * MIB * 3 / 10 / FrameHeader.frameBytes(1000);
        assertThat(house.log.stats().reinserted()).isBetween(share - 1, share);
        assertThat(shown).doesNotHaveDuplicates();
    }

    /** The process ends, and shall not read the rest of a segment before. */
    @Test
    void evictionUnderWayWritesNoMoreRecordsAgain() throws IOException {
        var log = new AtomicReference<@Nullable SegmentLog>();
        house.again =
                (id, record) -> {
                    requireNonNull(log.get()).writeAgain(false);
                    return new RecordLog.Reinserted(Long.MAX_VALUE, record.retain());
                };
        house.reopen();
        log.set(house.log);
        for (int i = 0; house.log.stats().evicted() == 0; i++) {
            house.put(i);
            house.version(i);
        }

        assertThat(house.log.stats().reinserted()).isEqualTo(1);
    }

    @Test
    void atMostThreeTenthsOfASegmentAreWrittenAgain() {
        int i = 0;
        while (house.log.stats().evicted() < 10) {
            house.put(i);
            house.version(i++);
        }

        var stats = house.log.stats();
        long share = 2 * MIB * 3 / 10 / FrameHeader.frameBytes(1000);
        assertThat(stats.reinserted()).isBetween(9 * share, 10 * share);
    }

    @Test
    void mostFoundRecordsAreWrittenAgain() {
        // Half a segment is found once, the quarter behind it twice.
        int i = 0;
        while (house.log.stats().evicted() == 0) {
            house.put(i);
            for (int times = 0; times < (i < 1_000 ? 1 : i < 1_500 ? 2 : 0); times++) {
                house.version(i);
            }
            i++;
        }

        assertThat(IntStream.range(1_000, 1_500)).allMatch(n -> house.log.has(LogHouse.id(n)));
        assertThat(IntStream.range(0, 1_000).filter(n -> house.log.has(LogHouse.id(n))).count())
                .isBetween(50L, 250L);
    }

    /** The responses of the first 200 records are in memory. */
    private static class InMemory implements RecordLog.Reinsertion {
        private final List<Long> untilMillis = new ArrayList<>();

        @Override
        public RecordLog.Reinserted again(RecordHash id, ByteBuf record) {
            return new RecordLog.Reinserted(Long.MAX_VALUE, record.retain());
        }

        @Override
        public void forEachInMemory(
                long until, BooleanSupplier isWanted, Consumer<RecordHash> each) {
            untilMillis.add(until);
            LongStream.range(0, 200).mapToObj(LogHouse::id).forEach(each);
            each.accept(LogHouse.id(-1));
        }
    }

    @Test
    void recordsOfResponsesInMemoryAreWrittenAgainAfterThoseFoundMore() throws IOException {
        var memory = new InMemory();
        house.again = memory;
        house.reopen();
        int i = 0;
        int ofFirst = 0;
        while (house.log.stats().evicted() == 0) {
            house.put(i);
            for (int times = 0; times < (i >= 400 && i < 800 ? 2 : 0); times++) {
                house.version(i);
            }
            if (house.log.stats().segments() == 1) {
                ofFirst = i;
                house.clock.pass(Duration.ofMillis(1));
            }
            i++;
        }

        assertThat(memory.untilMillis).containsExactly(LogHouse.NOON.toEpochMilli() + ofFirst + 1);
        assertThat(IntStream.range(400, 800)).allMatch(n -> house.log.has(LogHouse.id(n)));
        assertThat(IntStream.range(0, 200).filter(n -> house.log.has(LogHouse.id(n))).count())
                .isBetween(50L, 200L);
        assertThat(IntStream.range(200, 400)).noneMatch(n -> house.log.has(LogHouse.id(n)));
    }

    @Test
    void aRecordOfAnEighthOfTheSizeIsStored() throws IOException {
        house.close();
        house.sizeBytes = 128 * MIB;
        house.log = house.open();
        int longest = (int) house.log.maxRecordBytes();
        assertThat(longest).isBetween(16 * MIB - 1000, 16 * MIB);

        for (int i = 0; i < 400; i++) {
            assertThat(house.put(2L * i, 1, 100_000)).isTrue();
            if (i % 40 == 39) {
                assertThat(house.put(2L * i + 1, 1, longest)).isTrue();
                assertThat(house.version(2 * i + 1)).isEqualTo(1);
            }
            assertThat(fileBytes()).isLessThanOrEqualTo(house.sizeBytes);
        }

        assertThat(house.log.stats().evicted()).isPositive();
        assertThat(house.put(1, 2, longest + 1)).isFalse();
        house.reopen();
        assertThat(house.version(799)).isEqualTo(1);
        assertThat(house.version(798)).isEqualTo(1);
    }

    @Test
    void aFullLogUsesItsSize() throws IOException {
        house.close();
        house.sizeBytes = 128 * MIB;
        house.log = house.open();
        int i = 0;
        while (house.log.stats().evicted() < 3) {
            house.append(i++, 1, 50_000);
        }

        assertThat(house.log.stats().bytes()).isGreaterThan(house.sizeBytes * 93 / 100);
    }

    @Test
    void expiredRecordsAreNotWrittenAgain() throws IOException {
        expire(0);
        house.reopen();
        assertThat(house.version(0)).isEqualTo(1);

        evictOne();

        assertThat(house.log.has(LogHouse.id(0))).isFalse();
        assertThat(house.log.stats().reinserted()).isZero();
    }

    /** Appends a record that expires. */
    private void expire(long number) {
        long soon = LogHouse.NOON.plusSeconds(10).toEpochMilli();
        house.log.append(LogHouse.id(number), 1, soon, LogHouse.record(number, 1, 100));
        house.clock.pass(Duration.ofSeconds(11));
    }

    /** Those that were not would need removals of all ids until their segment is evicted. */
    @Test
    void expiredRecordsAreInTheIndexAfterARestart() throws IOException {
        expire(0);

        house.reopen();

        assertThat(house.log.has(LogHouse.id(0))).isTrue();
        assertThat(house.log.mayHaveOthers()).isFalse();
        assertThat(isRemovalWritten(1)).isFalse();
        assertThat(isRemovalWritten(0)).isTrue();
        house.clock.pass(Duration.ofSeconds(-11));
        house.reopen();
        assertThat(house.version(0)).isNull();
    }

    private boolean isRemovalWritten(long number) {
        long before = house.log.stats().bytes();
        house.log.remove(LogHouse.id(number));
        house.log.flush();
        return house.log.stats().bytes() > before;
    }

    @Test
    void aFullIndexEvictsTheOldestSegment() throws IOException {
        int records = 150_000;
        for (int i = 0; i < records; i++) {
            assertThat(house.put(i, 1, 24)).isTrue();
        }

        var stats = house.log.stats();
        assertThat(stats.indexBytes()).isEqualTo(IndexTable.MIN_BYTES);
        assertThat(stats.objects()).isBetween(20_000L, 65_536L);
        assertThat(house.version(records - 1)).isEqualTo(1);
        assertThat(house.version(0)).isNull();
        house.reopen();
        assertThat(house.version(records - 1)).isEqualTo(1);
        assertThat(house.log.stats().objects()).isPositive();
    }

    @Test
    void aRecordIsReadWhileTheOldestFileIsDeletedForTheIndex() throws Exception {
        var appended = new AtomicInteger();

        boolean isRead =
                isReadDuringADeletion(
                        () -> {
                            while (house.log.stats().evicted() == 0) {
                                house.append(appended.get(), 1, 24);
                                appended.incrementAndGet();
                            }
                        },
                        () -> appended.get() - 1);

        assertThat(isRead).isTrue();
    }

    /**
     * Whether a record can be read while {@code evicting} deletes a file, which takes long.
     *
     * @param id of the record, called once the file is being deleted
     */
    private boolean isReadDuringADeletion(Runnable evicting, LongSupplier id) throws Exception {
        var goOn = new CountDownLatch(1);
        house.access.deleting = goOn;
        var writer = Thread.ofPlatform().daemon().start(evicting);
        try {
            house.access.awaitDeletion();
            long number = id.getAsLong();
            return CompletableFuture.supplyAsync(
                            () -> Integer.valueOf(1).equals(house.version(number)))
                    .get(5, TimeUnit.SECONDS);
        } finally {
            goOn.countDown();
            writer.join();
        }
    }

    @Test
    void anIndexThatIsTooSmallForTheFilesKeepsTheNewest() throws IOException {
        house.indexBytes = 8 * IndexTable.MIN_BYTES;
        house.reopen();
        for (int i = 0; i < 80_000; i++) {
            house.put(i, 1, 24);
        }

        house.indexBytes = IndexTable.MIN_BYTES;
        house.reopen();

        assertThat(house.version(79_999)).isEqualTo(1);
        assertThat(house.version(0)).isNull();
        assertThat(house.log.stats().objects()).isBetween(10_000L, 65_536L);
    }

    @Test
    void filesOfAnotherTierAreDeleted() throws IOException {
        house.put(1);
        house.tier = new UUID(9, 9);

        house.reopen();

        assertThat(house.version(1)).isNull();
        assertThat(house.log.stats().segments()).isZero();
    }

    @Test
    void filesOfAnotherVersionAreDeletedAndOthersAreNotTouched() throws IOException {
        house.put(1);
        house.log.close();
        var format = house.path.resolve("format");
        var bytes = Files.readAllBytes(format);
        bytes[11]++;
        Files.write(format, bytes);
        var foreign = new ArrayList<Path>();
        for (var name : new String[] {"000001.seg.bak", "1.seg", "0000009.seg", "notes", "x.idx"}) {
            foreign.add(Files.writeString(house.path.resolve(name), "mine"));
        }
        foreign.add(Files.createDirectory(house.path.resolve("000077.seg")));

        house.log = house.open();

        assertThat(house.version(1)).isNull();
        assertThat(house.path.resolve("000001.seg")).doesNotExist();
        assertThat(foreign).allSatisfy(file -> assertThat(file).exists());
        house.put(2);
        house.log.drop();
        house.reopen();
        assertThat(foreign).allSatisfy(file -> assertThat(file).exists());
    }

    @Test
    void filesAheadOfTheInvalidationsAreDeleted() throws IOException {
        house.put(1);
        house.position.set(99);

        house.reopen();

        assertThat(house.version(1)).isNull();
        assertThat(house.log.stats().segments()).isZero();
    }

    @Test
    void aRecordAheadOfTheInvalidationsIsASignOfLostOnes() throws IOException {
        house.put(1);
        house.log.seal();
        house.position.set(101);
        house.put(2);
        house.position.set(102);
        house.put(3);
        house.position.set(101);

        house.reopen();

        assertThat(house.version(1)).isNull();
        assertThat(house.version(3)).isNull();
        assertThat(house.log.emptied()).isEqualTo("its files are newer than its journal");
        house.put(4);
        house.reopen();
        assertThat(house.version(4)).isEqualTo(1);
        assertThat(house.log.emptied()).isNull();
    }

    /** A later process may not know the numbers behind the durable ones. */
    @Test
    void aPositionThatIsNotDurableCountsAsTheLastDurableOne() throws IOException {
        house.log.append(LogHouse.id(1), 150, LogHouse.LATER, LogHouse.record(1, 1, 100));

        assertThat(house.log.oldestPosition()).isEqualTo(100);
        house.reopen();
        assertThat(house.version(1)).isEqualTo(1);
        assertThat(house.log.oldestPosition()).isEqualTo(100);
    }

    @Test
    void theOldestPositionIsThatOfTheOldestRecordInTheFiles() throws IOException {
        assertThat(house.log.oldestPosition()).isEqualTo(Long.MAX_VALUE);
        house.position.set(1_000);
        house.log.remove(LogHouse.id(1));
        assertThat(house.log.oldestPosition()).isEqualTo(Long.MAX_VALUE);
        long[] positions = {500, 300, 400};
        for (long position : positions) {
            house.log.append(
                    LogHouse.id(position),
                    position,
                    LogHouse.LATER,
                    LogHouse.record(position, 1, 100));
            house.log.seal();
        }

        assertThat(house.log.oldestPosition()).isEqualTo(300);
        house.reopen();
        assertThat(house.log.oldestPosition()).isEqualTo(300);
        for (int i = 1_000; house.log.has(LogHouse.id(300)); i++) {
            house.put(i, 1, 100_000);
        }
        assertThat(house.log.oldestPosition()).isBetween(300L, 1_000L);
        house.log.drop();
        assertThat(house.log.oldestPosition()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aDroppedLogIsEmptyAndUsable() throws IOException {
        house.put(1);
        house.log.seal();
        house.put(2);

        house.log.drop();

        assertThat(house.version(1)).isNull();
        assertThat(house.log.stats().bytes()).isZero();
        house.put(3);
        house.reopen();
        assertThat(house.version(2)).isNull();
        assertThat(house.version(3)).isEqualTo(1);
    }

    @Test
    void aShortSegmentIsContinuedAfterARestart() throws IOException {
        for (int i = 0; i < 20; i++) {
            house.put(i);
            house.reopen();
        }

        assertThat(house.log.stats().segments()).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            assertThat(house.version(i)).isEqualTo(1);
        }
    }

    @Test
    void aReaderKeepsARecordOfAnEvictedSegment() {
        house.put(0);
        var found = requireNonNull(house.log.retained(LogHouse.id(0)));

        house.log.drop();

        var record = requireNonNull(house.log.read(found));
        assertThat(record).isEqualTo(LogHouse.record(0, 1, 1000));
        record.release();
        found.release();
    }
}
