package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Updating a stored head by a 304. */
class Rfc9111Section3_2Test {

    @Must
    @Test
    void statusAndPhraseStay() {
        var merged =
                Validation.merged(new ResponseHead(203, "Fine", Fields.of("A", "1")), Fields.EMPTY);

        assertThat(merged).isEqualTo(new ResponseHead(203, "Fine", Fields.of("A", "1")));
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cache-Control",
                "Expires",
                "Content-Type",
                "Set-Cookie",
                "X-Test",
                "ETag",
                "Date",
                "Age"
            })
    void fieldOfThe304ReplacesAllLinesOfItsName(String name) {
        var merged = merged(Fields.of(name, "1", "B", "2", name, "3"), Fields.of(name, "4"));

        assertThat(merged).isEqualTo(Fields.of("B", "2", name, "4"));
    }

    @Must
    @Test
    void namesAreTheSameInAnyCase() {
        assertThat(merged(Fields.of("x-test", "1"), Fields.of("X-Test", "2", "X-TEST", "3")))
                .isEqualTo(Fields.of("X-Test", "2", "X-TEST", "3"));
    }

    @Must
    @Test
    void newFieldsAreAdded() {
        assertThat(merged(Fields.of("A", "1"), Fields.of("B", "2")))
                .isEqualTo(Fields.of("A", "1", "B", "2"));
    }

    @Must
    @Test
    void contentLengthStays() {
        assertThat(merged(Fields.of("Content-Length", "10"), Fields.of("content-length", "0")))
                .isEqualTo(Fields.of("Content-Length", "10"));
    }

    @Must
    @Test
    void fieldsOfTheConnectionUpdateNothing() {
        var merged =
                merged(
                        Fields.of("X-Hop", "stored"),
                        Fields.of("Connection", "X-Hop", "X-Hop", "new", "Keep-Alive", "3"));

        assertThat(merged).isEqualTo(Fields.of("X-Hop", "stored"));
    }

    @Must
    @Test
    void dateAndAgeStartAnew() {
        var merged =
                merged(
                        Fields.of("Date", "Fri, 20 Nov 2026 11:00:00 GMT", "Age", "5", "A", "1"),
                        Fields.EMPTY);

        assertThat(merged).isEqualTo(Fields.of("A", "1"));
    }

    @Must
    @Test
    void fieldThe304MakesPrivateIsNoLongerKept() {
        var merged =
                merged(
                        Fields.of("X-User", "1", "Cache-Control", "max-age=1"),
                        Fields.of("Cache-Control", "max-age=2, private=X-User"));

        assertThat(merged).isEqualTo(Fields.of("Cache-Control", "max-age=2, private=X-User"));
    }

    @Must
    @Test
    void lifetimeStartsAnew() {
        var stored =
                Fields.of(
                        "Cache-Control", "max-age=60",
                        "Date", "Fri, 20 Nov 2026 11:00:00 GMT",
                        "ETag", "\"1\"");

        var merged = Validation.merged(new ResponseHead(200, "OK", stored), Fields.EMPTY);
        var storing =
                CachePolicy.storing(
                        Arriving.request("GET"),
                        merged,
                        new ResponseTimes(Arriving.NOW, Arriving.NOW, Arriving.NOON),
                        Settings.DEFAULT);

        assertThat(storing).isInstanceOf(StorageDecision.Keep.class);
        assertThat(
                        ((StorageDecision.Keep) storing)
                                .freshness()
                                .isFreshAt(Arriving.NOW.plusSeconds(59)))
                .isTrue();
    }

    private static Fields merged(Fields stored, Fields notModified) {
        return Validation.merged(new ResponseHead(200, "OK", stored), notModified).fields();
    }
}
