package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client's conditions, answered from the store. */
class Rfc9110Section13Test {
    private static final String ELEVEN = "Fri, 20 Nov 2026 11:00:00 GMT";
    private static final String NOON = "Fri, 20 Nov 2026 12:00:00 GMT";

    @Must
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'\"a\"' | '\"a\"' | true",
                "'W/\"a\"' | '\"a\"' | true",
                "'\"a\"' | 'W/\"a\"' | true",
                "'W/\"a\"' | 'W/\"a\"' | true",
                "'\"b\"' | '\"a\"' | false",
                "'\"b\", \"a\"' | '\"a\"' | true",
                "'\"a\",\"b\"' | '\"a\"' | true",
                "'\"b\" ,, W/\"a\" , \"c\"' | '\"a\"' | true",
                "'\"b\", \"c\"' | '\"a\"' | false",
                "'\"x, \"a\", y\"' | '\"a\"' | false",
                "'\"b,\"a\"' | '\"a\"' | false",
                "'\"a,b\"' | '\"a,b\"' | true",
                "'\"a\\\", \"b\"' | '\"b\"' | true",
                "'*' | '\"a\"' | true",
                "' * ' | '\"a\"' | true",
                "'a' | '\"a\"' | false",
                "'\"a\"' | 'a' | false",
                "'odd' | 'odd' | true",
                "'\"open' | '\"open' | true",
                "'\"é\"' | '\"é\"' | true",
                "'\"A\"' | '\"a\"' | false",
                "'w/\"a\"' | '\"a\"' | false",
                "'' | '\"a\"' | false"
            })
    void ifNoneMatchComparesWeakly(String condition, String tag, boolean isNotModified) {
        assertThat(
                        Conditions.isNotModified(
                                request("GET", "If-None-Match", condition), stored("ETag", tag)))
                .isEqualTo(isNotModified);
    }

    @Must
    @Test
    void anyLineOfIfNoneMatchCounts() {
        var request = request("GET", "If-None-Match", "\"b\"", "if-none-match", "\"a\"");

        assertThat(Conditions.isNotModified(request, stored("ETag", "\"a\""))).isTrue();
    }

    @Must
    @Test
    void starMatchesWhatHasNoTag() {
        assertThat(Conditions.isNotModified(request("GET", "If-None-Match", "*"), stored()))
                .isTrue();
        assertThat(Conditions.isNotModified(request("GET", "If-None-Match", "\"a\""), stored()))
                .isFalse();
    }

    @Must
    @Test
    void ifModifiedSinceIsNotLookedAtBesideIfNoneMatch() {
        var stored = stored("ETag", "\"a\"", "Last-Modified", ELEVEN);

        assertThat(
                        Conditions.isNotModified(
                                request("GET", "If-None-Match", "\"b\"", "If-Modified-Since", NOON),
                                stored))
                .isFalse();
        assertThat(
                        Conditions.isNotModified(
                                request(
                                        "GET",
                                        "If-None-Match",
                                        "\"a\"",
                                        "If-Modified-Since",
                                        "Fri, 20 Nov 2020 11:00:00 GMT"),
                                stored))
                .isTrue();
    }

    @Should
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Fri, 20 Nov 2026 11:00:00 GMT | true",
                "Fri, 20 Nov 2026 11:00:01 GMT | true",
                "Friday, 20-Nov-26 11:00:00 GMT | true",
                "Fri Nov 20 11:00:00 2026 | true",
                "Fri, 20 Nov 2026 10:59:59 GMT | false",
                "Fri, 20 Nov 2026 11:00:00 UTC | false",
                "0 | false"
            })
    void ifModifiedSinceComparesWithLastModified(String since, boolean isNotModified) {
        var stored = stored("Last-Modified", ELEVEN, "Date", NOON);

        assertThat(Conditions.isNotModified(request("GET", "If-Modified-Since", since), stored))
                .isEqualTo(isNotModified);
    }

    @May
    @Test
    void ifModifiedSinceComparesWithDateWithoutLastModified() {
        var stored = stored("Date", ELEVEN);

        assertThat(Conditions.isNotModified(request("GET", "If-Modified-Since", NOON), stored))
                .isTrue();
        assertThat(
                        Conditions.isNotModified(
                                request("GET", "If-Modified-Since", ELEVEN), stored("Date", NOON)))
                .isFalse();
        assertThat(Conditions.isNotModified(request("GET", "If-Modified-Since", NOON), stored()))
                .isFalse();
    }

    @Must
    @Test
    void lastModifiedThatIsNoDateProvesNothing() {
        assertThat(
                        Conditions.isNotModified(
                                request("GET", "If-Modified-Since", NOON),
                                stored("Last-Modified", "0", "Date", ELEVEN)))
                .isFalse();
    }

    @Must
    @Test
    void headIsAnsweredAsGet() {
        assertThat(
                        Conditions.isNotModified(
                                request("HEAD", "If-None-Match", "\"a\""), stored("ETag", "\"a\"")))
                .isTrue();
    }

    @Must
    @Test
    void otherMethodsAreNotAnsweredByA304() {
        assertThat(
                        Conditions.isNotModified(
                                request("POST", "If-None-Match", "*"), stored("ETag", "\"a\"")))
                .isFalse();
    }

    @Must
    @ParameterizedTest
    @ValueSource(ints = {301, 404, 500})
    void onlyASuccessIsReplacedByA304(int status) {
        var stored = new ResponseHead(status, "", Fields.of("ETag", "\"a\""));

        assertThat(Conditions.isNotModified(request("GET", "If-None-Match", "\"a\""), stored))
                .isFalse();
    }

    @Must
    @Test
    void requestWithoutConditionsIsAnsweredWhole() {
        assertThat(Conditions.isNotModified(request("GET"), stored("ETag", "\"a\""))).isFalse();
    }

    private static ResponseHead stored(String... namesAndValues) {
        return new ResponseHead(200, "OK", Fields.of(namesAndValues));
    }
}
