package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two proxies with one store. */
class SharedTierTest extends ProxiesOfOneStore {
    private static final RouteCacheRules STALE_IF_ERROR =
            CacheHouse.rules(EsiProcessing.ON, CacheHouse.staleIfError(Duration.ofHours(1)))
                    .recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
    private static final Duration POLL = Duration.ofMillis(30);

    /** Waits until {@code house} has written all. */
    private static void settle(CacheHouse house, TierWrite outcome, int count) {
        TierRest.await(() -> house.tiers.shared().count(outcome) == count);
    }

    private void stored(String text, String... head) {
        one.stored(RULES, text, head);
        settle(one, TierWrite.STORED, 1);
    }

    /** Begins to write a variant. */
    private void storedIn(String language, String text) {
        var request = Fields.of("Accept-Language", language);
        one.stored(RULES, text, request, CACHE, FRESH, "Vary", "Accept-Language");
    }

    /** Waits until {@code origin} is asked, once. */
    private static void awaitAsked(ScriptedOrigin origin) {
        TierRest.await(() -> origin.asked() > 0);
        assertThat(origin.asked()).isEqualTo(1);
    }

    /** Lets the polls of {@code house} pass until it asks, once. */
    private static void passUntilAsked(CacheHouse house, ScriptedOrigin origin) {
        passUntil(house, () -> origin.asked() > 0);
        assertThat(origin.asked()).isEqualTo(1);
    }

    /** Lets the polls of {@code house} pass, but not as many as it has patience for. */
    private static void passUntil(CacheHouse house, BooleanSupplier condition) {
        long most = TERMS.patience().dividedBy(POLL) / 2;
        for (int i = 0; i < most && !condition.getAsBoolean(); i++) {
            // Another thread writes records and ends leases.
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            house.passOnLoops(POLL);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static Taker join(CacheHouse house, RouteCacheRules rules, ScriptedOrigin origin) {
        var taker = house.fragment(house.here);
        house.join(rules, origin, null, taker);
        house.settle();
        return taker;
    }

    @Test
    void otherProxyFindsTheResponse() {
        stored("text", CACHE, FRESH);

        assertThat(searched(other)).isEqualTo("found text");
        assertThat(other.textOf()).isEqualTo("text");
        assertThat(other.tiers.shared().count(TierOutcome.HIT)).isEqualTo(1);
    }

    @Test
    void requestThatFailsIsToldOnce() {
        storedIn("en", "english");
        settle(one, TierWrite.STORED, 1);
        assertThat(searched(other, "Accept-Language", "en")).isEqualTo("found english");
        var taker =
                other.reader(other.here, "Accept-Language", "de")
                        .atSearch(() -> {
                            throw new IllegalStateException("for the test");
                        });
        other.here.run(() -> other.tiers.search(CacheHouse.PAGE, RULES, key -> key, taker));
        TierRest.await(() -> taker.heard().size() > 1);

        assertThat(taker.heard()).containsExactly("not found", "bug for the test");
    }

    @Test
    void responseWithoutMemoryIsFoundEachTime() {
        stored("text", CACHE, FRESH);
        other.store.limit(0, false);

        assertThat(searched(other)).isEqualTo("found text");
        assertThat(searched(other)).isEqualTo("found text");
        TierRest.await(() -> other.textOf() == null);
    }

    @Test
    void ageGoesOn() {
        stored("text", CACHE, FRESH);
        one.time.pass(Duration.ofSeconds(50));
        other.time.pass(Duration.ofSeconds(50));
        assertThat(searched(other)).isEqualTo("found text");

        other.time.pass(Duration.ofSeconds(49));
        assertThat(isFresh()).isTrue();
        other.time.pass(Duration.ofSeconds(2));
        assertThat(isFresh()).isFalse();
    }

    private boolean isFresh() {
        var found = other.found();
        boolean isFresh = found.freshness().isFreshAt(other.time.now());
        found.release();
        return isFresh;
    }

    @Test
    void variantIsFoundByItsFields() {
        storedIn("en", "english");
        storedIn("fr", "french");
        settle(one, TierWrite.STORED, 2);

        for (int i = 0; i < 2; i++) {
            assertThat(searched(other, "Accept-Language", "fr")).isEqualTo("found french");
            assertThat(searched(other, "Accept-Language", "en")).isEqualTo("found english");
            assertThat(searched(other, "Accept-Language", "de")).isEqualTo("not found");
        }
    }

    @Test
    void oneProxyFetchesForBoth() {
        var first = one.origin();
        var second = other.origin();
        var here = join(one, RULES, first);
        var there = join(other, RULES, second);
        awaitAsked(first);
        assertThat(second.asked()).isZero();

        first.attempt().head(200, CACHE, FRESH).data("text").end();
        settle(one, TierWrite.STORED, 1);
        passUntil(other, () -> !there.heard().isEmpty());

        assertThat(here.heard()).containsExactly("whole 200 text");
        assertThat(there.heard()).containsExactly("whole 200 text");
        assertThat(second.asked()).isZero();
        assertThat(store.isLeased()).isFalse();
    }

    /** After a failure of the origin, or after a response that was purged meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leaseThatCannotBeReturnedLeavesNoRequestWithoutAnAnswer(boolean isPurged) {
        var origin = one.origin();
        var asker = join(one, RULES, origin);
        var joined = join(one, RULES, origin);
        awaitAsked(origin);
        store.throwsAtEnds();

        if (isPurged) {
            purge(one);
            origin.attempt().head(200, CACHE, FRESH).data("text").end();
        } else {
            origin.attempt().fail(Kind.UNREACHABLE);
        }

        assertThat(asker.heard())
                .containsExactly(isPurged ? "whole 200 text" : "failed UNREACHABLE");
        assertThat(joined.heard()).containsExactly(isPurged ? "again" : "failed UNREACHABLE");
        assertThat(one.events.seen()).contains("bug expected no more memory");
        var next = one.origin();
        join(one, RULES, next);
        awaitAsked(next);
        next.attempt().fail(Kind.UNREACHABLE);
    }

    /** RFC 9111 §5.2.2.4: none is used without a validation. */
    @Test
    void responseThatMustBeValidatedIsNotTakenFromAnother() {
        stored("text", CACHE, "no-cache, max-age=100", "ETag", "\"1\"");
        var origin = other.origin();
        var taker = join(other, RULES, origin);
        awaitAsked(origin);

        origin.attempt().head(200, CACHE, FRESH).data("new").end();
        other.settle();
        assertThat(taker.heard()).containsExactly("whole 200 new");
    }

    @Test
    void responseOfAnotherIsNotTakenWhileHitsAreValidated() {
        stored("text", CACHE, FRESH);
        other.tiers.shared().validateWhileBehind(true);
        other.tiers.shared().behindWhile(() -> true);
        var origin = other.origin();
        join(other, RULES, origin);

        awaitAsked(origin);
        origin.attempt().head(200, CACHE, FRESH).data("new").end();
    }

    @Test
    void responseOfAnotherThatArrivesOnceHitsAreValidatedIsNotTaken() {
        var first = one.origin();
        var second = other.origin();
        join(one, RULES, first);
        join(other, RULES, second);
        other.tiers.shared().validateWhileBehind(true);
        other.tiers.shared().behindWhile(() -> true);
        first.attempt().head(200, CACHE, FRESH).data("text").end();
        passUntilAsked(other, second);

        second.attempt().head(200, CACHE, FRESH).data("new").end();
    }

    @Test
    void clientThatWantsANewerResponseGetsThatOfTheOrigin() {
        stored("text", CACHE, FRESH);
        var origin = other.origin();
        other.join(RULES, origin, null, other.fragment(other.here).newer());
        other.settle();

        awaitAsked(origin);
        origin.attempt().head(200, CACHE, FRESH).data("new").end();
    }

    @Test
    void clientThatWantsANewerResponseLooksAgainIfAnotherHasFetched() {
        var first = one.origin();
        var second = other.origin();
        join(one, RULES, first);
        var asker = join(other, RULES, second);
        var waiter = other.fragment(other.here).newer();
        other.join(RULES, second, null, waiter);
        other.settle();
        first.attempt().head(200, CACHE, FRESH).data("text").end();
        passUntil(other, () -> !asker.heard().isEmpty());

        assertThat(asker.heard()).containsExactly("whole 200 text");
        assertThat(waiter.heard()).containsExactly("again");
        assertThat(second.asked()).isZero();
    }

    @Test
    void requestThatJoinsAFetchDoesNotAskTheStore() {
        var origin = one.origin();
        join(one, RULES, origin);
        awaitAsked(origin);
        int before = store.questions();

        assertThat(searched(one)).isNull();
        assertThat(store.questions()).isEqualTo(before);

        origin.attempt().head(200, CACHE, "no-store").end();
        assertThat(searched(one)).isEqualTo("not found");
        assertThat(store.questions()).isEqualTo(before + 1);
    }

    @Test
    void requestThatJoinsAFetchDoesNotAskTheStoreOnceASlowOneBeforeHasEnded() {
        var slow = one.origin();
        join(one, RULES, slow);
        join(one, RULES, slow);
        awaitAsked(slow);
        one.passOnLoops(Coalescer.PATIENCE);
        var origin = one.origin();
        join(one, RULES, origin);
        awaitAsked(origin);

        slow.attempt().fail(Kind.UNREACHABLE);

        assertThat(searched(one)).isNull();
        origin.attempt().head(200, CACHE, "no-store").end();
    }

    /** Else it would wait for the origin in vain. */
    @Test
    void requestIsSearchedIfTheFetchInFlightGotNoAnswerOfTheStore() {
        stored("text", CACHE, FRESH);
        store.breaks(SharedRecords.Reason.TIMEOUT);
        var origin = other.origin();
        join(other, RULES, origin);
        awaitAsked(origin);
        store.breaks(null);

        assertThat(searched(other)).isEqualTo("found text");

        origin.attempt().head(200, CACHE, "no-store").end();
    }

    /** The fetch may be for another one. */
    @Test
    void variantIsFoundWhileAnotherOneIsFetched() {
        storedIn("en", "english");
        settle(one, TierWrite.STORED, 1);
        var origin = other.origin();
        other.join(RULES, origin, null, other.fragment(other.here, "Accept-Language", "de"));
        other.settle();
        awaitAsked(origin);

        assertThat(searched(other, "Accept-Language", "en")).isEqualTo("found english");

        origin.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void variantsHaveLeasesOfTheirOwn() {
        storedIn("en", "english");
        settle(one, TierWrite.STORED, 1);
        var french = one.origin();
        var german = other.origin();
        one.join(RULES, french, null, one.fragment(one.here, "Accept-Language", "fr"));
        other.join(RULES, german, null, other.fragment(other.here, "Accept-Language", "de"));
        one.settle();
        other.settle();

        awaitAsked(french);
        awaitAsked(german);
        french.attempt().head(200, CACHE, "no-store").end();
        german.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void variantsStayIfARequestSelectsNoneOfThem() {
        storedIn("en", "english");
        settle(one, TierWrite.STORED, 1);
        var edited =
                new SentRequest(CacheHouse.get(), Fields.EMPTY, List.of(), List.of("x-edited"));
        var origin = other.origin();
        other.fetch(RULES, origin, edited);

        awaitAsked(origin);
        assertThat(other.tiers.shared().count(TierOutcome.CORRUPT)).isZero();
        assertThat(searched(other, "Accept-Language", "en")).isEqualTo("found english");
        origin.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void failureOfOneProxyEndsTheWaitOfTheOther() {
        var first = one.origin();
        var second = other.origin();
        join(one, RULES, first);
        join(other, RULES, second);
        first.attempt().fail(Kind.UNREACHABLE);
        passUntilAsked(other, second);

        second.attempt().fail(Kind.UNREACHABLE);
    }

    @Test
    void staleResponseStandsInAtOnceAfterTheFailureOfAnother() {
        other.stored(STALE_IF_ERROR, "old", CACHE, FRESH);
        settle(other, TierWrite.STORED, 1);
        one.time.pass(Duration.ofSeconds(200));
        other.time.pass(Duration.ofSeconds(200));
        var first = one.origin();
        var second = other.origin();
        join(one, STALE_IF_ERROR, first);
        first.attempt().fail(Kind.UNREACHABLE);
        var taker = other.fragment(other.here);
        other.here.run(() -> {
            var stale = other.found();
            other.coalescer.join(
                    CacheHouse.PAGE, second, STALE_IF_ERROR, stale, () -> false, taker);
        });
        other.settle();

        assertThat(taker.heard()).containsExactly("failed UNREACHABLE");
        assertThat(second.asked()).isZero();
    }

    @Test
    void requestForAnotherVariantIsFetchedAfterTheFailureOfAnother() {
        var german = Fields.of("Accept-Language", "de");
        other.stored(STALE_IF_ERROR, "alt", german, CACHE, FRESH, "Vary", "Accept-Language");
        settle(other, TierWrite.STORED, 1);
        one.time.pass(Duration.ofSeconds(200));
        other.time.pass(Duration.ofSeconds(200));
        var first = one.origin();
        var second = other.origin();
        one.join(STALE_IF_ERROR, first, null, one.fragment(one.here, "Accept-Language", "de"));
        one.settle();
        var asker = other.fragment(other.here, "Accept-Language", "de");
        var waiter = other.fragment(other.here, "Accept-Language", "fr");
        other.join(STALE_IF_ERROR, second, other.found("Accept-Language", "de"), asker);
        other.join(STALE_IF_ERROR, second, null, waiter);
        other.settle();
        first.attempt().fail(Kind.UNREACHABLE);
        passUntil(other, () -> !asker.heard().isEmpty());

        assertThat(asker.heard()).containsExactly("failed UNREACHABLE");
        assertThat(waiter.heard()).containsExactly("alone");
        assertThat(second.asked()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"200, Authorization, Basic YTpi", "200, Cookie, id=1", "503, Accept, text/html"})
    void responseThatSaysNothingOfTheNextLeavesTheOtherTheLease(
            int status, String name, String value) {
        var first = one.origin();
        var second = other.origin();
        var third = one.origin();
        one.join(RULES, first, null, one.reader(one.here, name, value));
        one.settle();
        var control = status == 200 ? FRESH : "no-store";
        first.attempt().head(status, CACHE, control, "Vary", name).data("own").end();
        join(other, RULES, second);
        awaitAsked(second);
        assertThat(store.isLeased()).isTrue();
        join(one, RULES, third);
        second.attempt().head(200, CACHE, FRESH).data("text").end();
        passUntil(one, () -> one.textOf() != null);

        assertThat(third.asked()).isZero();
    }

    @Test
    void uncacheableResponseEndsTheWaitOfTheOther() {
        var first = one.origin();
        var second = other.origin();
        join(one, RULES, first);
        join(other, RULES, second);
        first.attempt().head(200, CACHE, "private");
        passUntilAsked(other, second);

        first.attempt().end();
        second.attempt().head(200, CACHE, "private").end();
    }

    /** Else they would wait until the lease ends. */
    @Test
    void recordThatTheStoreDoesNotTakeReturnsTheLease() {
        store.fill();
        var first = one.origin();
        join(one, RULES, first);
        first.attempt().head(200, CACHE, FRESH).data("text").end();
        settle(one, TierWrite.DROPPED, 1);

        TierRest.await(() -> !store.isLeased());
        assertThat(one.tiers.shared().count(TierWrite.STORED)).isZero();
    }

    @Test
    void leaseThatIsGrantedTooLateIsReturned() {
        store.breaks(SharedRecords.Reason.TIMEOUT);
        var first = one.origin();
        join(one, RULES, first);
        awaitAsked(first);
        assertThat(store.isLeased()).isTrue();
        store.breaks(null);
        first.attempt().head(200, CACHE, "private").end();
        one.settle();
        var second = other.origin();
        join(other, RULES, second);

        awaitAsked(second);
        second.attempt().head(200, CACHE, "private").end();
    }

    @Test
    void clientThatLeavesReturnsTheLease() {
        var first = one.origin();
        var taker = one.fragment(one.here);
        var subscription = one.join(RULES, first, null, taker);
        one.settle();
        var second = other.origin();
        join(other, RULES, second);
        one.leave(subscription);
        passUntilAsked(other, second);

        second.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void clientThatLeavesDuringItsWaitHoldsNoLease() {
        var first = one.origin();
        join(one, RULES, first);
        var second = other.origin();
        var subscription = other.join(RULES, second, null, other.fragment(other.here));
        other.settle();
        other.leave(subscription);
        first.attempt().head(200, CACHE, "no-store").end();
        store.expireLeases();
        other.passOnLoops(POLL);

        assertThat(second.asked()).isZero();
        assertThat(store.isLeased()).isFalse();
    }

    @Test
    void leaseThatIsNotReturnedIsNotAwaitedForEver() {
        var first = one.origin();
        join(one, RULES, first);
        var second = other.origin();
        join(other, RULES, second);
        for (int i = 0; i * POLL.toMillis() <= TERMS.patience().toMillis(); i++) {
            other.passOnLoops(POLL);
        }

        awaitAsked(second);
        first.attempt().head(200, CACHE, "no-store").end();
        second.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void recordThatCannotBeReadEndsTheWaitForTheLease() {
        stored("text", CACHE, FRESH);
        var own = other.store.invalidations();
        var use =
                new SharedTier.Use(
                        store.of("other"),
                        new AlikePositions(own),
                        new RecordCodec(
                                new StoredHeads(() -> Compression.ESI), other.time, own::order),
                        TERMS);
        var key = RecordKey.of(CacheHouse.PAGE, Objects.requireNonNull(RULES.storage()));
        var told = new Told();
        other.here.run(() ->
                new SharedLease(use, key.hash(), other.here.events(), told, told).begin(told));
        other.settle();

        assertThat(told.heard).containsExactly("leased");
    }

    @Test
    void faultInTheFetchThatAwaitsTheLeaseReachesIt() {
        var own = other.store.invalidations();
        var use =
                new SharedTier.Use(
                        store.of("other"),
                        new AlikePositions(own),
                        new RecordCodec(
                                new StoredHeads(() -> Compression.ESI), other.time, own::order),
                        TERMS);
        var key = RecordKey.of(CacheHouse.PAGE, Objects.requireNonNull(RULES.storage()));
        var told =
                new Told() {
                    @Override
                    public void leased() {
                        throw new OutOfMemoryError("for the test");
                    }
                };
        other.here.run(() ->
                new SharedLease(use, key.hash(), other.here.events(), told, told).begin(told));
        other.settle();

        assertThat(told.heard).containsExactly("broken");
    }

    @Test
    void faultOfTheStoreFailsTheRequest() {
        store.throwsAtLeases();
        var taker = join(other, RULES, other.origin());

        assertThat(taker.heard()).containsExactly("failed BUG");
    }

    @Test
    void faultOfTheStoreFailsTheRequestThatWaits() {
        var first = one.origin();
        join(one, RULES, first);
        var taker = join(other, RULES, other.origin());
        store.throwsAtLeases();
        passUntil(other, () -> !taker.heard().isEmpty());

        assertThat(taker.heard()).containsExactly("failed BUG");
        first.attempt().head(200, CACHE, "no-store").end();
    }

    /** A fetch without memory for records. */
    private static class Told
            implements SharedLease.Reader, SharedLease.Validated, SharedLease.Fetch {
        final List<String> heard = new ArrayList<>();

        @Override
        public List<SharedRecords.Place> places(@Nullable ByteBuf record) {
            return List.of();
        }

        @Override
        public @Nullable StoredResponse read(ByteBuf record, SharedRecords.Place place) {
            throw new OutOfMemoryError("for the test");
        }

        @Override
        public boolean isHit(StoredResponse response) {
            return true;
        }

        @Override
        public @Nullable StoredResponse stale() {
            return null;
        }

        @Override
        public void replacedBy(StoredResponse newer) {
            newer.release();
        }

        @Override
        public void leased() {
            heard.add("leased");
        }

        @Override
        public void foundElsewhere(StoredResponse response) {
            heard.add("found");
        }

        @Override
        public void failedElsewhere() {
            heard.add("failed");
        }

        @Override
        public void later(Runnable step) {
            heard.add("broken");
        }
    }

    @Test
    void purgedRecordIsRefusedAndReplaced() {
        stored("old", CACHE, FRESH, "Cache-Tag", "news");
        purge(other);
        assertThat(searched(other)).isEqualTo("not found");
        assertThat(other.tiers.shared().count(TierOutcome.OUTDATED)).isEqualTo(1);

        var origin = other.origin();
        var taker = join(other, RULES, origin);
        origin.attempt().head(200, CACHE, FRESH).data("new").end();
        settle(other, TierWrite.STORED, 1);
        assertThat(taker.heard()).containsExactly("whole 200 new");

        purge(one);
        assertThat(one.textOf()).isNull();
        assertThat(searched(one)).isEqualTo("found new");
    }

    private static void purge(CacheHouse house) {
        house.store.purge(new Purge(Set.of(CacheHouse.PAGE), Set.of(), Set.of(), List.of()), false);
    }

    @Test
    void fetchFromBeforeAPurgeDoesNotReplaceTheNewResponse() {
        var late = one.origin();
        join(one, RULES, late);
        purge(one);
        purge(other);
        store.expireLeases();
        var origin = other.origin();
        join(other, RULES, origin);
        origin.attempt().head(200, CACHE, FRESH).data("new").end();
        settle(other, TierWrite.STORED, 1);
        late.attempt().head(200, CACHE, FRESH).data("old").end();
        one.settle();

        assertThat(searched(one)).isEqualTo("found new");
    }

    @ParameterizedTest
    @EnumSource
    void storeWithoutAnswersDelaysNothing(SharedRecords.Reason reason) {
        store.breaks(reason);
        assertThat(searched(other)).isIn(null, "not found");
        var origin = other.origin();
        var taker = join(other, RULES, origin);
        awaitAsked(origin);
        origin.attempt().head(200, CACHE, FRESH).data("text").end();

        assertThat(taker.heard()).containsExactly("whole 200 text");
    }

    @Test
    void requestWaitsForNoLeaseAfterASearchWithoutAnAnswer() {
        store.breaks(SharedRecords.Reason.TIMEOUT);
        assertThat(searched(other)).isEqualTo("not found");
        var origin = other.origin();
        join(other, RULES, origin);

        awaitAsked(origin);
        assertThat(store.questions()).isEqualTo(1);
        origin.attempt().head(200, CACHE, "no-store").end();
        other.time.pass(Duration.ofSeconds(1));
        var later = other.origin();
        join(other, RULES, later);
        assertThat(store.questions()).isEqualTo(2);
        later.attempt().head(200, CACHE, "no-store").end();
    }

    @Test
    void damagedRecordIsAMissAndRemoved() {
        stored("text", CACHE, FRESH);
        store.damage();

        assertThat(searched(other)).isEqualTo("not found");
        assertThat(other.tiers.shared().count(TierOutcome.CORRUPT)).isEqualTo(1);
        assertThat(store.size()).isZero();
    }

    @Test
    void recordWhoseReadingFailsIsAMiss() {
        stored("text", CACHE, FRESH);
        other.tiers.shared().end(Duration.ofSeconds(5));
        other.tiers
                .shared()
                .use(
                        store.of("other"),
                        new AlikePositions(other.store.invalidations()) {
                            @Override
                            public long of(RecordPosition position) {
                                throw new IllegalStateException("for the test");
                            }
                        },
                        TERMS);

        assertThat(searched(other)).isEqualTo("not found");
        assertThat(other.tiers.shared().count(TierOutcome.ERROR)).isEqualTo(1);
    }

    @Test
    void newerResponseThatIsNotWrittenRemovesTheOlder() {
        stored("old", CACHE, FRESH);
        for (var head : List.of("max-age=5", "private", "no-store")) {
            var origin = one.origin();
            one.fetchUncoalesced(origin, one.fragment(one.here));
            one.time.pass(Duration.ofSeconds(2));
            other.time.pass(Duration.ofSeconds(2));
            uncoalesced(head);

            assertThat(store.size()).as(head).isZero();
            one.stored(RULES, "old", CACHE, FRESH);
            TierRest.await(() -> store.size() == 1);
            origin.attempt().fail(Kind.UNREACHABLE);
        }
    }

    private void uncoalesced(String cacheControl) {
        var origin = one.origin();
        var taker = one.fragment(one.here);
        one.here.run(() -> one.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
        origin.attempt().head(200, CACHE, cacheControl).data("newer").end();
        one.settle();
    }

    @Test
    void newerResponseThatIsTooLongForARecordRemovesTheOlder() {
        stored("old", CACHE, FRESH);
        one.stored(RULES, "newer", CACHE, FRESH, "X-Long", "x".repeat(2_000));
        settle(one, TierWrite.REFUSED, 1);

        TierRest.await(() -> store.size() == 0);
    }

    @Test
    void eachVariantIsRemovedThatANewerResponseOutdates() {
        for (var language : List.of("en", "fr")) {
            one.stored(
                    RULES,
                    language,
                    Fields.of("Accept-Language", language),
                    CACHE,
                    FRESH,
                    "Vary",
                    "Accept-Language");
        }
        settle(one, TierWrite.STORED, 2);
        for (var language : List.of("en", "fr")) {
            var origin = one.origin();
            var taker = one.fragment(one.here, "Accept-Language", language);
            one.fetchUncoalesced(origin, taker);
            one.here.run(
                    () -> one.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
            origin.attempt(0).head(200, CACHE, "no-store").end();
            origin.attempt(1).head(200, CACHE, "no-store").end();
        }

        assertThat(store.size()).describedAs("the list").isEqualTo(1);
        for (var language : List.of("en", "fr")) {
            assertThat(searched(other, "Accept-Language", language)).isEqualTo("not found");
        }
    }

    @Test
    void freshResponseThatAClientWantsValidatedIsNotTakenFromTheStore() {
        stored("text", CACHE, FRESH, "ETag", "\"1\"");
        assertThat(searched(other)).isEqualTo("found text");
        var origin = other.origin();
        var taker = other.fragment(other.here);
        other.here.run(() -> {
            var fresh = other.found();
            other.coalescer.join(CacheHouse.PAGE, origin, RULES, fresh, () -> false, taker);
        });
        other.settle();

        awaitAsked(origin);
        origin.attempt().head(304, "ETag", "\"1\"").end();
        assertThat(taker.heard()).containsExactly("whole 200 text");
    }

    @Test
    void refreshInTheBackgroundTakesTheResponseOfAnother() {
        other.stored(RULES, "old", CACHE, FRESH);
        settle(other, TierWrite.STORED, 1);
        one.time.pass(Duration.ofSeconds(150));
        other.time.pass(Duration.ofSeconds(150));
        one.stored(RULES, "new", CACHE, FRESH);
        settle(one, TierWrite.STORED, 1);
        var origin = other.origin();
        other.refresh(RULES, origin);
        other.settle();

        assertThat(origin.asked()).isZero();
        assertThat(other.textOf()).isEqualTo("new");
    }

    @Test
    void settingsOfTheOtherProxyDecideOfItsOwnRecords() {
        stored("text", CACHE, FRESH);
        var elsewhere =
                CacheHouse.rules(
                                EsiProcessing.ON,
                                new Settings(
                                        Duration.ofDays(1),
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        true,
                                        false,
                                        "quire"))
                        .recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
        var taker = other.reader(other.here).looking(other::textOf);
        other.here.run(() -> other.tiers.search(CacheHouse.PAGE, elsewhere, key -> key, taker));
        TierRest.await(() -> !taker.heard().isEmpty());

        assertThat(taker.heard()).containsExactly("not found");
    }
}
