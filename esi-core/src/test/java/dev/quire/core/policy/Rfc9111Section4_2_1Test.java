package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The freshness lifetime. */
class Rfc9111Section4_2_1Test {

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"s-maxage=60, max-age=5", "max-age=5, s-maxage=60"})
    void sMaxAgeStandsBeforeMaxAge(String value) {
        assertThat(Arriving.with("Cache-Control", value).lifetime()).isEqualTo(60);
    }

    @Must
    @Test
    void sMaxAgeStandsBeforeMaxAgeOnAnotherLine() {
        assertThat(
                        Arriving.with("Cache-Control", "max-age=5", "Cache-Control", "s-maxage=60")
                                .lifetime())
                .isEqualTo(60);
    }

    @Must
    @Test
    void shorterSMaxAgeAlsoStandsBeforeMaxAge() {
        assertThat(
                        Arriving.with("Cache-Control", "s-maxage=0, max-age=60", "ETag", "\"1\"")
                                .lifetime())
                .isZero();
    }

    @Must
    @ParameterizedTest
    @CsvSource({"-60", "60", "6000"})
    void maxAgeStandsBeforeAnyExpires(long expires) {
        assertThat(
                        Arriving.with("Cache-Control", "max-age=30", "Expires", noonPlus(expires))
                                .lifetime())
                .isEqualTo(30);
    }

    @Must
    @Test
    void maxAgeStandsBeforeAnInvalidExpires() {
        assertThat(Arriving.with("Cache-Control", "max-age=30", "Expires", "0").lifetime())
                .isEqualTo(30);
    }

    @May
    @Test
    void maxAgeThatIsNoNumberIsNotReplacedByExpires() {
        assertThat(
                        Arriving.with(
                                        "Cache-Control", "max-age=x",
                                        "Expires", noonPlus(60),
                                        "ETag", "\"1\"")
                                .lifetime())
                .isZero();
    }

    @Must
    @Test
    void expiresCountsFromDate() {
        assertThat(Arriving.with("Expires", noonPlus(90), "Date", noonPlus(-10)).lifetime())
                .isEqualTo(100);
    }

    @Should
    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "Thu, 18 Aug 2050 02:01:18 UTC", ""})
    void expiresCountsFromTheTimeReceivedWithoutAValidDate(String date) {
        assertThat(Arriving.with("Expires", noonPlus(90), "Date", date).lifetime()).isEqualTo(90);
        assertThat(Arriving.with("Expires", noonPlus(90)).lifetime()).isEqualTo(90);
    }

    @Must
    @Test
    void expiresBeforeDateIsStaleThoughBothAreAhead() {
        assertThat(
                        Arriving.with(
                                        "Expires", noonPlus(50),
                                        "Date", noonPlus(60),
                                        "ETag", "\"1\"")
                                .lifetime())
                .isZero();
    }

    @Should
    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "Thu, 18 Aug 2050 02:01:18 UTC", ""})
    void invalidExpiresHasAlreadyExpired(String expires) {
        assertThat(Arriving.with("Expires", expires, "Last-Modified", noonPlus(-86_400)).lifetime())
                .isZero();
    }

    @May
    @Test
    void firstOfTwoExpiresCounts() {
        assertThat(Arriving.with("Expires", noonPlus(5), "Expires", noonPlus(90)).lifetime())
                .isEqualTo(5);
    }

    @May
    @Test
    void expiresBeyond2038Works() {
        assertThat(Arriving.with("Expires", "Fri, 20 Nov 2043 12:00:00 GMT").lifetime())
                .isEqualTo(536_457_600);
        assertThat(Arriving.with("Expires", "Mon, 20 Nov 2286 17:46:40 GMT").lifetime())
                .isEqualTo(2_147_483_648L);
    }

    @Must
    @Test
    void expiresAtDateIsStaleAtOnce() {
        assertThat(Arriving.with("Expires", noonPlus(0), "ETag", "\"1\"").lifetime()).isZero();
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"2147483647", "2147483648", "2147483649", "99999999999"})
    void hugeLifetimesAreLifetimes(String seconds) {
        var freshness = Arriving.with("Cache-Control", "max-age=" + seconds).freshness();

        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(2_000_000_000))).isTrue();
        assertThat(freshness.uselessAfter()).isAfter(Arriving.NOW);
    }
}
