package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorLifetimeTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final ResponseTimes AT_NOON = new ResponseTimes(NOON, NOON, NOON);
    private static final RequestHead GET =
            new RequestHead("GET", Scheme.HTTP, "news.example", "/f", Fields.EMPTY);

    private static final AuthorLifetime ONE_MINUTE =
            new AuthorLifetime(Optional.of(Duration.ofMinutes(1)), Optional.empty());

    @ParameterizedTest
    @ValueSource(strings = {"max-age=0", "max-age=86400", "s-maxage=5", "no-cache", "public"})
    void lifetimeOfThePageStandsBeforeThatOfTheFragment(String cacheControl) {
        var freshness = kept(ONE_MINUTE, 200, "Cache-Control", cacheControl);

        assertThat(freshness.isFreshAt(NOON.plusSeconds(59))).isTrue();
        assertThat(freshness.isFreshAt(NOON.plusSeconds(60))).isFalse();
        assertThat(freshness.validateAlways()).isFalse();
    }

    @Test
    void fragmentThatSaysNothingIsKept() {
        assertThat(kept(ONE_MINUTE, 200).isFreshAt(NOON.plusSeconds(59))).isTrue();
    }

    @Test
    void lifetimeCountsFromTheArrivalHoweverOldTheFragmentIs() {
        var freshness = kept(ONE_MINUTE, 200, "Cache-Control", "max-age=10", "Age", "500");

        assertThat(freshness.ageAt(NOON)).hasSeconds(500);
        assertThat(freshness.isFreshAt(NOON.plusSeconds(59))).isTrue();
        assertThat(freshness.isFreshAt(NOON.plusSeconds(60))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"private", "no-store"})
    void whatMustNotBeKeptIsNotKeptByIt(String cacheControl) {
        var storing = storing(ONE_MINUTE, 200, "Cache-Control", cacheControl);

        assertThat(storing).isInstanceOf(StorageDecision.Refuse.class);
    }

    @Test
    void lifetimeOfAnIncludeWithoutStampIsNotForSilentAnswersToCookies() {
        var withCookie =
                new RequestHead(
                        "GET", Scheme.HTTP, "news.example", "/f", Fields.of("Cookie", "id=1"));
        var silent = new ResponseHead(200, "", Fields.EMPTY);
        var outspoken = new ResponseHead(200, "", Fields.of("Cache-Control", "max-age=5"));
        var stamped = new AuthorLifetime(ONE_MINUTE.lifetime(), Optional.empty(), true);

        assertThat(CachePolicy.storing(withCookie, silent, AT_NOON, Settings.DEFAULT, ONE_MINUTE))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.NO_LIFETIME));
        assertThat(CachePolicy.storing(withCookie, silent, AT_NOON, Settings.DEFAULT, stamped))
                .isInstanceOf(StorageDecision.Keep.class);
        assertThat(
                        CachePolicy.storing(
                                withCookie, outspoken, AT_NOON, Settings.DEFAULT, ONE_MINUTE))
                .isInstanceOf(StorageDecision.Keep.class);
        assertThat(CachePolicy.storing(GET, silent, AT_NOON, Settings.DEFAULT, ONE_MINUTE))
                .isInstanceOf(StorageDecision.Keep.class);
    }

    @Test
    void cookieThatIsSetForOneIsNotKeptByIt() {
        assertThat(storing(ONE_MINUTE, 200, "Set-Cookie", "a=b"))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.SET_COOKIE));
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 404, 500, 503})
    void failureIsNotKeptByIt(int status) {
        assertThat(storing(ONE_MINUTE, status, "Cache-Control", "max-age=0"))
                .isInstanceOf(StorageDecision.Refuse.class);
    }

    @Test
    void staleTimeOfThePageIsForRefreshingAndForErrors() {
        var author =
                new AuthorLifetime(
                        Optional.of(Duration.ofMinutes(1)), Optional.of(Duration.ofSeconds(30)));

        var freshness = kept(author, 200, "Cache-Control", "max-age=5, stale-if-error=900");

        assertThat(freshness.grace()).hasSeconds(30);
        assertThat(freshness.staleIfError()).hasSeconds(30);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(30);
    }

    @Test
    void originThatForbidsStaleIsObeyed() {
        var author = new AuthorLifetime(Optional.empty(), Optional.of(Duration.ofSeconds(30)));

        var freshness = kept(author, 200, "Cache-Control", "max-age=5, must-revalidate");

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
    }

    private static Freshness kept(AuthorLifetime author, int status, String... fields) {
        var storing = storing(author, status, fields);
        assertThat(storing).isInstanceOf(StorageDecision.Keep.class);
        return ((StorageDecision.Keep) storing).freshness();
    }

    private static StorageDecision storing(AuthorLifetime author, int status, String... fields) {
        return CachePolicy.storing(
                GET,
                new ResponseHead(status, "", Fields.of(fields)),
                AT_NOON,
                Settings.DEFAULT,
                author);
    }
}
