package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationState.Numbered;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class JournalTest {
    private static final UUID TIER = new UUID(1, 2);
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "news.example", "/");

    private static final JournalFiles.Sync REAL = (file, metadata) -> file.force(metadata);

    @TempDir private Path directory;

    private final Time time = Time.system();
    private final Invalidations invalidations = Invalidations.empty(time::now);

    @Test
    void manyEntriesShareASync() throws Exception {
        int entries = 10_000;
        try (var journal = begin(REAL, TierHouse.PATIENT);
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<Future<Durability>>();
            for (int i = 0; i < entries; i++) {
                var group = Set.of("group-" + i);
                results.add(
                        callers.submit(() -> {
                            invalidations.invalidateGroups(URL, group);
                            return journal.sync().toCompletableFuture().join();
                        }));
            }

            for (var result : results) {
                assertThat(result.get()).isEqualTo(Durability.DURABLE);
            }
            assertThat(journal.commits()).isLessThan(entries / 4);
        }
        var read = read();
        assertThat(read).extracting(Numbered::number).doesNotHaveDuplicates().hasSize(entries);
    }

    @Test
    void entriesForWhichNobodyWaitsAreGathered() throws Exception {
        var journal = begin(REAL, TierHouse.PATIENT);

        for (int i = 0; i < 1_000; i++) {
            invalidations.invalidateGroups(URL, Set.of("group-" + i));
        }
        journal.close();

        assertThat(read()).hasSize(1_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void diskThatHangsOrFailsIsReportedInTimeAndHoldsNothingUp(boolean isHanging) throws Exception {
        var isBad = new AtomicInteger();
        var end = new CountDownLatch(1);
        JournalFiles.Sync sync =
                (file, metadata) -> {
                    if (isBad.get() == 1) {
                        if (!isHanging) {
                            throw new IOException("no space left");
                        }
                        await(end);
                    }
                    REAL.force(file, metadata);
                };
        var journal = begin(sync, InvalidationJournal.PATIENCE);
        isBad.set(1);
        invalidations.invalidateGroups(URL, Set.of("lost"));
        var failure = journal.failure().toCompletableFuture();
        long before = System.nanoTime();

        var first = journal.sync().toCompletableFuture();
        // The lock of the invalidations is free meanwhile.
        for (int i = 0; i < 1_000; i++) {
            invalidations.invalidateGroups(URL, Set.of("later"));
        }
        long entered = System.nanoTime() - before;
        assertThat(first.get()).isEqualTo(Durability.NOT_DURABLE);
        long reported = System.nanoTime() - before;

        assertThat(Duration.ofNanos(entered)).isLessThan(Duration.ofSeconds(4));
        assertThat(Duration.ofNanos(reported))
                .isLessThan(InvalidationJournal.PATIENCE.caller().plus(Duration.ofSeconds(2)));
        assertThat(failure.get(10, TimeUnit.SECONDS))
                .contains(isHanging ? "not completed a sync for 5000 ms" : "no space left");
        assertThat(journal.sync().toCompletableFuture().get()).isEqualTo(Durability.NOT_DURABLE);
        journal.close();
        end.countDown();
    }

    @Test
    void slowDiskIsWaitedForWhileEachSyncIsInTime() throws Exception {
        int syncMillis = 400;
        var isSlow = new AtomicInteger();
        JournalFiles.Sync sync =
                (file, metadata) -> {
                    if (isSlow.get() == 1) {
                        await(new CountDownLatch(1), syncMillis);
                    }
                    REAL.force(file, metadata);
                };
        // Longer than each sync, shorter than the two of an entry.
        var patience = Duration.ofMillis(700);
        try (var journal =
                begin(sync, new InvalidationJournal.Patience(Duration.ofMillis(1), patience))) {
            isSlow.set(1);
            for (int i = 0; i < 3; i++) {
                invalidations.invalidateGroups(URL, Set.of("group-" + i));

                assertThat(journal.sync().toCompletableFuture().get())
                        .isEqualTo(Durability.NOT_DURABLE);
                assertThat(journal.settled(TierHouse.PATIENCE).toCompletableFuture().get())
                        .isEqualTo(Durability.DURABLE);
            }
            assertThat(journal.wasSlow()).isTrue();
            assertThat(journal.wasSlow()).isFalse();
            assertThat(journal.failure().toCompletableFuture()).isNotDone();
        }
        assertThat(read()).hasSize(3);
    }

    @Test
    void errorOfTheJvmIsAFailure() throws Exception {
        var isBad = new AtomicInteger();
        try (var journal =
                begin(
                        (file, metadata) -> {
                            if (isBad.get() == 1) {
                                throw new OutOfMemoryError("for the test");
                            }
                            REAL.force(file, metadata);
                        },
                        TierHouse.PATIENT)) {
            isBad.set(1);
            invalidations.invalidateGroups(URL, Set.of("lost"));

            assertThat(journal.failure().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isEqualTo("it cannot be written: for the test");
            assertThat(journal.sync().toCompletableFuture().get())
                    .isEqualTo(Durability.NOT_DURABLE);
        }
    }

    @Test
    void presentFileGoesOnAfterAnErrorOfTheJvmInACompaction() throws Exception {
        var errors = new AtomicInteger();
        try (var journal =
                begin(
                        (file, metadata) -> {
                            if (errors.getAndDecrement() > 0) {
                                throw new InternalError("for the test");
                            }
                            REAL.force(file, metadata);
                        },
                        TierHouse.PATIENT)) {
            errors.set(1);
            assertThat(journal.compact().toCompletableFuture().get(10, TimeUnit.SECONDS)).isFalse();

            invalidations.ban(Bans.tag("kept"));
            assertThat(journal.compact().toCompletableFuture().get(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(continued().bans()).hasSize(1);
    }

    @Test
    void pauseOfTheProcessIsNoFailureOfTheDisk() throws Exception {
        try (var process =
                new ChildJvm(SlowJournalChild.class, directory.toString(), TIER.toString())) {
            assertThat(process.line()).isEqualTo("syncs");
            process.pause(true);
            await(new CountDownLatch(1), 2 * (int) SlowJournalChild.LONGEST_HANG.toMillis());
            process.pause(false);

            assertThat(process.line()).isEqualTo("DURABLE");
        }
        assertThat(read()).hasSize(1);
    }

    @Test
    void entriesOfASlowDiskAreStoredWhenItIsClosed() throws Exception {
        var isSlow = new AtomicInteger();
        var journal =
                begin(
                        (file, metadata) -> {
                            if (isSlow.get() == 1) {
                                await(new CountDownLatch(1), 300);
                            }
                            REAL.force(file, metadata);
                        },
                        InvalidationJournal.PATIENCE);
        isSlow.set(1);
        invalidations.invalidateGroups(URL, Set.of("g"));

        journal.close();

        assertThat(read()).hasSize(1);
    }

    @Test
    void diskThatFallsBehindIsAFailureEvenIfNobodyWaits() throws Exception {
        var end = new CountDownLatch(1);
        var isBad = new AtomicInteger();
        var journal =
                begin(
                        (file, metadata) -> {
                            if (isBad.get() == 1) {
                                await(end);
                            }
                        },
                        TierHouse.PATIENT);
        isBad.set(1);

        var failure = journal.failure().toCompletableFuture();
        for (int i = 0; i < 3 * InvalidationJournal.MAX_WAITING && !failure.isDone(); i++) {
            invalidations.invalidateGroups(URL, Set.of("g"));
        }

        assertThat(failure).isCompletedWithValueMatching(reason -> reason.contains("too slow"));
        end.countDown();
        journal.close();
    }

    @Test
    void journalThatCannotBeginIsAnErrorAndLogsNothing() {
        assertThatThrownBy(() ->
                        begin(
                                (file, metadata) -> {
                                    throw new IOException("no space left");
                                },
                                TierHouse.PATIENT))
                .isInstanceOf(IOException.class);

        invalidations.invalidateGroups(URL, Set.of("g"));
        assertThat(InvalidationJournal.read(directory, TIER, time))
                .isEqualTo(new JournalReading.Unusable(JournalLoss.MISSING));
    }

    @Test
    void compactionWhileEntriesArriveLosesNone() throws Exception {
        int rounds = 200;
        int each = 50;
        try (var journal = begin(REAL, TierHouse.PATIENT)) {
            int compactions = 0;
            for (int i = 0; i < rounds; i++) {
                var compacted =
                        i % 10 == 0
                                ? journal.compact().toCompletableFuture()
                                : CompletableFuture.completedFuture(false);
                for (int k = 0; k < each; k++) {
                    invalidations.ban(Bans.tag("tag-" + (i * each + k) % 5_000));
                }
                compactions += compacted.get(60, TimeUnit.SECONDS) ? 1 : 0;
            }
            assertThat(compactions).isEqualTo(rounds / 10);
            assertThat(journal.sync().toCompletableFuture().get()).isEqualTo(Durability.DURABLE);
        }

        var expected = invalidations.bans().stream().map(ban -> ban.number()).toList();
        var again = continued();
        assertThat(again.bans().stream().map(ban -> ban.number()).toList()).isEqualTo(expected);
    }

    @Test
    void compactionWhileNotesArriveLosesNone() throws Exception {
        int rounds = 100;
        int each = 50;
        var notes = invalidations.notes();
        try (var journal = begin(REAL, TierHouse.PATIENT)) {
            notes.passTo(journal::note);
            notes.begin(new LogNote.Begun(7, 1, 0), Set.of());
            notes.settle();
            for (int i = 0; i < rounds; i++) {
                var compacted =
                        i % 5 == 0
                                ? journal.compact().toCompletableFuture()
                                : CompletableFuture.completedFuture(false);
                for (int k = 0; k < each; k++) {
                    long number = 1L + (long) i * each + k;
                    var numbers = new long[] {number};
                    long id = number << 20;
                    notes.add(new LogNote.Made(new LogState.Own(number, 0, numbers, new byte[9])));
                    var place = new LogState.Place(id, number);
                    // The last ones of each round wait.
                    if (k < each - 3) {
                        var own = List.of(new LogNote.OwnId(number, id));
                        notes.add(new LogNote.Read(7, 1, id, List.of(place), own));
                    }
                }
                assertThat(compacted.get(60, TimeUnit.SECONDS)).isEqualTo(i % 5 == 0);
            }
            assertThat(journal.sync().toCompletableFuture().get()).isEqualTo(Durability.DURABLE);
        }

        var state = requireNonNull(notes.state());
        assertThat(state.places()).hasSize(rounds * (each - 3));
        assertThat(state.own()).hasSize(rounds * each);
        assertThat(usable().state().log()).isEqualTo(state);
        assertThat(continued().notes().state()).isEqualTo(state);
    }

    @Test
    void epochIsNotedOnceItIsSettled() throws Exception {
        var notes = invalidations.notes();
        var pending = new LogState.Own(1, 0, new long[] {1}, new byte[] {1});
        try (var journal = begin(REAL, TierHouse.PATIENT)) {
            notes.passTo(journal::note);
            notes.begin(new LogNote.Begun(7, 10, 0), Set.of());
            notes.settle();
            notes.add(new LogNote.Read(7, 10, 20, List.of(new LogState.Place(20, 5)), List.of()));
            var former = requireNonNull(notes.state());
            notes.begin(new LogNote.Begun(8, 30, 29), Set.of());
            notes.add(new LogNote.Made(pending));
            notes.add(new LogNote.Read(8, 30, 40, List.of(new LogState.Place(40, 6)), List.of()));
            journal.sync().toCompletableFuture().get();

            assertThat(usable().state().log())
                    .isEqualTo(new LogState(7, 10, 20, former.places(), List.of(pending)));
            assertThat(journal.compact().toCompletableFuture().get()).isTrue();
            assertThat(usable().state().log()).isEqualTo(notes.state());

            notes.settle();
            journal.sync().toCompletableFuture().get();
            assertThat(usable().state().log())
                    .isEqualTo(
                            new LogState(
                                    8,
                                    30,
                                    40,
                                    List.of(new LogState.Place(40, 6)),
                                    List.of(pending)))
                    .isEqualTo(notes.state());
        }
    }

    @Test
    void journalIsCompactedAtItsLimit() throws Exception {
        try (var journal = begin(REAL, TierHouse.PATIENT)) {
            var same = Set.of("g".repeat(1_000));
            long most = 0;
            for (int i = 0; i < 40; i++) {
                for (int k = 0; k < 1_000; k++) {
                    invalidations.invalidateGroups(URL, same);
                }
                assertThat(journal.sync().toCompletableFuture().get())
                        .isEqualTo(Durability.DURABLE);
                most = Math.max(most, journal.bytes());
            }
            // 40 MB of entries, all on one name.
            assertThat(most).isLessThan(4 * InvalidationJournal.COMPACT_BYTES);
        }
        assertThat(usable().state().positions()).hasSize(1);
    }

    /** The files as a failure of power may leave them. */
    @Test
    void filesThatEndInTheMiddleAreUnusable() throws Exception {
        try (var journal = begin(REAL, TierHouse.PATIENT)) {
            invalidations.ban(Bans.tag("tag"));
            journal.sync().toCompletableFuture().get();
        }
        var log = directory.resolve("journal.log");
        var whole = Files.readAllBytes(log);
        var end = directory.resolve("journal.end");
        var wholeEnd = Files.readAllBytes(end);
        assertThat(whole).hasSize((int) InvalidationJournal.COMPACT_BYTES);
        assertThat(read()).hasSize(1);

        Files.write(log, Arrays.copyOf(whole, 100));
        assertThat(InvalidationJournal.read(directory, TIER, time))
                .isEqualTo(new JournalReading.Unusable(JournalLoss.SHORTER));
        Files.write(log, whole);
        Files.write(end, new byte[0]);
        assertThat(InvalidationJournal.read(directory, TIER, time))
                .isEqualTo(new JournalReading.Unusable(JournalLoss.NO_END));
        Files.delete(end);
        assertThat(InvalidationJournal.read(directory, TIER, time))
                .isEqualTo(new JournalReading.Unusable(JournalLoss.MISSING));
        Files.write(end, wholeEnd);
        assertThat(read()).hasSize(1);
    }

    /** Each time it is killed while it adds further entries. */
    @Test
    void entryThatWasReportedAsDurableOutlivesAKilledProcessWithItsNote() throws Exception {
        for (int i = 0; i < 20; i++) {
            var home = Files.createDirectory(directory.resolve("run-" + i));
            String reported;
            try (var process = new ChildJvm(JournalChild.class, home.toString(), TIER.toString())) {
                reported = process.line();
            }

            assertThat(reported).matches("\\d+");
            var read = InvalidationJournal.read(home, TIER, time);
            assertThat(read).isInstanceOf(JournalReading.Usable.class);
            var numbers =
                    ((JournalReading.Usable) read)
                            .state().entries().stream().map(Numbered::number).toList();
            var log = requireNonNull(((JournalReading.Usable) read).state().log());
            var noted = log.own().stream().map(LogState.Own::number).toList();
            for (long number = 1; number <= Long.parseLong(reported); number++) {
                assertThat(numbers).contains(number);
                assertThat(noted).contains(number);
            }
        }
    }

    private InvalidationJournal begin(JournalFiles.Sync sync, InvalidationJournal.Patience patience)
            throws IOException {
        return InvalidationJournal.begin(
                new JournalFiles(directory, TIER, sync), 0, invalidations, () -> 0, time, patience);
    }

    private List<Numbered> read() {
        return usable().state().entries();
    }

    private Invalidations continued() {
        var all = Invalidations.empty(time::now);
        all.resume(usable().state());
        return all;
    }

    private JournalReading.Usable usable() {
        var read = InvalidationJournal.read(directory, TIER, time);
        assertThat(read).isInstanceOf(JournalReading.Usable.class);
        return (JournalReading.Usable) read;
    }

    private static void await(CountDownLatch end) {
        await(end, Integer.MAX_VALUE);
    }

    private static void await(CountDownLatch end, int millis) {
        try {
            end.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
