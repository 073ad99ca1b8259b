package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests a stored response matches. */
class Rfc9111Section4_1Test {

    @Must
    @Test
    void withoutVaryEveryRequestMatches() {
        var selecting = SelectingFields.of(Fields.EMPTY, sent(request("GET", "A", "1")));

        assertThat(selecting).isSameAs(SelectingFields.EMPTY);
        assertThat(selecting.matches(request("GET", "A", "2"))).isTrue();
    }

    @Must
    @Test
    void everyNamedFieldMustBeEqual() {
        var selecting = vary("A, b,C", request("GET", "a", "1", "B", "2", "c", "3"));

        assertThat(selecting.matches(request("GET", "C", "3", "b", "2", "A", "1", "D", "4")))
                .isTrue();
        assertThat(selecting.matches(request("GET", "A", "1", "B", "2", "C", "4"))).isFalse();
        assertThat(selecting.matches(request("GET", "A", "1", "B", "2"))).isFalse();
    }

    @Must
    @Test
    void absentEqualsOnlyAbsent() {
        var without = vary("A", request("GET"));
        var empty = vary("A", request("GET", "A", ""));

        assertThat(without.matches(request("GET"))).isTrue();
        assertThat(without.matches(request("GET", "A", ""))).isFalse();
        assertThat(empty.matches(request("GET"))).isFalse();
        assertThat(empty.matches(request("GET", "A", ""))).isTrue();
    }

    @Must
    @Test
    void allVaryLinesAreOneListWithoutItsEmptyMembers() {
        var selecting =
                SelectingFields.of(
                        Fields.of("Vary", " , A,", "vary", "B"),
                        sent(request("GET", "A", "1", "B", "2")));

        assertThat(selecting.matches(request("GET", "A", "1", "B", "2"))).isTrue();
        assertThat(selecting.matches(request("GET", "A", "1", "B", "3"))).isFalse();
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"*", "A, *", ", *"})
    void starMatchesNoRequest(String vary) {
        var request = request("GET", "A", "1");

        assertThat(vary(vary, request).matches(request)).isFalse();
    }

    @May
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'1, 2' | '1,2'",
                "'1,2' | ' 1\t,\t2 '",
                "'\"a , b\" , c' | '\"a , b\",c'",
                "'a b' | 'a b '",
                "'a, ,b' | 'a,,b'",
                "'\"open , x' | '\"open,x'"
            })
    void whiteSpaceRoundCommasMakesNoDifference(String one, String other) {
        assertThat(vary("A", request("GET", "A", one)).matches(request("GET", "A", other)))
                .isTrue();
        assertThat(vary("A", request("GET", "A", other)).matches(request("GET", "A", one)))
                .isTrue();
    }

    @Must
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'\"a , b\"' | '\"a,b\"'",
                "'\"a, \"' | '\"a,\"'",
                "'a  b' | 'a b'",
                "'a b' | 'ab'",
                "'a' | 'A'",
                "'1,2' | '2,1'",
                "'a' | 'a,'"
            })
    void anyOtherDifferenceIsOne(String one, String other) {
        assertThat(vary("A", request("GET", "A", one)).matches(request("GET", "A", other)))
                .isFalse();
    }

    @May
    @Test
    void linesEqualTheirListOnOneLine() {
        var selecting = vary("A", request("GET", "A", "1", "A", " 2"));

        assertThat(selecting.matches(request("GET", "A", "1, 2"))).isTrue();
        assertThat(selecting.matches(request("GET", "A", "1"))).isFalse();
    }

    @May
    @Test
    void acceptLanguageHasNoCase() {
        var selecting = vary("Accept-Language", request("GET", "Accept-Language", "en-GB, KO"));

        assertThat(selecting.matches(request("GET", "accept-language", "EN-gb,ko"))).isTrue();
    }

    @May
    @Test
    void surrogateCapabilityIsAConstant() {
        var selecting = vary("Surrogate-Capability", request("GET"));

        assertThat(selecting).isSameAs(SelectingFields.EMPTY);
    }

    @May
    @Test
    void orderOfVaryMakesNoOtherVariant() {
        var request = request("GET", "A", "1", "B", "2");

        assertThat(vary("A, B", request))
                .isEqualTo(vary("b,a,B", request))
                .hasSameHashCodeAs(vary("b,a,B", request))
                .isNotEqualTo(vary("A, B", request("GET", "A", "1")));
    }

    private static SelectingFields vary(String vary, Fields request) {
        return SelectingFields.of(Fields.of("Vary", vary), sent(request));
    }

    private static SentRequest sent(Fields fields) {
        var received = new RequestHead("GET", Scheme.HTTP, "example.com", "/", fields);
        return SentRequest.of(received);
    }

    private static Fields request(String method, String... fields) {
        return Arriving.request(method, fields).fields();
    }
}
