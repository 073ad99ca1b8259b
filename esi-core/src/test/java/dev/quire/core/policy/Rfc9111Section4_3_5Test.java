package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;

/** Whether a 200 to HEAD confirms the stored response. */
class Rfc9111Section4_3_5Test {
    private static final Fields STORED =
            Fields.of("ETag", "\"a\"", "Last-Modified", "Fri, 20 Nov 2026 12:00:00 GMT");

    @Should
    @Test
    void sameValidatorsAndLengthConfirm() {
        assertThat(
                        confirms(
                                "ETag",
                                "\"a\"",
                                "Last-Modified",
                                "Fri, 20 Nov 2026 12:00:00 GMT",
                                "Content-Length",
                                "7"))
                .isTrue();
    }

    @Should
    @Test
    void onlyWhatTheAnswerNamesIsCompared() {
        assertThat(confirms()).isTrue();
        assertThat(confirms("ETag", "\"a\"")).isTrue();
        assertThat(confirms("Content-Length", " 7 ")).isTrue();
    }

    @Should
    @Test
    void anyOtherValidatorOrLengthOutdates() {
        assertThat(confirms("ETag", "\"b\"")).isFalse();
        assertThat(confirms("ETag", "W/\"a\"")).isFalse();
        assertThat(confirms("Last-Modified", "Fri, 20 Nov 2026 12:00:01 GMT")).isFalse();
        assertThat(confirms("ETag", "\"a\"", "Content-Length", "8")).isFalse();
        assertThat(confirms("ETag", "\"a\"", "Content-Length", "many")).isFalse();
    }

    @Should
    @Test
    void validatorThatIsNotStoredOutdates() {
        assertThat(Validation.isConfirmedByHead(Fields.EMPTY, 7, Fields.of("ETag", "\"a\"")))
                .isFalse();
    }

    @May
    @Test
    void lengthThatIsNotKnownIsNotCompared() {
        assertThat(Validation.isConfirmedByHead(STORED, -1, Fields.of("Content-Length", "9")))
                .isTrue();
    }

    private static boolean confirms(String... answered) {
        return Validation.isConfirmedByHead(STORED, 7, Fields.of(answered));
    }
}
