package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.http.Fields;
import dev.quire.proxy.disk.DiskTier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A proxy whose disk or memory has a stale response, and a store with that of another proxy. */
class StaleBelowTest extends ProxiesOfOneStore {
    private static final Duration END = Duration.ofSeconds(5);
    private static final Duration LIFETIME = Duration.ofSeconds(101);

    @TempDir Path directory;
    private DiskTier disk;

    @BeforeEach
    void open() throws Exception {
        disk =
                DiskTier.open(
                        new DiskTier.Terms(directory, 16 << 20, 1 << 20),
                        other.store.invalidations(),
                        () -> Long.MAX_VALUE,
                        (id, record) -> null,
                        other.time);
        other.tier.limit(
                new RecordTier.Terms(
                        Duration.ofSeconds(10),
                        64 << 20,
                        1 << 20,
                        2,
                        Duration.ofSeconds(5),
                        Long.MAX_VALUE,
                        1 << 20));
        other.tier.expect(reason -> {});
        other.tier.use(disk.load());
    }

    @AfterEach
    void close() {
        other.tier.end(END);
        other.tier.close();
        disk.close();
    }

    private void withoutMemory() {
        other.store.limit(0, false);
    }

    /** Stores {@code text} in one proxy, with a tag of the same text. */
    private void stored(CacheHouse house, String text) {
        long before = house.tiers.shared().count(TierWrite.STORED);
        house.stored(RULES, text, CACHE, FRESH, "ETag", tag(text));
        TierRest.await(() -> house.tiers.shared().count(TierWrite.STORED) > before);
        if (house == other) {
            settleDisk();
        }
    }

    private void settleDisk() {
        other.time.pass(Duration.ofSeconds(3));
        one.time.pass(Duration.ofSeconds(3));
        TierRest.settle(other);
    }

    private static String tag(String text) {
        return '"' + text + '"';
    }

    private void pass(Duration time) {
        one.time.pass(time);
        other.time.pass(time);
    }

    /** Its own response is stale, and that of the other proxy is newer. */
    private void storedNewer() {
        stored(other, "old");
        pass(LIFETIME);
        stored(one, "new");
    }

    private void purge(CacheHouse house) {
        house.store.purge(new Purge(Set.of(CacheHouse.PAGE), Set.of(), Set.of(), List.of()), false);
    }

    /** Validates what is found, and returns what the origin was asked. */
    private Taker validate(ScriptedOrigin origin) {
        var taker = other.fragment(other.here);
        other.join(RULES, origin, other.found(), taker);
        other.settle();
        return taker;
    }

    @Test
    void newerResponseOfAnotherIsServedInPlaceOfAStaleOneOnDisk() {
        withoutMemory();
        storedNewer();

        assertThat(searched(other)).isEqualTo("found new");
    }

    @Test
    void newerResponseTakesThePlaceOfTheStaleOneInMemory() {
        withoutMemory();
        storedNewer();
        other.store.limit(1 << 20, false);

        assertThat(searched(other)).isEqualTo("found new");
        assertThat(other.textOf()).isEqualTo("new");
    }

    /** Also if the store is lost meanwhile. */
    @Test
    void diskDoesNotReturnToTheOlderResponse() {
        withoutMemory();
        storedNewer();
        assertThat(searched(other)).isEqualTo("found new");
        settleDisk();
        store.breaks(SharedRecords.Reason.CLOSED);

        assertThat(searched(other)).isEqualTo("found new");
    }

    @Test
    void requestsThatFindTheSameStaleResponseAskTheStoreOnce() {
        withoutMemory();
        storedNewer();
        int before = store.questions();
        var takers =
                Stream.generate(() -> other.reader(other.here).looking(other::textOf))
                        .limit(10)
                        .toList();

        other.here.run(() ->
                takers.forEach(
                        each -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, each)));
        TierRest.await(() -> takers.stream().noneMatch(each -> each.heard().isEmpty()));

        assertThat(takers)
                .allSatisfy(each -> assertThat(each.heard()).containsExactly("found new"));
        assertThat(store.questions() - before).isEqualTo(1);
        settleDisk();
        TierRest.await(() -> other.store.held().isEmpty());
    }

    @Test
    void faultOfOneRequestIsNoneOfThoseThatShareItsSearch() {
        withoutMemory();
        storedNewer();
        var takers =
                Stream.generate(() -> other.reader(other.here).looking(other::textOf))
                        .limit(4)
                        .toList();
        for (int faulty : List.of(0, 2)) {
            takers.get(faulty)
                    .atSearch(() -> {
                        throw new IllegalStateException("for the test");
                    });
        }

        other.here.run(() ->
                takers.forEach(
                        each -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, each)));
        TierRest.await(() ->
                takers.get(0).heard().size() > 1
                        && takers.get(2).heard().size() > 1
                        && !takers.get(3).heard().isEmpty());

        assertThat(takers.get(1).heard()).containsExactly("found new");
        assertThat(takers.get(3).heard()).containsExactly("found new");
        settleDisk();
        TierRest.await(() -> other.store.held().isEmpty());
    }

    /** It takes the place of the stale one, and is newer than that of the store. */
    @Test
    void responseThatIsStoredMeanwhileStays() {
        withoutMemory();
        storedNewer();
        other.store.limit(1 << 20, false);
        store.beforeAnswers(() -> {
            store.beforeAnswers(() -> {});
            other.time.pass(Duration.ofSeconds(2));
            other.stored(RULES, "newest", CACHE, "max-age=5");
        });

        assertThat(searched(other)).isEqualTo("found newest");
        settleDisk();
        other.store.limit(0, false);
        store.breaks(SharedRecords.Reason.CLOSED);
        assertThat(searched(other)).isNotEqualTo("found new");
    }

    @Test
    void diskDoesNotReturnToTheOlderOfTwoStaleResponses() {
        withoutMemory();
        storedNewer();
        pass(LIFETIME);
        assertThat(searched(other)).isEqualTo("found new");
        settleDisk();
        store.breaks(SharedRecords.Reason.CLOSED);

        assertThat(searched(other)).isIn(null, "not found");
    }

    @Test
    void newerOfTwoStaleResponsesIsValidated() {
        storedNewer();
        pass(LIFETIME);
        withoutMemory();
        other.store.limit(1 << 20, false);
        assertThat(searched(other)).isEqualTo("found new");
        var origin = other.origin();
        var taker = validate(origin);

        assertThat(origin.attempt().conditions().all("If-None-Match")).containsExactly(tag("new"));
        origin.attempt().head(304, CACHE, FRESH, "ETag", tag("new")).end();
        assertThat(taker.heard()).containsExactly("whole 200 new");
    }

    @Test
    void newerStaleResponseOfAnotherIsValidatedInPlaceOfThatInMemory() {
        storedNewer();
        pass(LIFETIME);
        assertThat(other.textOf()).isEqualTo("old");
        var origin = other.origin();
        var taker = validate(origin);

        assertThat(origin.attempt().conditions().all("If-None-Match")).containsExactly(tag("new"));
        origin.attempt().head(304, CACHE, FRESH, "ETag", tag("new")).end();
        assertThat(taker.heard()).containsExactly("whole 200 new");
        assertThat(other.textOf()).isEqualTo("new");
    }

    @Test
    void newerStaleResponseOfAnotherIsRefreshedInTheBackground() {
        storedNewer();
        pass(LIFETIME);
        var origin = other.origin();
        other.refresh(RULES, origin);
        other.settle();

        assertThat(origin.attempt().conditions().all("If-None-Match")).containsExactly(tag("new"));
        origin.attempt().head(304, CACHE, FRESH, "ETag", tag("new")).end();
        assertThat(other.textOf()).isEqualTo("new");
    }

    @Test
    void newerStaleResponseOfAnotherStandsInForTheOrigin() {
        storedNewer();
        pass(LIFETIME);
        var origin = other.origin();
        var taker = validate(origin);
        origin.attempt().fail(Kind.UNREACHABLE);

        assertThat(taker.heard()).containsExactly("failed UNREACHABLE");
        assertThat(other.textOf()).isEqualTo("new");
    }

    @Test
    void staleResponseWithoutMemoryStandsInUntilTheFetchHasFailed() {
        withoutMemory();
        stored(other, "old");
        pass(LIFETIME);
        assertThat(searched(other)).isEqualTo("found old");
        stored(one, "new");
        pass(LIFETIME);
        var stale = new StoredResponse[1];
        var taker = other.reader(other.here).looking(other::textOf);
        taker.atSearch(() -> stale[0] = other.found());
        store.breaks(SharedRecords.Reason.CLOSED);
        other.here.run(() -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, taker));
        TierRest.await(() -> stale[0] != null);
        store.breaks(null);
        var origin = other.origin();
        var waiting = other.fragment(other.here);
        other.join(RULES, origin, stale[0], waiting);
        other.settle();

        assertThat(taker.heard()).containsExactly("found old");
        assertThat(other.textOf()).isEqualTo("new");
        origin.attempt().fail(Kind.UNREACHABLE);
        assertThat(waiting.heard()).containsExactly("failed UNREACHABLE");
        assertThat(other.textOf()).isEqualTo("new");
        other.passOnLoops(Duration.ofSeconds(1));
        assertThat(other.textOf()).isNull();
    }

    @Test
    void ownStaleResponseStaysWhereItIs() {
        stored(other, "old");
        pass(LIFETIME);
        long refused = other.tier.count(TierWrite.REFUSED);
        var before = other.found();
        before.release();
        var origin = other.origin();
        validate(origin);
        var after = other.found();
        after.release();

        assertThat(after).isSameAs(before);
        assertThat(other.tier.count(TierWrite.REFUSED)).isEqualTo(refused);
        origin.attempt().head(304, CACHE, FRESH, "ETag", tag("old")).end();
    }

    @Test
    void olderResponseInTheStoreIsNotUsed() {
        withoutMemory();
        stored(one, "older");
        pass(LIFETIME);
        store.breaks(SharedRecords.Reason.ERROR);
        other.stored(RULES, "old", CACHE, FRESH, "ETag", tag("old"));
        settleDisk();
        store.breaks(null);
        pass(LIFETIME);

        assertThat(searched(other)).isEqualTo("found old");
    }

    @Test
    void storeIsNotAskedForWhatIsFreshOnDisk() {
        withoutMemory();
        stored(other, "old");
        int before = store.questions();

        assertThat(searched(other)).isEqualTo("found old");
        assertThat(store.questions()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void staleResponseOnDiskIsFoundWithoutTheStore(SharedRecords.Reason reason) {
        withoutMemory();
        storedNewer();
        store.breaks(reason);

        assertThat(searched(other)).isEqualTo("found old");
    }

    @Test
    void noneOfTwoResponsesIsUsedThatArePurgedMeanwhile() {
        withoutMemory();
        storedNewer();
        store.beforeAnswers(() -> {
            purge(one);
            purge(other);
        });

        assertThat(searched(other)).isEqualTo("found null");
        store.beforeAnswers(() -> {});
        assertThat(searched(other)).isIn(null, "not found");
    }

    @Test
    void noneOfTwoResponsesIsValidatedThatArePurgedMeanwhile() {
        storedNewer();
        pass(LIFETIME);
        var origin = other.origin();
        store.beforeAnswers(() -> purge(other));
        validate(origin);
        store.beforeAnswers(() -> {});

        // The request had found the response before the purge.
        assertThat(origin.attempt().conditions().all("If-None-Match")).containsExactly(tag("old"));
        origin.attempt().head(304, CACHE, FRESH, "ETag", tag("old")).end();
        assertThat(other.textOf()).isNull();
    }

    @Test
    void faultOfTheRequestLetsTheStaleResponseGo() {
        withoutMemory();
        storedNewer();
        var taker =
                other.reader(other.here)
                        .atSearch(() -> {
                            throw new IllegalStateException("for the test");
                        });
        other.here.run(() -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, taker));
        TierRest.await(() -> taker.heard().size() > 1);

        settleDisk();
        TierRest.await(() -> other.store.held().isEmpty());
    }

    @Test
    void requestForAVariantIsSearchedThoughTheDiskHasAnother() {
        withoutMemory();
        var vary = new String[] {CACHE, FRESH, "Vary", "Accept-Language"};
        other.stored(RULES, "english", Fields.of("Accept-Language", "en"), vary);
        settleDisk();
        one.stored(RULES, "french", Fields.of("Accept-Language", "fr"), vary);
        TierRest.await(() -> one.tiers.shared().count(TierWrite.STORED) == 1);
        var takers =
                Stream.of("en", "fr")
                        .map(language ->
                                other.reader(other.here, "Accept-Language", language)
                                        .looking(() -> other.textOf("Accept-Language", language)))
                        .toList();
        other.here.run(() ->
                takers.forEach(
                        each -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, each)));

        TierRest.await(() -> takers.stream().noneMatch(each -> each.heard().isEmpty()));
        assertThat(takers.get(0).heard()).containsExactly("found english");
        assertThat(takers.get(1).heard()).containsExactly("found french");
    }
}
