package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The directives of Cache-Control. */
class Rfc9111Section5_2Test {

    @Must
    @Test
    void everyDirectiveWeKnowIsRead() {
        var directives =
                parsed(
                        "no-store, no-cache, private, public, must-revalidate, proxy-revalidate,"
                                + " must-understand, max-age=1, s-maxage=2,"
                                + " stale-while-revalidate=3, stale-if-error=4");

        assertThat(directives.noStore()).isTrue();
        assertThat(directives.noCache()).isTrue();
        assertThat(directives.isPrivate()).isTrue();
        assertThat(directives.isPublic()).isTrue();
        assertThat(directives.mustRevalidate()).isTrue();
        assertThat(directives.proxyRevalidate()).isTrue();
        assertThat(directives.mustUnderstand()).isTrue();
        assertThat(directives.maxAge()).contains(Duration.ofSeconds(1));
        assertThat(directives.sMaxAge()).contains(Duration.ofSeconds(2));
        assertThat(directives.staleWhileRevalidate()).contains(Duration.ofSeconds(3));
        assertThat(directives.staleIfError()).contains(Duration.ofSeconds(4));
    }

    @Must
    @Test
    void noFieldSaysNothing() {
        var directives = CacheControl.of(Fields.of("Expires", "0"));

        assertThat(directives.maxAge()).isEmpty();
        assertThat(directives.noStore()).isFalse();
        assertThat(directives.noCache()).isFalse();
        assertThat(directives.isPrivate()).isFalse();
    }

    @Must
    @Test
    void allLinesAreOneListAndNamesHaveNoCase() {
        var directives =
                CacheControl.of(
                        Fields.of("cache-control", "MAX-AGE=60", "Cache-Control", "Public"));

        assertThat(directives.maxAge()).contains(Duration.ofSeconds(60));
        assertThat(directives.isPublic()).isTrue();
    }

    @Should
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=3600 | 3600",
                "max-age=\"3600\" | 3600",
                "max-age=003600 | 3600",
                "max-age=0 | 0",
                "max-age=2147483647 | 2147483647",
                "max-age=2147483648 | 2147483648",
                "max-age=2147483649 | 2147483648",
                "max-age=99999999999 | 2147483648",
                "max-age=99999999999999999999999999 | 2147483648",
                "max-age=-3600 | 0",
                "max-age='3600' | 0",
                "max-age=3600.0 | 0",
                "max-age=a3600 | 0",
                "max-age=3600a | 0",
                "max-age=+3600 | 0",
                "max-age=\"3600 | 0",
                "max-age=\"3600\"x | 0",
                "max-age= | 0",
                "max-age | 0",
                "max-age=٣٣ | 0"
            })
    void onlyDigitsAreANumber(String value, long seconds) {
        assertThat(parsed(value).maxAge()).contains(Duration.ofSeconds(seconds));
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"max-age =60", "max-age= 60", "max-age = 60", "max-age\t=60"})
    void whiteSpaceBesideTheSignMakesADirectiveUnknown(String value) {
        assertThat(parsed(value).maxAge()).isEmpty();
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "extension=\"max-age=3600\", max-age=1",
                "max-age=1, extension=\"max-age=3600\"",
                "extension=\"max-age=3600, max-age=7\", max-age=1",
                "extension=\"a\\\", max-age=3600, \", max-age=1"
            })
    void quotesHideCommasAndSigns(String value) {
        assertThat(parsed(value).maxAge()).contains(Duration.ofSeconds(1));
    }

    @May
    @Test
    void unclosedQuoteDoesNotHideNoStore() {
        assertThat(parsed("extension=\"oops, no-store").noStore()).isTrue();
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"max-age=1, max-age=3600", "max-age=1, max-age=x"})
    void firstOfTwoEqualDirectivesCounts(String value) {
        assertThat(parsed(value).maxAge()).contains(Duration.ofSeconds(1));
    }

    @Must
    @Test
    void unknownDirectivesAreIgnored() {
        assertThat(parsed("foobar, max-age=3600, a=b, =, \"").maxAge())
                .contains(Duration.ofHours(1));
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"no-cache=\"A, b\"", "no-cache=\"a\", no-cache=B"})
    void qualifiedNoCacheNamesFieldsOnly(String value) {
        assertThat(parsed(value).noCache()).isFalse();
        assertThat(parsed(value).noCacheFields()).isSubsetOf("a", "b").hasSize(2);
    }

    @Must
    @Test
    void qualifiedPrivateNamesFieldsOnly() {
        assertThat(parsed("private=\"Set-Cookie\"").isPrivate()).isFalse();
        assertThat(parsed("private=\"Set-Cookie\"").privateFields()).containsExactly("set-cookie");
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"private=\"\"", "private=", "private=\"a\", private"})
    void privateThatNamesNoFieldSpeaksOfTheWholeResponse(String value) {
        assertThat(parsed(value).isPrivate()).isTrue();
    }

    @Must
    @Test
    void noTextMakesTheParserFail() {
        var pieces = new String[] {"max-age", "=", "\"", "\\", ",", " ", "1", ";", "private", "\t"};

        var texts =
                Stream.of(pieces)
                        .flatMap(a -> Stream.of(pieces).map(b -> a + b))
                        .flatMap(ab -> Stream.of(pieces).map(c -> ab + c))
                        .flatMap(abc -> Stream.of(pieces).map(d -> abc + d));

        assertThat(texts.map(Rfc9111Section5_2Test::parsed)).doesNotContainNull().hasSize(10_000);
    }

    private static CacheControl parsed(String value) {
        return CacheControl.of(Fields.of("Cache-Control", value));
    }
}
