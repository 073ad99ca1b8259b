package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DiskTierTest {
    private static final int KILLS = 8;

    @TempDir Path temporary;

    private TierHouse house;

    @BeforeEach
    void open() throws IOException {
        house = new TierHouse(temporary.resolve("deep/tier"));
    }

    @AfterEach
    void close() {
        house.close();
    }

    @Test
    void theNextProcessHasTheRecordsAndTheInvalidations() throws Exception {
        for (int restarts = 0; restarts < 3; restarts++) {
            house.put(restarts);
            assertThat(house.ban("tag-" + restarts)).isEqualTo(Durability.DURABLE);

            house.restart();

            assertThat(house.tier.emptied()).isEmpty();
            for (int i = 0; i <= restarts; i++) {
                assertThat(house.has(i)).isTrue();
                assertThat(house.bans()).contains("tag-" + i);
            }
        }
        var stats = house.tier.stats();
        assertThat(stats.log().objects()).isEqualTo(3);
        assertThat(stats.journalBytes()).isPositive();
        assertThat(stats.journalCommits()).isZero();
    }

    @Test
    void theInvalidationsAreThereBeforeTheRecords() throws Exception {
        house.put(1);
        house.ban("tag");
        house.tier.close();

        house.openWithoutLoading();

        assertThat(house.bans()).containsExactly("tag");
        assertThat(house.tier.stats().log()).isEqualTo(LogStats.NONE);
        house.ban("other");
        house.log = house.tier.load();
        assertThat(house.has(1)).isTrue();
    }

    @Test
    void aKilledProcessLosesNothing() throws Exception {
        house.put(1);
        house.ban("tag");

        try (var next = new TierHouse(house.copy(temporary.resolve("copy")))) {
            assertThat(next.tier.emptied()).isEmpty();
            assertThat(next.has(1)).isTrue();
            assertThat(next.bans()).containsExactly("tag");
        }
    }

    @Test
    void aProcessThatIsKilledAtAnyMomentLosesNothing() throws Exception {
        var random = new Random(5);
        var path = temporary.resolve("killed");
        long next = 1;
        for (int i = 0; i < KILLS; i++) {
            long reported = 0;
            try (var process = new ChildJvm(TierChild.class, path.toString(), "" + next)) {
                for (int lines = random.nextInt(200); lines >= 0; lines--) {
                    reported = Long.parseLong(process.line());
                }
            }

            try (var after = new TierHouse(path)) {
                assertThat(after.tier.emptied()).isEmpty();
                var bans = after.bans();
                for (long number = 1; number <= reported; number++) {
                    assertThat(after.has(number)).isTrue();
                    assertThat(bans).contains("tag-" + number);
                }
            }
            // Records that were not reported may be there, and are replaced.
            next = reported + 1;
        }
    }

    /** The files as damage or operators may leave them. */
    enum Damage {
        NO_FORMAT("the process before could not complete its files"),
        DAMAGED_FORMAT("its file \"format\" is damaged"),
        SHORT_FORMAT("its file \"format\" is damaged"),
        NEWER_FORMAT("another version of Quire wrote its files"),
        NO_JOURNAL("its journal of invalidations is missing"),
        NO_END("its journal of invalidations is missing"),
        EMPTY_END("the end of its journal of invalidations is not known"),
        LONG_END("the end of its journal of invalidations is not known"),
        SHORT_JOURNAL("its journal of invalidations has lost its end"),
        EMPTY_JOURNAL("its journal of invalidations has lost its end"),
        DAMAGED_JOURNAL("its journal of invalidations is damaged"),
        NEWER_JOURNAL("another version of Quire wrote its journal of invalidations"),
        FOREIGN_JOURNAL("its journal of invalidations is of another disk tier"),
        OLDER_JOURNAL("its files are newer than its journal"),
        FOREIGN_SEGMENT("its files are of another disk tier"),
        NEWER_SEGMENT("another version of Quire wrote its files");

        private final String words;

        Damage(String words) {
            this.words = words;
        }
    }

    private void damage(Damage damage) throws IOException {
        var format = house.format();
        var log = house.path.resolve("journal.log");
        var end = house.path.resolve("journal.end");
        var segment = house.path.resolve("000001.seg");
        var other = temporary.resolve("other");
        switch (damage) {
            case NO_FORMAT -> Files.delete(format);
            case DAMAGED_FORMAT -> flip(format, 20);
            case SHORT_FORMAT -> cut(format, 31);
            case NEWER_FORMAT -> newer(format, 8, 28);
            case NO_JOURNAL -> Files.delete(log);
            case NO_END -> Files.delete(end);
            case EMPTY_END -> cut(end, 0);
            case LONG_END -> Files.write(end, Arrays.copyOf(Files.readAllBytes(end), 20_000));
            case SHORT_JOURNAL -> cut(log, 100);
            case EMPTY_JOURNAL -> cut(log, 0);
            case DAMAGED_JOURNAL -> flip(log, JournalFormat.HEADER_BYTES + 20);
            case NEWER_JOURNAL -> newer(log, 4, 32);
            case FOREIGN_JOURNAL -> {
                copyFrom(other, "journal.log");
                copyFrom(other, "journal.end");
            }
            case OLDER_JOURNAL -> {
                copyFrom(temporary.resolve("before"), "journal.log");
                copyFrom(temporary.resolve("before"), "journal.end");
            }
            case FOREIGN_SEGMENT -> {
                copyFrom(other, "000001.seg");
                copyFrom(other, "000001.idx");
            }
            case NEWER_SEGMENT -> {
                var bytes = Files.readAllBytes(segment);
                var header = requireNonNull(SegmentHeader.read(ByteBuffer.wrap(bytes), 1));
                var newer =
                        new SegmentHeader(
                                LogDirectory.VERSION + 1, header.tier(), header.position(), 0);
                newer.toBytes(1).get(bytes, 0, SegmentHeader.BYTES);
                Files.write(segment, bytes);
            }
        }
    }

    private static void flip(Path file, int at) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private static void cut(Path file, int length) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
    }

    /** Increments the version in a header that has its checksum at {@code checkAt}. */
    private static void newer(Path file, int at, int checkAt) throws IOException {
        var bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        bytes.putInt(at, bytes.getInt(at) + 1);
        var check = new CRC32C();
        check.update(bytes.slice(0, checkAt));
        bytes.putInt(checkAt, (int) check.getValue());
        Files.write(file, bytes.array());
    }

    private void copyFrom(Path directory, String name) throws IOException {
        Files.copy(
                directory.resolve(name),
                house.path.resolve(name),
                StandardCopyOption.REPLACE_EXISTING);
    }

    @ParameterizedTest
    @EnumSource
    void filesThatMayHaveLostInvalidationsAreNotUsed(Damage damage) throws Exception {
        house.ban("before");
        house.copy(temporary.resolve("before"));
        house.ban("tag");
        house.put(1);
        house.tier.close();
        try (var other = new TierHouse(temporary.resolve("other"))) {
            other.put(7);
        }
        damage(damage);

        house.open();

        assertThat(house.tier.emptied()).contains(damage.words);
        assertThat(house.has(1)).isFalse();
        assertThat(house.has(7)).isFalse();
        assertThat(house.tier.stats().log().objects()).isZero();
        // The tier is in use again.
        house.ban("next");
        house.put(2);
        for (int i = 0; i < 2; i++) {
            house.restart();
            assertThat(house.tier.emptied()).isEmpty();
            assertThat(house.has(2)).isTrue();
            assertThat(house.has(1)).isFalse();
            assertThat(house.bans()).contains("next");
        }
    }

    @Test
    void anEmptyDirectoryIsNotReported() throws IOException {
        assertThat(house.tier.emptied()).isEmpty();
        house.tier.close();
        Files.delete(house.format());

        house.open();

        assertThat(house.tier.emptied()).isEmpty();
    }

    @Test
    void aDirectoryIsUsedByOneTierOnly() throws Exception {
        house.put(1);

        assertThatThrownBy(() -> new TierHouse(house.path))
                .isInstanceOf(IOException.class)
                .hasMessage(house.path + ": another disk tier of this process uses it");
        try (var process = new ChildJvm(TierChild.class, house.path.toString(), "1")) {
            assertThat(process.line()).isEqualTo(house.path + ": another process uses it");
        }

        assertThat(house.has(1)).isTrue();
        house.ban("tag");
        house.tier.close();
        try (var process = new ChildJvm(TierChild.class, house.path.toString(), "2")) {
            assertThat(process.line()).isEqualTo("2");
            assertThatThrownBy(house::open).hasMessageEndingWith(": another process uses it");
        }
        house.open();
        assertThat(house.has(1)).isTrue();
        assertThat(house.has(2)).isTrue();
        assertThat(house.bans()).contains("tag", "tag-2");
    }

    @Test
    void aPathThatIsNotADirectoryIsAnErrorWithItsName() throws IOException {
        var file = Files.createFile(temporary.resolve("file"));

        assertThatThrownBy(() -> new TierHouse(file)).hasMessage(file + ": not a directory");
        assertThatThrownBy(() -> new TierHouse(file.resolve("below")))
                .hasMessage(file + "/below: not a directory");
    }

    /** A process without the tier takes invalidations that the journal does not have. */
    @Test
    void aTierThatCannotBeOpenedIsNotUsedByLaterProcessesEither() throws Exception {
        house.put(1);
        house.tier.close();
        house.syncFailure = "Input/output error";

        assertThatThrownBy(house::openWithoutLoading)
                .isInstanceOf(IOException.class)
                .hasMessage(house.path + ": input/output error");

        house.syncFailure = null;
        // The format is deleted, but that may be undone by a loss of power.
        assertThat(house.ban("lost")).isEqualTo(Durability.NOT_DURABLE);
        house.open();
        assertThat(house.has(1)).isFalse();
        assertThat(house.tier.emptied()).isPresent();
    }

    @Test
    void aTierThatIsClosedIncompleteIsNotUsedByLaterProcesses() throws Exception {
        house.put(1);

        house.tier.closeIncomplete();

        house.open();
        assertThat(house.tier.emptied())
                .contains("the process before could not complete its files");
        assertThat(house.has(1)).isFalse();
        assertThat(house.put(2)).isTrue();
        house.restart();
        assertThat(house.has(2)).isTrue();
    }

    @Test
    void recordsThatCannotBeLoadedEndTheTier() throws Exception {
        house.put(1);
        house.tier.close();
        Files.delete(house.format());
        house.openWithoutLoading();
        house.access.deleteFailure = "Input/output error";
        house.access.writeFailure = "Input/output error";

        assertThatThrownBy(house.tier::load)
                .isInstanceOf(IOException.class)
                .hasMessage(house.path + ": input/output error");

        assertThat(house.tier.failure().toCompletableFuture()).isNotDone();
        house.access.deleteFailure = null;
        house.access.writeFailure = null;
        assertThat(house.tier.failure().toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo("the records cannot be loaded: input/output error");
        assertThat(house.ban("tag")).isEqualTo(Durability.DURABLE);
        house.restart();
        assertThat(house.has(1)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 3_600})
    void theWallClockMayBeSet(long seconds) throws Exception {
        house.put(1);
        house.log.append(
                LogHouse.id(2),
                0,
                LogHouse.NOON.plusSeconds(1_800).toEpochMilli(),
                LogHouse.record(2, 1, 100));
        house.ban("tag");

        house.wall = house.wall.plusSeconds(seconds);
        house.restart();

        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.has(1)).isTrue();
        // It is not used when it is read.
        assertThat(house.has(2)).isTrue();
        assertThat(house.bans()).containsExactly("tag");
        house.put(3);
        house.wall = LogHouse.NOON;
        house.restart();
        assertThat(house.has(1)).isTrue();
        assertThat(house.has(2)).isTrue();
        assertThat(house.has(3)).isTrue();
    }

    @Test
    void nothingIsForgottenThatMayCoverARecord() throws Exception {
        long[] positions = {1, 3, 5};
        for (long position : positions) {
            while (house.newest() < position) {
                house.ban("tag-" + house.newest());
            }
            house.put(position);
        }
        assertThat(oldest()).isEqualTo(1);
        house.log.remove(LogHouse.id(1));
        house.waiting = 0;
        assertThat(oldest()).isZero();
        house.waiting = Long.MAX_VALUE;
        house.tier.close();
        Files.delete(house.path.resolve("000001.idx"));

        house.openWithoutLoading();
        long before = oldest();
        house.log = house.tier.load();

        assertThat(before).isZero();
        assertThat(oldest()).isEqualTo(1);
        house.tier.drop();
        assertThat(oldest()).isEqualTo(5);
        house.restart();
        assertThat(oldest()).isEqualTo(5);
        assertThat(house.tier.emptied()).isEmpty();
    }

    private long oldest() {
        return house.invalidations.state().floor();
    }

    @Test
    void noteAfterTheEndHarmsNoSuccessor() throws IOException {
        var former = house.invalidations;
        var note = new LogNote.Made(new LogState.Own(1, 0, new long[] {1}, new byte[] {1}));
        former.notes().add(note);
        house.restart();

        for (int i = 0; i <= InvalidationJournal.MAX_WAITING; i++) {
            former.notes().add(note);
        }
        house.restart();

        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.invalidations.notes().state()).isEqualTo(former.notes().state());
    }

    @Test
    void aDroppedTierKeepsItsInvalidations() throws Exception {
        house.put(1);
        house.ban("tag");

        house.tier.drop();

        assertThat(house.has(1)).isFalse();
        house.put(2);
        house.restart();
        assertThat(house.has(1)).isFalse();
        assertThat(house.has(2)).isTrue();
        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.bans()).containsExactly("tag");
    }
}
