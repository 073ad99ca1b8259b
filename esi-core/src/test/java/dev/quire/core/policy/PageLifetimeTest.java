package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lifetime of an assembled page for clients. */
class PageLifetimeTest {
    private static final ClientLifetime NO_PARTS = ClientLifetime.UNRESTRICTED;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60 | 50",
                "max-age=10 | 0",
                "max-age=5 | 0",
                "public, max-age=60 | 50",
                "private, max-age=60 | 50",
                "max-age=60, s-maxage=30 | 20",
                "max-age=60, s-maxage=600 | 50",
                "s-maxage=60 | 0",
                "no-cache, max-age=60 | 0",
                "no-store, max-age=60 | 0",
                "max-age=x | 0",
                "public | 0"
            })
    void partIsReusableForWhatIsLeftOfItsLifetime(String cacheControl, long seconds) {
        assertThat(part(cacheControl, 10).reusableFor()).hasSeconds(seconds);
    }

    @Test
    void expiresIsALifetimeWhereNoMaxAgeIs() {
        var fields =
                Fields.of(
                        "Date", "Fri, 20 Nov 2026 12:00:00 GMT",
                        "Expires", "Fri, 20 Nov 2026 12:01:00 GMT");

        assertThat(ClientLifetime.of(fields, Duration.ofSeconds(10)).reusableFor()).hasSeconds(50);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "Fri, 20 Nov 2026 11:00:00 GMT"})
    void expiresInThePastIsNoLifetime(String expires) {
        var fields = Fields.of("Date", "Fri, 20 Nov 2026 12:00:00 GMT", "Expires", expires);

        assertThat(ClientLifetime.of(fields, Duration.ZERO).reusableFor()).isZero();
    }

    @Test
    void surrogateControlSaysNothingToClients() {
        var part = ClientLifetime.of(Fields.of("Surrogate-Control", "max-age=60"), Duration.ZERO);

        assertThat(part.reusableFor()).isZero();
        assertThat(part.isPrivate()).isFalse();
        assertThat(part.noStore()).isFalse();
    }

    @Test
    void bothTogetherForbidWhatEitherForbids() {
        var one = new ClientLifetime(true, true, false, true, Duration.ofSeconds(5));
        var other = new ClientLifetime(false, false, true, false, Duration.ofSeconds(3));
        var both = new ClientLifetime(true, false, true, true, Duration.ofSeconds(3));

        assertThat(one.and(other)).isEqualTo(both);
        assertThat(other.and(one)).isEqualTo(both);
        assertThat(both.and(ClientLifetime.UNRESTRICTED)).isEqualTo(both);
        assertThat(ClientLifetime.UNRESTRICTED.and(both)).isEqualTo(both);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60 | true",
                "private, max-age=60 | true",
                "max-age=10 | false",
                "max-age=60, no-cache | false",
                "max-age=60, no-store | false",
                "public | false"
            })
    void headWaitsOnlyIfThePageItselfMayBeReused(String cacheControl, boolean waits) {
        assertThat(PageLifetime.needsAllParts(part(cacheControl, 10))).isEqualTo(waits);
    }

    @Test
    void lifetimesLoseOnlyWholeSecondsOfAge() {
        var second = new ClientLifetime(false, false, false, false, Duration.ofSeconds(1));

        assertThat(second.after(Duration.ofMillis(1)).cacheControl()).isEqualTo("max-age=1");
        assertThat(second.after(Duration.ofMillis(999)).cacheControl()).isEqualTo("max-age=1");
        assertThat(second.after(Duration.ofSeconds(1)).cacheControl()).isEqualTo("no-cache");
        assertThat(PageLifetime.needsAllParts(second.after(Duration.ofMillis(999)))).isTrue();
        assertThat(part("max-age=60", 0).after(Duration.ofMillis(1_500)).cacheControl())
                .isEqualTo("max-age=59");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60 | max-age=30 | max-age=30",
                "max-age=30 | max-age=60 | max-age=30",
                "public, max-age=600 | public, max-age=10 | public, max-age=10",
                "public, max-age=600 | max-age=10 | max-age=10",
                "public, max-age=600 | private, max-age=10 | private, max-age=10",
                "max-age=60 | private, max-age=30 | private, max-age=30",
                "private, max-age=60 | max-age=30 | private, max-age=30",
                "max-age=60 | no-cache | no-cache",
                "max-age=60 | private, no-cache | private, no-cache",
                "max-age=60 | no-store | no-store",
                "no-store | max-age=30 | no-store",
                "max-age=60 | max-age=30, must-revalidate | max-age=30, must-revalidate",
                "max-age=60, must-revalidate | max-age=30 | max-age=30, must-revalidate",
                "max-age=60 | public | no-cache",
                "no-cache | max-age=30 | no-cache",
                "no-cache | private, max-age=30 | private, no-cache",
                "public | max-age=30 | no-cache"
            })
    void pageIsAsRestrictedAsItsStrictestPart(String page, String part, String expected) {
        assertThat(PageLifetime.cacheControl(part(page, 0), part(part, 0), false, false))
                .isEqualTo(expected);
    }

    @Test
    void pageWithoutFragmentsKeepsItsOwnLifetime() {
        assertThat(PageLifetime.cacheControl(part("max-age=60", 10), NO_PARTS, false, false))
                .isEqualTo("max-age=50");
    }

    @Test
    void partForOneReaderOrUnknownMakesThePagePrivate() {
        assertThat(PageLifetime.cacheControl(part("no-cache", 0), NO_PARTS, true, false))
                .isEqualTo("private, no-cache");
        assertThat(PageLifetime.cacheControl(part("max-age=60", 0), NO_PARTS, true, false))
                .isEqualTo("private, max-age=60");
        assertThat(PageLifetime.cacheControl(part("no-store", 0), NO_PARTS, true, false))
                .isEqualTo("no-store");
    }

    @Test
    void pageThatLacksAFragmentIsNotKept() {
        assertThat(PageLifetime.cacheControl(part("max-age=60", 0), NO_PARTS, false, true))
                .isEqualTo("no-store");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60 | true",
                "no-cache | true",
                "private, max-age=60 | false",
                "no-store | false"
            })
    void onlyWhatEveryClientMayKeepHasATag(String whole, boolean mayHaveTag) {
        assertThat(PageLifetime.mayHaveTag(part(whole, 0))).isEqualTo(mayHaveTag);
    }

    @Test
    void negativeLifetimeIsRefused() {
        assertThatThrownBy(() ->
                        new ClientLifetime(false, false, false, false, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reusableFor");
    }

    private static ClientLifetime part(String cacheControl, long age) {
        return ClientLifetime.of(Fields.of("Cache-Control", cacheControl), Duration.ofSeconds(age));
    }
}
