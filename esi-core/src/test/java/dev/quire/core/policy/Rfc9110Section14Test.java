package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.request;
import static dev.quire.core.policy.RangeAnswer.Validators.ALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.RangeAnswer.Validators;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a stored body. */
class Rfc9110Section14Test {
    private static final String ELEVEN = "Fri, 20 Nov 2026 11:00:00 GMT";
    private static final String A_SECOND_LATER = "Fri, 20 Nov 2026 11:00:01 GMT";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-0        | 0-0",
                "bytes=2-5        | 2-5",
                "bytes=0-9        | 0-9",
                "bytes=0-99       | 0-9",
                "bytes=9-         | 9-9",
                "bytes=0-         | 0-9",
                "bytes=-3         | 7-9",
                "bytes=-10        | 0-9",
                "bytes=-11        | 0-9",
                "BYTES=002-05     | 2-5",
                "bytes=3-99999999999999999999999 | 3-9",
                "bytes=-99999999999999999999999  | 0-9",
                "bytes=0-1,4-5    | 0-1 4-5",
                "bytes=8-9, 0-1   | 8-9 0-1",
                "bytes=0-1,2-3    | 0-1 2-3",
                "bytes=,0-1, ,-2, | 0-1 8-9",
                "bytes=0-1,10-    | 0-1",
                "bytes=-0,1-1     | 1-1",
            })
    void partIsWhatLiesInTheBody(String range, String parts) {
        assertThat(answer("Range", range)).isEqualTo(new RangeAnswer.Parts(ranges(parts)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=10-",
                "bytes=10-20",
                "bytes=-0",
                "bytes=10-11,12-",
                "bytes=9223372036854775807-",
                "bytes=99999999999999999999999-99999999999999999999999"
            })
    void rangeBeyondTheEndCannotBeSatisfied(String range) {
        assertThat(answer("Range", range)).isEqualTo(RangeAnswer.UNSATISFIABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes",
                "bytes=",
                "bytes=,",
                "bytes=-",
                "bytes=5",
                "bytes=5-2",
                "bytes=a-2",
                "bytes=2-b",
                "bytes=+1-2",
                "bytes=1--2",
                "bytes=--2",
                "bytes=1-2-3",
                "bytes=1.0-2",
                "bytes=1 -2",
                "bytes = 1-2",
                "bytes =1-2",
                "bytes:1-2",
                "byte=1-2",
                "bytess=1-2",
                "lines=1-2",
                "1-2",
                "bytes=0-1,x",
                "bytes=0-1;2-3",
            })
    void rangeThatIsMalformedOrInAnotherUnitIsIgnored(String range) {
        assertThat(answer("Range", range)).isEqualTo(RangeAnswer.WHOLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=0-5,5-9", "bytes=0-,-1", "bytes=3-4,0-9", "bytes=1-1,1-1"})
    void byteAskedForTwiceMakesItTheWhole(String range) {
        assertThat(answer("Range", range)).isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void moreThanTenRangesMakeItTheWhole() {
        var ten = request("GET", "Range", everySecondByte(10));
        var eleven = request("GET", "Range", everySecondByte(11));

        assertThat(RangeAnswer.of(ten, stored(200), ALL, 100))
                .isInstanceOfSatisfying(
                        RangeAnswer.Parts.class, parts -> assertThat(parts.ranges()).hasSize(10));
        assertThat(RangeAnswer.of(eleven, stored(200), ALL, 100)).isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void secondLineOfRangeMakesItMalformed() {
        assertThat(answer("Range", "bytes=0-1", "Range", "bytes=3-4")).isEqualTo(RangeAnswer.WHOLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "POST", "PUT", "get"})
    void otherMethodsHaveNoRanges(String method) {
        assertThat(RangeAnswer.of(request(method, "Range", "bytes=0-1"), stored(200), ALL, 10))
                .isEqualTo(RangeAnswer.WHOLE);
    }

    @ParameterizedTest
    @ValueSource(ints = {203, 204, 206, 301, 404, 500})
    void only200HasParts(int status) {
        assertThat(RangeAnswer.of(request("GET", "Range", "bytes=0-1"), stored(status), ALL, 10))
                .isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void emptyBodyHasAnEndButNoFirstByte() {
        assertThat(RangeAnswer.of(request("GET", "Range", "bytes=-5"), stored(200), ALL, 0))
                .isEqualTo(RangeAnswer.WHOLE);
        assertThat(RangeAnswer.of(request("GET", "Range", "bytes=0-"), stored(200), ALL, 0))
                .isEqualTo(RangeAnswer.UNSATISFIABLE);
        assertThat(RangeAnswer.of(request("GET", "Range", "bytes=-0"), stored(200), ALL, 0))
                .isEqualTo(RangeAnswer.UNSATISFIABLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'\"a\"' | '\"a\"' | true",
                "' \"a\" ' | '\"a\"' | true",
                "'\"b\"' | '\"a\"' | false",
                "'W/\"a\"' | '\"a\"' | false",
                "'\"a\"' | 'W/\"a\"' | false",
                "'W/\"a\"' | 'W/\"a\"' | false",
                "'\"a\", \"b\"' | '\"a\"' | false",
                "'*' | '\"a\"' | false",
            })
    void ifRangeComparesTagsStrongly(String condition, String tag, boolean isPart) {
        var answer =
                RangeAnswer.of(
                        request("GET", "Range", "bytes=0-1", "If-Range", condition),
                        stored(200, "ETag", tag),
                        ALL,
                        10);

        assertThat(answer instanceof RangeAnswer.Parts).isEqualTo(isPart);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Fri, 20 Nov 2026 11:00:00 GMT  | Fri, 20 Nov 2026 11:00:01 GMT | true",
                "Friday, 20-Nov-26 11:00:00 GMT | Fri, 20 Nov 2026 11:00:01 GMT | true",
                "Fri Nov 20 11:00:00 2026       | Sat, 21 Nov 2026 11:00:00 GMT | true",
                "Fri, 20 Nov 2026 11:00:00 GMT  | Fri, 20 Nov 2026 11:00:00 GMT | false",
                "Fri, 20 Nov 2026 11:00:00 GMT  | Fri, 20 Nov 2026 10:59:59 GMT | false",
                "Fri, 20 Nov 2026 11:00:00 GMT  | never                         | false",
                "Fri, 20 Nov 2026 11:00:01 GMT  | Sat, 21 Nov 2026 11:00:00 GMT | false",
                "Fri, 20 Nov 2026 10:59:59 GMT  | Sat, 21 Nov 2026 11:00:00 GMT | false",
                "soon                           | Sat, 21 Nov 2026 11:00:00 GMT | false",
            })
    void dateInIfRangeMustBeThatOfAResponseSentLater(
            String condition, String sent, boolean isPart) {
        var answer =
                RangeAnswer.of(
                        request("GET", "Range", "bytes=0-1", "If-Range", condition),
                        stored(200, "Last-Modified", ELEVEN, "Date", sent),
                        ALL,
                        10);

        assertThat(answer instanceof RangeAnswer.Parts).isEqualTo(isPart);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "ALL  | Fri, 20 Nov 2026 11:00:00 GMT | true",
                "TAG  | Fri, 20 Nov 2026 11:00:00 GMT | false",
                "NONE | Fri, 20 Nov 2026 11:00:00 GMT | false",
                "ALL  | '\"a\"' | true",
                "TAG  | '\"a\"' | true",
                "NONE | '\"a\"' | false",
            })
    void ifRangeNamesAValidatorOfThisCoding(Validators usable, String condition, boolean isPart) {
        var stored =
                stored(
                        200,
                        "ETag",
                        "\"a\"",
                        "Last-Modified",
                        ELEVEN,
                        "Date",
                        A_SECOND_LATER,
                        "Content-Length",
                        "10");
        var asking = get("Range", "bytes=0-1", "If-Range", condition);

        assertThat(RangeAnswer.of(asking, stored, usable, 10) instanceof RangeAnswer.Parts)
                .isEqualTo(isPart);
        assertThat(
                        RangeAnswer.ofArriving(asking, stored, usable, true)
                                instanceof RangeAnswer.Parts)
                .isEqualTo(isPart);
        assertThat(RangeAnswer.of(get("Range", "bytes=0-1"), stored, usable, 10))
                .isInstanceOf(RangeAnswer.Parts.class);
        assertThat(RangeAnswer.asksByDate(asking)).isEqualTo(condition.equals(ELEVEN));
    }

    @Test
    void weakTagIsNotForwarded() {
        assertThat(RangeAnswer.asksForOnePart(get("Range", "bytes=0-1", "If-Range", " W/\"a\"")))
                .isFalse();
        assertThat(RangeAnswer.asksForOnePart(get("Range", "bytes=0-1", "If-Range", "\"a\"")))
                .isTrue();
        assertThat(RangeAnswer.asksForOnePart(get("Range", "bytes=0-1", "If-Range", ELEVEN)))
                .isTrue();
    }

    @Test
    void wholeOfAPartWithoutMediaTypeMayBeText() {
        var part = stored(206, "Content-Range", "bytes 0-1/10", "Content-Length", "2", "A", "b");
        var video = stored(206, "Content-Type", "video/mp4");

        assertThat(RangeAnswer.wholeOf(part).status()).isEqualTo(200);
        assertThat(RangeAnswer.wholeOf(part).fields())
                .isEqualTo(Fields.of("A", "b", "Content-Type", "text/plain"));
        assertThat(RangeAnswer.wholeOf(video).fields()).isEqualTo(video.fields());
    }

    @Test
    void ifRangeNeedsSomethingStoredToCompareWith() {
        assertThat(answer("Range", "bytes=0-1", "If-Range", "\"a\"")).isEqualTo(RangeAnswer.WHOLE);
        assertThat(answer("Range", "bytes=0-1", "If-Range", ELEVEN)).isEqualTo(RangeAnswer.WHOLE);
        assertThat(
                        RangeAnswer.of(
                                request("GET", "Range", "bytes=0-1", "If-Range", "soon"),
                                stored(200, "Last-Modified", "soon", "Date", A_SECOND_LATER),
                                ALL,
                                10))
                .isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void secondLineOfIfRangeMakesItTheWhole() {
        assertThat(
                        RangeAnswer.of(
                                request(
                                        "GET",
                                        "Range",
                                        "bytes=0-1",
                                        "If-Range",
                                        "\"a\"",
                                        "If-Range",
                                        "\"b\""),
                                stored(200, "ETag", "\"a\""),
                                ALL,
                                10))
                .isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void ifRangeWithoutRangeMeansNothing() {
        assertThat(answer("If-Range", "\"a\"")).isEqualTo(RangeAnswer.WHOLE);
        assertThat(answer()).isEqualTo(RangeAnswer.WHOLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET  | bytes=0-1     | true",
                "GET  | bytes=-1      | true",
                "GET  | bytes=7-      | true",
                "GET  | bytes=0-1,3-4 | false",
                "GET  | bytes=4-1     | false",
                "GET  | lines=0-1     | false",
                "HEAD | bytes=0-1     | false",
            })
    void originIsAskedForOnePartAtMost(String method, String range, boolean isOne) {
        assertThat(RangeAnswer.asksForOnePart(request(method, "Range", range))).isEqualTo(isOne);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=2-5     | 2-5",
                "bytes=0-1,4-5 | 0-1 4-5",
                "bytes=-2      | 8-9",
            })
    void partOfAResponseOfKnownLengthThatIsBeingStoredIsCutFromIt(String range, String parts) {
        assertThat(arriving(true, 10, range)).isEqualTo(new RangeAnswer.Parts(ranges(parts)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Not stored, of unknown length, or both.
                "false | 10 | bytes=2-5",
                "true  | -1 | bytes=2-5",
                "true  | -1 | bytes=-2",
                "true  | -1 | bytes=-0",
                "false | -1 | bytes=0-",
            })
    void otherwiseTheOriginIsAskedForThePart(boolean isStored, int length, String range) {
        assertThat(arriving(isStored, length, range)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | 10 | bytes=4-5,0-1",
                "false | 10 | bytes=0-1,4-5",
                "true  | -1 | bytes=0-1,4-5",
                "false | -1 | lines=0-1",
                "false | 10 | bytes=5-4",
            })
    void severalPartsAreNotAskedFor(boolean isStored, int length, String range) {
        assertThat(arriving(isStored, length, range)).isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void lengthOrConditionThatExcludesAPartSettlesItAtOnce() {
        var changed = get("Range", "bytes=2-5", "If-Range", "\"2\"");
        var other = stored(200, "ETag", "\"1\"");

        assertThat(RangeAnswer.ofArriving(changed, other, ALL, false)).isEqualTo(RangeAnswer.WHOLE);
        assertThat(arriving(false, 10, "bytes=10-")).isEqualTo(RangeAnswer.UNSATISFIABLE);
        assertThat(RangeAnswer.ofArriving(get("Range", "bytes=2-5"), stored(404), ALL, false))
                .isEqualTo(RangeAnswer.WHOLE);
    }

    @Test
    void partSaysWhereItStands() {
        assertThat(new ByteRange(2, 5).contentRange(10)).isEqualTo("bytes 2-5/10");
        assertThat(new ByteRange(2, 5).lengthBytes()).isEqualTo(4);
    }

    @Test
    void partEndsNotBeforeItBegins() {
        assertThatThrownBy(() -> new ByteRange(5, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5-4");
    }

    private static RangeAnswer answer(String... request) {
        return RangeAnswer.of(get(request), stored(200), ALL, 10);
    }

    private static @Nullable RangeAnswer arriving(boolean isStored, int length, String range) {
        var head = length < 0 ? stored(200) : stored(200, "Content-Length", length + "");
        return RangeAnswer.ofArriving(get("Range", range), head, ALL, isStored);
    }

    private static RequestHead get(String... fields) {
        return request("GET", fields);
    }

    private static ResponseHead stored(int status, String... namesAndValues) {
        return new ResponseHead(status, "", Fields.of(namesAndValues));
    }

    private static String everySecondByte(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> 2 * i + "-" + 2 * i)
                .collect(Collectors.joining(",", "bytes=", ""));
    }

    private static List<ByteRange> ranges(String text) {
        return Arrays.stream(text.split(" "))
                .map(each -> each.split("-"))
                .map(ends -> new ByteRange(Long.parseLong(ends[0]), Long.parseLong(ends[1])))
                .toList();
    }
}
