package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of the journal, while the proxy runs. */
@Timeout(120)
class DiskTierFailureTest {
    private static final String FULL = "No space left on device";

    @TempDir Path temporary;

    private TierHouse house;

    @BeforeEach
    void open() throws IOException {
        house = new TierHouse(temporary.resolve("tier"));
    }

    @AfterEach
    void close() {
        house.close();
    }

    private void reopen(InvalidationJournal.Patience patience) throws IOException {
        house.patience = patience;
        house.restart();
        house.put(1);
    }

    private String failure() throws Exception {
        return house.tier.failure().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private void nothingIsUsedAfterARestart() throws IOException {
        house.restart();
        assertThat(house.tier.emptied())
                .contains("the process before could not complete its files");
        assertThat(house.has(1)).isFalse();
        assertThat(house.tier.failure().toCompletableFuture()).isNotDone();
    }

    @Test
    void invalidationsAreDurableIfNoLaterProcessUsesTheFiles() throws Exception {
        house.put(1);
        house.syncFailure = FULL;
        house.isDirectoryFree = true;

        assertThat(house.ban("tag")).isEqualTo(Durability.DURABLE);

        assertThat(house.format()).doesNotExist();
        assertThat(failure())
                .isEqualTo(
                        "the journal of invalidations has failed: it cannot be written: no space"
                                + " left on device");
        assertThat(house.ban("other")).isEqualTo(Durability.DURABLE);
        house.syncFailure = null;
        // Emptying the log makes it valid again, but not for a later process.
        house.tier.drop();
        house.put(1);
        nothingIsUsedAfterARestart();
    }

    /** The system has no thread for it at first. */
    @Test
    void filesBecomeUnusableOnceThereIsAThreadForIt() throws Exception {
        house.put(1);
        house.missingThreads.set(1);
        house.syncFailure = FULL;
        house.isDirectoryFree = true;

        assertThat(house.ban("tag")).isEqualTo(Durability.DURABLE);

        assertThat(house.format()).doesNotExist();
        house.syncFailure = null;
        nothingIsUsedAfterARestart();
    }

    @Test
    void filesBecomeUnusableAfterAnErrorOfTheJvm() throws Exception {
        house.put(1);
        house.directoryErrors.set(1);
        house.syncFailure = FULL;
        house.isDirectoryFree = true;

        assertThat(house.ban("tag")).isEqualTo(Durability.DURABLE);
    }

    @Test
    void invalidationsAreNotDurableWhileALaterProcessMayUseTheFiles() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        house.access.deleteFailure = "Read-only file system";
        house.access.writeFailure = "Read-only file system";
        house.syncFailure = FULL;

        assertThat(house.ban("tag")).isEqualTo(Durability.NOT_DURABLE);

        assertThat(failure()).startsWith("the journal of invalidations has failed: ");
        assertThat(house.ban("other")).isEqualTo(Durability.NOT_DURABLE);
        assertThat(house.format()).exists();
        // The tier is not used any more, so all entries may be forgotten.
        assertThat(house.invalidations.state().floor()).isEqualTo(2);
        // It cannot be deleted, but it can be emptied.
        house.access.writeFailure = null;
        house.syncFailure = null;
        while (house.ban("later") == Durability.NOT_DURABLE) {
            // Until that was tried again.
        }
        assertThat(house.format()).isEmptyFile();
        house.access.deleteFailure = null;
        nothingIsUsedAfterARestart();
    }

    @Test
    void slowDiskDelaysEntriesAndLosesNothing() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        var end = new CountDownLatch(1);
        house.hanging = end;

        long before = System.nanoTime();
        assertThat(house.ban("slow")).isEqualTo(Durability.NOT_DURABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(100), Duration.ofSeconds(4));
        assertThat(end.await(200, TimeUnit.MILLISECONDS)).isFalse();
        house.hanging = null;
        end.countDown();

        while (house.ban("next") == Durability.NOT_DURABLE) {
            // A machine under load may still be slow.
        }
        assertThat(house.tier.wasSlow()).isTrue();
        assertThat(house.has(1)).isTrue();
        try (var killed = new TierHouse(house.copy(temporary.resolve("copy")))) {
            assertThat(killed.bans()).containsExactly("next", "slow");
            assertThat(killed.has(1)).isTrue();
        }
        house.restart();
        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.bans()).containsExactly("next", "slow");
        assertThat(house.has(1)).isTrue();
    }

    @Test
    void entriesOfASlowDiskAreStoredWhenTheTierIsClosed() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        var end = new CountDownLatch(1);
        house.hanging = end;
        assertThat(house.ban("slow")).isEqualTo(Durability.NOT_DURABLE);
        var closing = Thread.ofPlatform().start(house.tier::close);
        assertThat(closing.join(Duration.ofMillis(300))).isFalse();
        house.hanging = null;
        end.countDown();
        closing.join();

        house.open();

        assertThat(house.bans()).containsExactly("slow");
        assertThat(house.has(1)).isTrue();
    }

    @Test
    void hangingDiskHoldsNothingUp() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        var end = new CountDownLatch(1);
        house.hanging = end;

        assertThat(house.ban("tag")).isEqualTo(Durability.NOT_DURABLE);
        assertThat(house.tier.failure().toCompletableFuture()).isNotDone();
        assertThat(failure()).contains("not completed a sync for 5000 ms");
        assertThat(house.ban("other")).isEqualTo(Durability.NOT_DURABLE);
        house.tier.close();

        // Unlocked, and the format was deleted, though not synced.
        try (var next = new TierHouse(house.path)) {
            assertThat(next.tier.emptied()).isPresent();
            assertThat(next.has(1)).isFalse();
            next.put(2);
            next.ban("next");
            // The writes of the former process come now.
            house.hanging = null;
            end.countDown();
            next.restart();
            assertThat(next.has(2)).isTrue();
            assertThat(next.bans()).containsExactly("next");
        }
        house.open();
        assertThat(house.has(2)).isTrue();
    }

    @Test
    void journalThatHangsIsHarmlessIfItsDirectoryDoesNot() throws Exception {
        reopen(new InvalidationJournal.Patience(TierHouse.PATIENCE, Duration.ofSeconds(1)));
        var end = new CountDownLatch(1);
        house.isDirectoryFree = true;
        house.hanging = end;

        assertThat(house.ban("tag")).isEqualTo(Durability.DURABLE);

        assertThat(failure()).contains("not completed a sync for 1000 ms");
        house.hanging = null;
        end.countDown();
        nothingIsUsedAfterARestart();
    }

    @Test
    void closingADiskThatHangsUnlocksTheDirectory() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        var end = new CountDownLatch(1);
        house.hanging = end;
        house.invalidations.ban(Bans.tag("tag"));

        house.tier.close();

        try (var next = new TierHouse(house.path)) {
            assertThat(next.has(1)).isFalse();
            assertThat(next.tier.emptied()).isPresent();
        }
        house.hanging = null;
        end.countDown();
    }

    @Test
    void failedTierIsUsedAgainFromEmpty() throws Exception {
        house.put(1);
        house.syncFailure = FULL;
        house.isDirectoryFree = true;
        house.ban("lost");
        failure();
        house.syncFailure = null;

        house.renew();

        assertThat(house.has(1)).isFalse();
        assertThat(house.put(2)).isTrue();
        assertThat(house.ban("kept")).isEqualTo(Durability.DURABLE);
        house.restart();
        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.has(2)).isTrue();
        assertThat(house.bans()).containsExactly("kept", "lost");
    }

    @Test
    void tierIsNotUsedAgainWhileItsFormerFilesAreUsable() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        house.access.deleteFailure = "Read-only file system";
        house.access.writeFailure = "Read-only file system";
        house.syncFailure = FULL;
        house.ban("lost");
        failure();
        house.syncFailure = null;

        assertThatThrownBy(house::renew).hasMessageContaining("read-only file system");

        assertThat(house.ban("other")).isEqualTo(Durability.NOT_DURABLE);
        house.access.deleteFailure = null;
        house.access.writeFailure = null;
        house.renew();
        assertThat(house.ban("later")).isEqualTo(Durability.DURABLE);
        assertThat(house.has(1)).isFalse();
    }

    @Test
    void formerTierThatRetiresLateLeavesTheJournalOfTheNext() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        var end = new CountDownLatch(1);
        house.hanging = end;
        house.ban("lost");
        failure();
        var former = house.tier;
        house.hanging = null;
        house.renew();
        end.countDown();
        former.retirement().join();

        house.put(2);
        assertThat(house.ban("kept")).isEqualTo(Durability.DURABLE);

        // Not empty: the journal of the next one has it.
        assertThat(house.tier.stats().journalCommits()).isPositive();
    }

    @Test
    void filesOfAFailedTierMakeRoomForTheJournalOfTheNext() throws Exception {
        house.put(1);
        house.syncFailure = FULL;
        house.isDirectoryFree = true;
        house.ban("lost");
        failure();

        // The journal fails as long as the disk is full.
        assertThatThrownBy(house::renew).hasMessageContaining("no space left");

        try (var files = Files.newDirectoryStream(house.path, "*.{seg,idx}")) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void oldestRecordsMakeRoomForTheNextJournal() throws Exception {
        int count = 30;
        for (int number = 1; number <= count; number++) {
            house.log.append(
                    LogHouse.id(number),
                    house.newest(),
                    LogHouse.LATER,
                    LogHouse.record(number, 1, 200_000));
        }
        house.ban("kept");
        house.tier.close();
        house.access.space.set(InvalidationJournal.COMPACT_BYTES - 1_000_000);
        house.access.isSpaceFreed = true;

        house.open();

        assertThat(house.tier.emptied()).isEmpty();
        assertThat(house.bans()).containsExactly("kept");
        assertThat(house.has(1)).isFalse();
        assertThat(house.has(count)).isTrue();
    }

    @Test
    void tierWhoseDirectoryIsGoneFails() throws Exception {
        reopen(InvalidationJournal.PATIENCE);
        Files.move(house.path, temporary.resolve("moved"));
        Files.createFile(house.path);

        house.tier.check();

        assertThat(failure()).contains("removed or replaced");
        Files.delete(house.path);
        house.renew();
        assertThat(house.put(1)).isTrue();
    }

    @Test
    void pipesInPlaceOfFilesDoNotHang() throws Exception {
        for (var name : List.of("format", "journal.log", "journal.end")) {
            house.put(1);
            house.tier.close();
            Files.delete(house.path.resolve(name));
            makePipe(house.path.resolve(name));

            house.open();

            assertThat(house.has(1)).as(name).isFalse();
            assertThat(house.tier.emptied()).as(name).isPresent();
        }
    }

    private static void makePipe(Path at) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", at.toString()).start().waitFor()).isZero();
    }

    @Test
    void pipeInPlaceOfAnIndexFileDropsItsRecords() throws Exception {
        house.put(1);
        house.tier.close();
        Files.delete(house.path.resolve("000001.idx"));
        makePipe(house.path.resolve("000001.idx"));

        house.open();

        assertThat(house.has(1)).isFalse();
        assertThat(house.put(2)).isTrue();
    }

    @Test
    void pipeInPlaceOfTheLockIsReported() throws Exception {
        var other = Files.createDirectory(temporary.resolve("other"));
        makePipe(other.resolve("lock"));

        assertThatThrownBy(() -> new TierHouse(other))
                .hasMessage(other + ": lock is not a regular file");
    }

    @Test
    void allFilesAreForTheirOwnerOnly() throws Exception {
        house.put(1);
        house.ban("tag");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(house.path)))
                .isEqualTo("rwx------");
        try (var files = Files.list(house.path)) {
            assertThat(files)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(file ->
                            assertThat(
                                            PosixFilePermissions.toString(
                                                    Files.getPosixFilePermissions(file)))
                                    .isEqualTo("rw-------"));
        }
    }

    @Test
    void existingDirectoryKeepsItsPermissions() throws Exception {
        var existing = Files.createDirectory(temporary.resolve("existing"));
        Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString("rwxr-x---"));

        try (var other = new TierHouse(existing)) {
            other.put(1);
        }

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(existing)))
                .isEqualTo("rwxr-x---");
    }
}
