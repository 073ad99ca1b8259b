package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    private static final AuthorLifetime STAMPED =
            new AuthorLifetime(ONE_MINUTE.lifetime(), Optional.empty(), true);

    @ParameterizedTest
    @ValueSource(strings = {"max-age=0", "max-age=86400", "s-maxage=5", "no-cache", "public"})
    void lifetimeOfThePageStandsBeforeThatOfTheFragment(String cacheControl) {
        var freshness = kept(STAMPED, 200, "Cache-Control", cacheControl);

        assertThat(freshness.isFreshAt(NOON.plusSeconds(59))).isTrue();
        assertThat(freshness.isFreshAt(NOON.plusSeconds(60))).isFalse();
        assertThat(freshness.validateAlways()).isFalse();
    }

    @Test
    void lifetimeWithoutStampShortensThatOfTheFragment() {
        var freshness = kept(ONE_MINUTE, 200, "Cache-Control", "max-age=86400");

        assertThat(freshness.isFreshAt(NOON.plusSeconds(59))).isTrue();
        assertThat(freshness.isFreshAt(NOON.plusSeconds(60))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"s-maxage=5", "max-age=5", "s-maxage=5, max-age=600"})
    void lifetimeWithoutStampDoesNotExtendThatOfTheFragment(String cacheControl) {
        var freshness = kept(ONE_MINUTE, 200, "Cache-Control", cacheControl);

        assertThat(freshness.isFreshAt(NOON.plusSeconds(4))).isTrue();
        assertThat(freshness.isFreshAt(NOON.plusSeconds(5))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-age=0", "no-cache", "private", "no-store", "public, max-age=0"})
    void lifetimeWithoutStampDoesNotStoreWhatTheOriginDoesNot(String cacheControl) {
        assertThat(storing(ONE_MINUTE, 200, "Cache-Control", cacheControl))
                .isInstanceOf(StorageDecision.Refuse.class);
    }

    @Test
    void lifetimeWithoutStampOnlyShortensThatOfTheOperator() {
        assertThat(freshSeconds(ONE_MINUTE, operator(5, 0))).isEqualTo(5);
        assertThat(freshSeconds(ONE_MINUTE, operator(600, 0))).isEqualTo(60);
        assertThat(freshSeconds(ONE_MINUTE, operator(0, 5))).isEqualTo(5);
        assertThat(freshSeconds(ONE_MINUTE, operator(0, 600))).isEqualTo(60);
        assertThat(freshSeconds(STAMPED, operator(5, 5))).isEqualTo(60);
        assertThat(freshSeconds(ONE_MINUTE, operator(0, 0))).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cookie", "Authorization"})
    void lifetimeWithoutStampIsNotForResponsesToCredentials(String name) {
        var request =
                new RequestHead("GET", Scheme.HTTP, "news.example", "/f", Fields.of(name, "id=1"));
        var spoken = new ResponseHead(200, "", Fields.of("Cache-Control", "public"));

        assertThat(CachePolicy.storing(request, spoken, AT_NOON, Settings.DEFAULT, ONE_MINUTE))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.NO_LIFETIME));
        assertThat(CachePolicy.storing(request, spoken, AT_NOON, Settings.DEFAULT, STAMPED))
                .isInstanceOf(StorageDecision.Keep.class);
    }

    @Test
    void fragmentThatSaysNothingIsKept() {
        assertThat(kept(ONE_MINUTE, 200).isFreshAt(NOON.plusSeconds(59))).isTrue();
    }

    @Test
    void lifetimeCountsFromTheArrivalHoweverOldTheFragmentIs() {
        for (var freshness :
                List.of(
                        kept(STAMPED, 200, "Cache-Control", "max-age=10", "Age", "500"),
                        kept(ONE_MINUTE, 200, "Cache-Control", "max-age=900", "Age", "500"))) {
            assertThat(freshness.ageAt(NOON)).hasSeconds(500);
            assertThat(freshness.isFreshAt(NOON.plusSeconds(59))).isTrue();
            assertThat(freshness.isFreshAt(NOON.plusSeconds(60))).isFalse();
        }
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

        assertThat(CachePolicy.storing(withCookie, silent, AT_NOON, Settings.DEFAULT, ONE_MINUTE))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.NO_LIFETIME));
        assertThat(CachePolicy.storing(withCookie, silent, AT_NOON, Settings.DEFAULT, STAMPED))
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
                        Optional.of(Duration.ofMinutes(1)),
                        Optional.of(Duration.ofSeconds(30)),
                        true);

        var freshness = kept(author, 200, "Cache-Control", "max-age=5, stale-if-error=900");

        assertThat(freshness.grace()).hasSeconds(30);
        assertThat(freshness.staleIfError()).hasSeconds(30);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(30);
    }

    @Test
    void staleTimeWithoutStampIsForSilentFragmentsAndShortensOthers() {
        var author = new AuthorLifetime(Optional.empty(), Optional.of(Duration.ofSeconds(30)));
        var timed = new AuthorLifetime(ONE_MINUTE.lifetime(), author.staleFor());

        var silent = kept(timed, 200);
        var shortened =
                kept(
                        author,
                        200,
                        "Cache-Control",
                        "max-age=5, stale-while-revalidate=900, stale-if-error=3");

        assertThat(silent.grace()).hasSeconds(30);
        assertThat(silent.staleIfError()).hasSeconds(30);
        assertThat(shortened.grace()).hasSeconds(30);
        assertThat(shortened.staleIfError()).hasSeconds(3);
        assertThat(kept(author, 200, "Cache-Control", "max-age=5").grace())
                .isEqualTo(Settings.DEFAULT.grace());
    }

    @Test
    void originThatForbidsStaleIsObeyed() {
        var author = new AuthorLifetime(Optional.empty(), Optional.of(Duration.ofSeconds(30)));

        var freshness = kept(author, 200, "Cache-Control", "max-age=5, must-revalidate");

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
    }

    private static OperatorLifetime operator(int ttl, int defaultTtl) {
        return new OperatorLifetime(
                seconds(ttl), Optional.empty(), Optional.empty(), seconds(defaultTtl));
    }

    /** Returns the duration, empty for 0. */
    private static Optional<Duration> seconds(int seconds) {
        return Optional.of(Duration.ofSeconds(seconds)).filter(Duration::isPositive);
    }

    /** Returns the seconds that a silent response stays fresh. */
    private static long freshSeconds(AuthorLifetime author, OperatorLifetime operator) {
        var storing =
                CachePolicy.storing(
                        GET,
                        new ResponseHead(200, "", Fields.EMPTY),
                        AT_NOON,
                        Settings.DEFAULT.with(operator),
                        author);
        assertThat(storing).isInstanceOf(StorageDecision.Keep.class);
        return ((StorageDecision.Keep) storing).freshness().lifetime().toSeconds();
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
