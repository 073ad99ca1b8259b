package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation towards the origin. */
class Rfc9111Section4_3Test {

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"\"1\"", "W/\"1\"", "malformed", "\"a\", \"b\""})
    void validatorsAreSentExactlyAsReceived(String tag) {
        var stored = Fields.of("etag", tag, "Last-Modified", "Thursday, 18-Aug-50 02:01:18 GMT");

        assertThat(Validation.conditions(stored))
                .isEqualTo(
                        Fields.of(
                                "If-None-Match",
                                tag,
                                "If-Modified-Since",
                                "Thursday, 18-Aug-50 02:01:18 GMT"));
    }

    @Must
    @Test
    void eachValidatorIsSentAlone() {
        var date = "Fri, 20 Nov 2026 11:00:00 GMT";

        assertThat(Validation.conditions(Fields.of("ETag", "\"1\"")))
                .isEqualTo(Fields.of("If-None-Match", "\"1\""));
        assertThat(Validation.conditions(Fields.of("Last-Modified", date)))
                .isEqualTo(Fields.of("If-Modified-Since", date));
        assertThat(Validation.conditions(Fields.of("Date", date))).isEqualTo(Fields.EMPTY);
    }

    @Must
    @Test
    void lastModifiedThatIsNoDateIsNothingToAskBy() {
        assertThat(Validation.conditions(Fields.of("Last-Modified", "yesterday")))
                .isEqualTo(Fields.EMPTY);
        assertThat(Validation.conditions(Fields.of("ETag", "\"1\"", "Last-Modified", "0")))
                .isEqualTo(Fields.of("If-None-Match", "\"1\""));
    }

    @Test
    void validatorIsAnETagOrAValidLastModified() {
        assertThat(Validation.hasValidator(Fields.of("ETag", "W/\"1\""))).isTrue();
        assertThat(
                        Validation.hasValidator(
                                Fields.of("Last-Modified", "Fri, 20 Nov 2026 11:00:00 GMT")))
                .isTrue();
        assertThat(Validation.hasValidator(Fields.of("Last-Modified", "0"))).isFalse();
        assertThat(Validation.hasValidator(Fields.of("Date", "Fri, 20 Nov 2026 11:00:00 GMT")))
                .isFalse();
    }

    @Must
    @ParameterizedTest
    @CsvSource({
        "\"1\", \"1\", true",
        "\"1\", \"2\", false",
        "\"1\", W/\"1\", true",
        "W/\"1\", W/\"1\", true",
        "W/\"1\", W/\"2\", false",
        "W/\"1\", \"1\", false",
        "odd, odd, true"
    })
    void notModifiedSelectsByItsTag(String stored, String confirmed, boolean selects) {
        assertThat(Validation.selects(Fields.of("ETag", stored), Fields.of("ETag", confirmed)))
                .isEqualTo(selects);
    }

    @Must
    @Test
    void notModifiedWithoutATagSelectsWhatWasAskedAbout() {
        assertThat(Validation.selects(Fields.of("ETag", "\"1\""), Fields.EMPTY)).isTrue();
    }

    @Must
    @Test
    void notModifiedWithATagSelectsNothingStoredWithout() {
        assertThat(Validation.selects(Fields.EMPTY, Fields.of("ETag", "\"1\""))).isFalse();
    }
}
