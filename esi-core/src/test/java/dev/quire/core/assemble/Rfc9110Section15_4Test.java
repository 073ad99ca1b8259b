package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.FragmentTerms.FieldEdit;
import dev.quire.core.http.Fields;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of a fragment's request that a redirect keeps, and that an include may change. */
class Rfc9110Section15_4Test {
    private static final FieldEdit KIND = new FieldEdit(Edit.SET, "X-Kind", "teaser");
    private static final FieldEdit TYPE = new FieldEdit(Edit.SET, "Content-Type", "text/x");

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void redirectIsFollowedWhereItLeadsSomewhereAndTheIncludeAllowsIt(int status) {
        assertThat(FragmentTerms.NONE.follows(status, "/f")).isTrue();
        assertThat(FragmentTerms.NONE.follows(status, null)).isFalse();
        assertThat(terms("GET", null, false).follows(status, "/f")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 300, 304, 305, 306, 309, 404})
    void otherStatusesLeadNowhere(int status) {
        assertThat(FragmentTerms.NONE.follows(status, "/f")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303})
    void requestBecomesAGetWithoutItsBody(int status) {
        var next = terms("POST", "a=1", true, KIND, TYPE).redirected(status, true).orElseThrow();

        assertThat(next.method()).isEqualTo("GET");
        assertThat(next.body()).isEmpty();
        assertThat(next.fields()).containsExactly(KIND);
        assertThat(next.mayBeStored()).isFalse();
        assertThat(next.ttl()).contains(Duration.ofSeconds(9));
        assertThat(next.dca()).isEqualTo(Dca.NONE);
    }

    @Test
    void redirectedGetMayStillBeStored() {
        assertThat(FragmentTerms.NONE.redirected(302, true)).contains(FragmentTerms.NONE);
        assertThat(FragmentTerms.NONE.redirected(307, false)).contains(FragmentTerms.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {307, 308})
    void requestIsRepeatedAsItWas(int status) {
        var terms = terms("POST", "a=1", true, KIND, TYPE);

        assertThat(terms.redirected(status, true)).contains(terms);
    }

    @ParameterizedTest
    @CsvSource({"302, true", "303, true", "307, false", "308, false"})
    void anotherHostGetsNeitherTheBodyNorTheEdits(int status, boolean isFollowed) {
        var next = terms("POST", "a=1", true, KIND).redirected(status, false);

        assertThat(next.isPresent()).isEqualTo(isFollowed);
        assertThat(next.map(FragmentTerms::fields)).isIn(Optional.empty(), Optional.of(List.of()));
        assertThat(terms("GET", null, true, KIND).redirected(status, false).orElseThrow().fields())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Esi-Variant",
                "Host",
                "Content-Length",
                "Via",
                "If-Match",
                "X_Under",
                "a b",
                ""
            })
    void editThatNoIncludeMayMakeIsLeftOut(String name) {
        var terms = terms("GET", null, true, new FieldEdit(Edit.SET, name, "forged"), KIND);

        assertThat(terms.allowed().fields()).containsExactly(KIND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX-Evil: 1", "a\nb", "a\u0000b", "a\u010ab"})
    void editWhoseValueIsNotOneLineIsLeftOut(String value) {
        var terms = terms("GET", null, true, new FieldEdit(Edit.APPEND, "X-A", value));

        assertThat(terms.allowed().fields()).isEmpty();
    }

    @Test
    void termsWhoseEditsAreAllAllowedStayTheSame() {
        var terms = terms("GET", null, true, KIND);

        assertThat(terms.allowed()).isSameAs(terms);
        assertThat(FragmentTerms.NONE.allowed()).isSameAs(FragmentTerms.NONE);
    }

    @Test
    void editsAreMadeInOrder() {
        var terms =
                terms(
                        "GET",
                        null,
                        true,
                        KIND,
                        new FieldEdit(Edit.APPEND, "x-kind", "more"),
                        new FieldEdit(Edit.REMOVE, "ACCEPT", ""),
                        new FieldEdit(Edit.REMOVE, "X-None", ""));

        assertThat(terms.edited(Fields.of("x-Kind", "client", "Accept", "a", "B", "b")))
                .isEqualTo(Fields.of("B", "b", "X-Kind", "teaser", "x-kind", "more"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | true",
                "POST | true",
                "REPORT | true",
                "HEAD | false",
                "CONNECT | false",
                "TRACE | false",
                "'' | false",
                "A B | false"
            })
    void methodBringsAFragmentIfItsAnswerHasABody(String method, boolean isFetchable) {
        assertThat(terms(method, null, true).isFetchable()).isEqualTo(isFetchable);
        assertThat(terms("X".repeat(33), null, true).isFetchable()).isFalse();
    }

    private static FragmentTerms terms(
            String method, @Nullable String body, boolean follows, FieldEdit... edits) {
        return new FragmentTerms(
                Optional.of(Duration.ofSeconds(9)),
                Optional.empty(),
                true,
                Optional.empty(),
                follows,
                method,
                Optional.ofNullable(body),
                List.of(edits),
                Dca.NONE,
                false);
    }
}
