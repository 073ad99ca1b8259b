package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.disk.InvalidationJournal;
import dev.quire.proxy.disk.JournalReading;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Records are tested against the invalidations of earlier processes, as stored responses are. */
class JournalRestartTest {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private static final UUID TIER = new UUID(3, 4);
    private static final CacheKey URL = Records.KEY.ofUrl();
    private static final String SERVED = "served";
    private static final String STALE = "stale";
    private static final String HIDDEN = "hidden";

    @TempDir private Path directory;

    private final Records records = new Records();
    private long oldest;
    private Invalidations invalidations = Invalidations.empty(records::now);
    private InvalidationJournal journal;

    /** An invalidation and the state of a record that it covers. */
    record Case(String name, String after, Consumer<Invalidations> made) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Case> CASES =
            List.of(
                    new Case("URL", HIDDEN, all -> all.purge(Purge.of(URL), false, false)),
                    new Case("tag", HIDDEN, all -> all.purge(tag("poll"), false, false)),
                    new Case("host", HIDDEN, all -> all.purge(host(), false, false)),
                    new Case("path", HIDDEN, all -> all.purge(path("/pa*"), false, false)),
                    new Case("everything", HIDDEN, all -> all.purge(path("/**"), false, false)),
                    new Case("soft", STALE, all -> all.purge(tag("poll"), true, false)),
                    new Case("soft path", STALE, all -> all.purge(path("/pa*"), true, false)),
                    new Case("ban", HIDDEN, all -> all.ban(ban("poll", null))),
                    new Case("ban of age", HIDDEN, all -> all.ban(ban("poll", 9))),
                    new Case("ban of greater age", SERVED, all -> all.ban(ban("poll", 11))),
                    new Case("other ban", SERVED, all -> all.ban(ban("vote", null))),
                    new Case("lifted ban", SERVED, JournalRestartTest::liftedBan),
                    new Case(
                            "groups",
                            HIDDEN,
                            all -> all.invalidateGroups(URL, Set.of("red", "green"))),
                    new Case("other group", SERVED, all -> all.invalidateGroups(URL, Set.of("x"))),
                    new Case("unsafe request", HIDDEN, all -> all.invalidate(URL, null)),
                    new Case("other URL", SERVED, all -> all.invalidate(other(), null)));

    private static Stream<Arguments> casesAndRestarts() {
        return CASES.stream()
                .flatMap(each ->
                        IntStream.rangeClosed(1, 2).mapToObj(times -> Arguments.of(each, times)));
    }

    @BeforeEach
    void begin() {
        journal = begin(directory, 0);
    }

    @AfterEach
    void end() {
        journal.close();
    }

    /**
     * After the first restart the entry is read as it was appended, after others from the state
     * that the journal begins with.
     */
    @ParameterizedTest
    @MethodSource("casesAndRestarts")
    void recordIsHiddenByAnEntryAfterItButNotBefore(Case each, int restarts) {
        var before = written();
        records.pass(Duration.ofSeconds(10));
        each.made().accept(invalidations);
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        var after = written();
        String inMemory = state(before);

        for (int i = 0; i < restarts; i++) {
            restart();
        }

        assertThat(state(before)).isEqualTo(each.after()).isEqualTo(inMemory);
        assertThat(state(after)).isEqualTo(SERVED);
        assertThat(state(written())).isEqualTo(SERVED);
    }

    @Test
    void entryOfTheNextProcessCoversRecordsOfTheFormer() {
        liftedBan(invalidations);
        var before = written();
        restart();

        invalidations.purge(tag("poll"), false, false);

        assertThat(state(before)).isEqualTo(HIDDEN);
        assertThat(state(written())).isEqualTo(SERVED);
    }

    @Test
    void numberThatWasLostIsNotMistakenForThatOfAnotherEntry() throws Exception {
        invalidations.purge(tag("other"), false, false);
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        var image = copied("image");
        // The machine fails before this one is durable, but not before the record is.
        invalidations.purge(tag("lost"), false, false);
        var record = written();

        restart(image);
        assertThat(state(record)).isEqualTo(SERVED);
        invalidations.purge(tag("poll"), false, false);

        assertThat(invalidations.newest()).isEqualTo(2);
        assertThat(state(record)).isEqualTo(HIDDEN);
    }

    @Test
    void recordOfAnUnknownEpochIsAMiss() {
        var image = written();
        invalidations = Invalidations.empty(records::now);

        assertThat(read(image)).isEqualTo(RecordMiss.POSITION);
    }

    @ParameterizedTest
    @MethodSource("casesAndRestarts")
    void clockThatWasSetBackHidesTooMuchNeverTooLittle(Case each, int restarts) {
        var before = written();
        records.pass(Duration.ofSeconds(10));
        each.made().accept(invalidations);
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        boolean isServed = each.after().equals(SERVED) && !each.name().contains("age");

        for (int i = 0; i < restarts; i++) {
            // The record, too, has no age any more, so it is stale.
            records.wall = records.wall.minusSeconds(3_600);
            restart();
        }

        assertThat(state(before)).isEqualTo(isServed ? STALE : HIDDEN);
    }

    @Test
    void softPurgeKeepsItsTime() {
        var before = written();
        invalidations.purge(tag("poll"), true, false);
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        records.pass(Duration.ofSeconds(40));

        restart();

        var response = ((RecordCodec.Found) read(before)).response();
        var applied = Objects.requireNonNull(invalidations.applied(response));
        // The restart took a millisecond.
        assertThat(applied.freshness().remainingAt(records.now))
                .isEqualTo(Duration.ofMillis(-40_001));
        applied.release();
        response.release();
    }

    @Test
    void sweepOfTheMemoryForgetsNothingThatCoversOlderRecords() {
        var before = written();
        invalidations.purge(tag("poll"), false, true);
        invalidations.ban(ban("vote", null));
        assertThat(durability()).isEqualTo(Durability.DURABLE);

        invalidations.complete(invalidations.newest());

        assertThat(invalidations.isSweepDue()).isFalse();
        assertThat(invalidations.bans()).singleElement().matches(Ban::isCompleted);
        assertThat(state(before)).isEqualTo(HIDDEN);
        assertThat(state(written())).isEqualTo(SERVED);
        restart();
        assertThat(invalidations.isSweepDue()).isFalse();
        assertThat(state(before)).isEqualTo(HIDDEN);
    }

    @Test
    void completedBanIsNotLiftedEvenAfterARestart() {
        var before = written();
        long number = invalidations.ban(ban("poll", null)).orElseThrow();
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        invalidations.complete(invalidations.newest());

        assertThat(invalidations.lift(number)).isFalse();

        assertThat(state(before)).isEqualTo(HIDDEN);
        restart();
        assertThat(invalidations.lift(number)).isFalse();
        assertThat(state(before)).isEqualTo(HIDDEN);
    }

    @Test
    void compactionDropsWhatCoversNoRecordAnyMore() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            invalidations.purge(tag("tag-" + i), false, false);
            invalidations.invalidate(other(), null);
        }
        oldest = 3_990;
        var kept = written();
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        long bytes = journal.bytes();

        assertThat(journal.compact().toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();

        assertThat(journal.bytes()).isLessThan(bytes / 100);
        // The journal goes on.
        invalidations.purge(tag("poll"), false, false);
        assertThat(durability()).isEqualTo(Durability.DURABLE);
        var after = written();
        restart();
        assertThat(invalidations.newest()).isEqualTo(4_001);
        assertThat(state(kept)).isEqualTo(HIDDEN);
        assertThat(state(after)).isEqualTo(SERVED);
    }

    @Test
    void recordOlderThanTheOldestIsHidden() {
        var before = written();
        liftedBan(invalidations);
        oldest = 2;

        restart();
        restart();

        assertThat(state(before)).isEqualTo(HIDDEN);
        assertThat(state(written())).isEqualTo(SERVED);
    }

    private void restart() {
        restart(directory);
    }

    private void restart(Path from) {
        journal.close();
        records.restart();
        records.pass(Duration.ofMillis(1));
        if (InvalidationJournal.read(from, TIER, records)
                instanceof JournalReading.Usable(var state, var generation)) {
            invalidations = Invalidations.empty(records::now);
            invalidations.resume(state);
            journal = begin(from, generation);
        } else {
            throw new AssertionError("the journal is unusable");
        }
    }

    private InvalidationJournal begin(Path where, long generation) {
        try {
            return InvalidationJournal.begin(
                    where, TIER, generation, invalidations, () -> oldest, records);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path copied(String name) throws IOException {
        var copy = Files.createDirectory(directory.resolve(name));
        for (var file : List.of("journal.log", "journal.end")) {
            Files.copy(directory.resolve(file), copy.resolve(file));
        }
        return copy;
    }

    /** An answer comes after 100 ms at the latest, though the disk may be slower. */
    private Durability durability() {
        long start = System.nanoTime();
        var durability = journal.sync().toCompletableFuture().join();
        while (durability != Durability.DURABLE && System.nanoTime() - start < LONGEST.toNanos()) {
            durability = journal.sync().toCompletableFuture().join();
        }
        return durability;
    }

    private RecordCodec codec() {
        return new RecordCodec(Records.HEADS, records, invalidations::order);
    }

    /** The record of a new response. */
    private byte[] written() {
        var response =
                records.plain(
                        Fields.EMPTY,
                        "page",
                        "Cache-Control",
                        "max-age=60, stale-while-revalidate=60",
                        "Cache-Tag",
                        "poll",
                        "Cache-Groups",
                        "\"green\"");
        var position = invalidations.position(invalidations.newest());
        var record = codec().write(response, Records.key(), position);
        var bytes = ByteBufUtil.getBytes(record);
        record.release();
        response.release();
        return bytes;
    }

    private RecordCodec.Reading read(byte[] record) {
        return codec().read(Unpooled.wrappedBuffer(record), Records.wanted(Fields.EMPTY));
    }

    private String state(byte[] record) {
        var response = Records.found(read(record));
        var applied = invalidations.applied(response);
        boolean isFresh = applied != null && applied.freshness().isFreshAt(records.now);
        if (applied != null && applied != response) {
            applied.release();
        }
        response.release();
        return applied == null ? HIDDEN : isFresh ? SERVED : STALE;
    }

    private static void liftedBan(Invalidations all) {
        all.lift(all.ban(ban("poll", null)).orElseThrow());
    }

    private static BanCondition ban(String tag, @Nullable Integer age) {
        return new BanCondition(
                Optional.of(new HostPattern("*.example")),
                Optional.empty(),
                Optional.of(tag),
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(age).map(Duration::ofSeconds));
    }

    private static Purge tag(String tag) {
        return new Purge(Set.of(), Set.of(tag), Set.of(), List.of());
    }

    private static Purge host() {
        return new Purge(Set.of(), Set.of(), Set.of(URL.authority()), List.of());
    }

    private static Purge path(String pattern) {
        return new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern(pattern)));
    }

    private static CacheKey other() {
        return new CacheKey(URL.scheme(), URL.authority(), "/other");
    }
}
