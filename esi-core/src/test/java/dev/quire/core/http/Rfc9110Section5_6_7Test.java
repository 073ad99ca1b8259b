package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates in fields. */
@Tag("must")
class Rfc9110Section5_6_7Test {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Thu, 18 Aug 2050 02:01:18 GMT | 2050-08-18T02:01:18Z",
                "Thursday, 18-Aug-50 02:01:18 GMT | 2050-08-18T02:01:18Z",
                "Thu Aug 18 02:01:18 2050 | 2050-08-18T02:01:18Z",
                "Mon Aug  8 02:01:18 2050 | 2050-08-08T02:01:18Z",
                "Sun, 06 Nov 1994 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Thu, 01 Jan 1970 00:00:00 GMT | 1970-01-01T00:00:00Z",
                "Mon, 20 Nov 2286 17:46:40 GMT | 2286-11-20T17:46:40Z",
                "Thu, 29 Feb 2024 23:59:59 GMT | 2024-02-29T23:59:59Z"
            })
    void threeFormatsAreRead(String text, Instant expected) {
        assertThat(HttpDate.parse(text)).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "thu, 18 aug 2050 02:01:18 gmt",
                "THU, 18 AUG 2050 02:01:18 GMT",
                "thursday, 18-AUG-50 02:01:18 gMT",
                "tHU aUG 18 02:01:18 2050"
            })
    void caseMakesNoDifference(String text) {
        assertThat(HttpDate.parse(text)).contains(Instant.parse("2050-08-18T02:01:18Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Mon, 18 Aug 2050 02:01:18 GMT",
                "Monday, 18-Aug-50 02:01:18 GMT",
                "Mon Aug 18 02:01:18 2050"
            })
    void wrongWeekdayIsNoError(String text) {
        assertThat(HttpDate.parse(text)).contains(Instant.parse("2050-08-18T02:01:18Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "Thu",
                ",",
                "Thu,",
                "Thu, 18 Aug 2050 02:01:18 UTC",
                "Thu, 18 Aug 2050 02:01:18 AEST",
                "Thu, 18 Aug 2050 02:01:18",
                "Thu, 18 Aug 2050 02:01:18 GMT ",
                " Thu, 18 Aug 2050 02:01:18 GMT",
                "Thu, 18 Aug 50 02:01:18 GMT",
                "Thu 18 Aug 2050 02:01:18 GMT",
                "Thu,  18 Aug 2050 02:01:18 GMT",
                "Thu, 18  Aug 2050 02:01:18 GMT",
                "Thu, 18 Aug 2050  02:01:18 GMT",
                "Thu, 18-Aug-2050 02:01:18 GMT",
                "Thursday, 18-Aug-2050 02:01:18 GMT",
                "Thursday, 18 Aug 50 02:01:18 GMT",
                "Thurs, 18-Aug-50 02:01:18 GMT",
                "Thu, 18 Aug 2050 02.01.18 GMT",
                "Thu, 18 Aug 2050 2:01:18 GMT",
                "Thu, 8 Aug 2050 02:01:18 GMT",
                "Thu, 18 Agu 2050 02:01:18 GMT",
                "Xyz, 18 Aug 2050 02:01:18 GMT",
                "Thu, 00 Aug 2050 02:01:18 GMT",
                "Thu, 32 Aug 2050 02:01:18 GMT",
                "Thu, 31 Jun 2050 02:01:18 GMT",
                "Thu, 29 Feb 2023 02:01:18 GMT",
                "Thu, 18 Aug 2050 24:01:18 GMT",
                "Thu, 18 Aug 2050 02:60:18 GMT",
                "Thu, 18 Aug 2050 02:01:61 GMT",
                "Thu, 18 Aug +050 02:01:18 GMT",
                "Thu, ٣٣ Aug 2050 02:01:18 GMT",
                "Thu Aug 18 02:01:18 50",
                "Thu Aug 8 02:01:18 2050",
                "Thu Aug 18 02:01:18 2050 GMT",
                "2050-08-18T02:01:18Z"
            })
    void allElseIsNoDate(String text) {
        assertThat(HttpDate.parse(text)).isEmpty();
    }

    @Test
    void secondSixtyIsALeapSecond() {
        assertThat(HttpDate.parse("Sat, 31 Dec 2016 23:59:60 GMT"))
                .contains(Instant.parse("2017-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T12:00:00Z, 26, 2026",
        "2026-11-20T12:00:00Z, 76, 2076",
        "2026-11-20T12:00:00Z, 77, 1977",
        "2026-11-20T12:00:00Z, 99, 1999",
        "2026-11-20T12:00:00Z, 00, 2000",
        "2099-01-01T00:00:00Z, 01, 2101",
        "2000-01-01T00:00:00Z, 50, 2050",
        "2000-01-01T00:00:00Z, 51, 1951"
    })
    void twoDigitYearMoreThanFiftyYearsAheadIsOfThePastCentury(
            Instant now, String digits, String year) {
        var date = HttpDate.parse("Thursday, 18-Aug-" + digits + " 02:01:18 GMT", now);

        assertThat(date).contains(Instant.parse(year + "-08-18T02:01:18Z"));
    }

    @ParameterizedTest
    @CsvSource({"69, 2069", "70, 1970"})
    void withoutAKnownNowTwoDigitYearsAre1970To2069(String digits, String year) {
        var date = HttpDate.parse("Thursday, 18-Aug-" + digits + " 02:01:18 GMT");

        assertThat(date).contains(Instant.parse(year + "-08-18T02:01:18Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2050-08-18T02:01:18.999Z | Thu, 18 Aug 2050 02:01:18 GMT",
                "1969-12-31T23:59:59Z | Wed, 31 Dec 1969 23:59:59 GMT",
                "0000-01-01T00:00:00Z | Sat, 01 Jan 0000 00:00:00 GMT",
                "9999-12-31T23:59:59Z | Fri, 31 Dec 9999 23:59:59 GMT"
            })
    void firstFormatIsWritten(Instant time, String expected) {
        assertThat(HttpDate.format(time)).isEqualTo(expected);
    }

    @Test
    void secondAskedForAgainIsNotWrittenAgain() {
        var noon = Instant.parse("2026-01-01T12:00:00Z");

        var first = HttpDate.format(noon);

        assertThat(HttpDate.format(noon.plusMillis(999))).isSameAs(first);
        assertThat(HttpDate.format(noon.plusSeconds(1))).endsWith("12:00:01 GMT");
        assertThat(HttpDate.format(noon)).isEqualTo(first);
    }

    @Test
    void everyDayWrittenIsReadAsTheSame() {
        var time = Instant.parse("1999-12-31T01:02:03Z");

        for (int day = 0; day < 3000; day++) {
            var each = time.plusSeconds(86_413L * day);
            assertThat(HttpDate.parse(HttpDate.format(each))).contains(each);
        }
    }

    @Test
    void yearOfFiveDigitsIsRefused() {
        assertThatThrownBy(() -> HttpDate.format(Instant.parse("+10000-01-01T00:00:00Z")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("+10000-01-01");
    }
}
