package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Miss;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.Pass;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions about a request. */
class CachePolicyTest {
    private static final RequestHead GET = request("GET");
    private static final RequestHead HEAD = request("HEAD");

    /** Fresh for a minute, then 30 s of grace. */
    private static final Page PAGE = new Page(minute(false), false);

    private static final Page PAGE_WITH_ETAG = new Page(minute(false), true);
    private static final Page ALWAYS_ASKED = new Page(minute(true), true);

    private static final Instant FRESH = NOW.plusSeconds(60).minusNanos(1);
    private static final Instant STALE = NOW.plusSeconds(60);
    private static final Instant LAST_OF_GRACE = NOW.plusSeconds(90).minusNanos(1);
    private static final Instant PAST_GRACE = NOW.plusSeconds(90);

    private record Page(Freshness freshness, boolean hasValidator) implements StoredView {}

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PURGE", "get", "Head"})
    void otherMethodsPassWhateverIsStored(String method) {
        assertThat(decide(request(method), PAGE, FRESH)).isEqualTo(new Pass<>(PassReason.METHOD));
    }

    @Test
    void requestWithABodyPassesWhateverIsStored() {
        assertThat(CachePolicy.decide(GET, true, PAGE, false, false, FRESH))
                .isEqualTo(new Pass<>(PassReason.BODY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"If-Match", "if-unmodified-since"})
    void conditionForTheOriginPassesWhateverIsStored(String name) {
        assertThat(decide(request("GET", name, "x"), PAGE, FRESH))
                .isEqualTo(new Pass<>(PassReason.CONDITION));
    }

    @Test
    void freshIsAHit() {
        assertThat(decide(GET, PAGE, FRESH)).isEqualTo(new Hit<>(PAGE));
        assertThat(decide(HEAD, PAGE, FRESH)).isEqualTo(new Hit<>(PAGE));
    }

    @Test
    void staleWithinGraceIsServedWhileItIsRefreshed() {
        assertThat(decide(GET, PAGE, STALE)).isEqualTo(new StaleHit<>(PAGE));
        assertThat(decide(GET, PAGE, LAST_OF_GRACE)).isEqualTo(new StaleHit<>(PAGE));
        assertThat(decide(HEAD, PAGE, LAST_OF_GRACE)).isEqualTo(new StaleHit<>(PAGE));
    }

    @Test
    void stalePastItsGraceIsValidated() {
        assertThat(decide(GET, PAGE_WITH_ETAG, PAST_GRACE))
                .isEqualTo(new Revalidate<>(PAGE_WITH_ETAG, RevalidateReason.STALE));
        assertThat(decide(HEAD, PAGE_WITH_ETAG, PAST_GRACE))
                .isEqualTo(new Revalidate<>(PAGE_WITH_ETAG, RevalidateReason.STALE));
    }

    @Test
    void stalePastItsGraceWithNothingToAskByIsAMiss() {
        assertThat(decide(GET, PAGE, PAST_GRACE)).isEqualTo(new Miss<>(MissReason.STALE, PAGE));
    }

    @Test
    void whatWantsToBeAskedIsValidatedEvenWhileFresh() {
        assertThat(decide(GET, ALWAYS_ASKED, FRESH))
                .isEqualTo(new Revalidate<>(ALWAYS_ASKED, RevalidateReason.NO_CACHE));
        assertThat(decide(GET, ALWAYS_ASKED, STALE))
                .isEqualTo(new Revalidate<>(ALWAYS_ASKED, RevalidateReason.NO_CACHE));
    }

    @Test
    void nothingStoredIsAMiss() {
        assertThat(decide(GET, null, NOW)).isEqualTo(new Miss<>(MissReason.URI_MISS));
    }

    @Test
    void onlyOtherVariantsStoredIsAMissByVary() {
        assertThat(CachePolicy.decide(GET, false, null, true, false, NOW))
                .isEqualTo(new Miss<>(MissReason.VARY_MISS));
    }

    @Test
    void headPassesWhenNothingUsableIsStored() {
        assertThat(decide(HEAD, null, NOW)).isEqualTo(new Pass<>(PassReason.HEAD));
        assertThat(decide(HEAD, PAGE, PAST_GRACE)).isEqualTo(new Pass<>(PassReason.HEAD));
    }

    @Test
    void keyKnownNotToBeStorablePassesWhenNothingUsableIsStored() {
        var pass = new Pass<>(PassReason.HIT_FOR_MISS);

        assertThat(CachePolicy.decide(GET, false, null, true, true, NOW)).isEqualTo(pass);
        assertThat(CachePolicy.decide(GET, false, PAGE, false, true, PAST_GRACE)).isEqualTo(pass);
    }

    @Test
    void whatIsStoredAnswersThoughTheKeyWasNotStorableLately() {
        assertThat(CachePolicy.decide(GET, false, PAGE, false, true, FRESH))
                .isEqualTo(new Hit<>(PAGE));
    }

    @Test
    void clientCannotDriveTheOrigin() {
        var eager =
                request(
                        "GET",
                        "Cache-Control",
                        "no-cache, no-store, max-age=0",
                        "Pragma",
                        "no-cache",
                        "If-None-Match",
                        "\"1\"");

        assertThat(decide(eager, PAGE, FRESH)).isEqualTo(new Hit<>(PAGE));
    }

    @ParameterizedTest
    @EnumSource(PassReason.class)
    void labelsOfPassesAreTheirNames(PassReason reason) {
        assertThat(reason.label().replace('-', '_')).isEqualToIgnoringCase(reason.name());
    }

    @ParameterizedTest
    @EnumSource(MissReason.class)
    void labelsOfMissesAreTheirNames(MissReason reason) {
        assertThat(reason.label().replace('-', '_')).isEqualToIgnoringCase(reason.name());
    }

    @ParameterizedTest
    @EnumSource(RevalidateReason.class)
    void labelsOfValidationsAreTheirNames(RevalidateReason reason) {
        assertThat(reason.label().replace('-', '_')).isEqualToIgnoringCase(reason.name());
    }

    private static CacheDecision<Page> decide(
            RequestHead request, @Nullable Page stored, Instant now) {
        return CachePolicy.decide(request, false, stored, false, false, now);
    }

    private static Freshness minute(boolean validateAlways) {
        return new Freshness(
                NOW,
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ZERO,
                Duration.ZERO,
                validateAlways);
    }
}
