package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhaseTest {

    @Test
    void noRuleReadsAValueBeforeItExists() {
        assertThat(inputs(Phase.REQUEST))
                .isEqualTo(
                        EnumSet.complementOf(
                                EnumSet.of(
                                        Input.STATUS,
                                        Input.TYPE,
                                        Input.RESPONSE,
                                        Input.LENGTH,
                                        Input.OUTCOME,
                                        Input.AGE)));
        assertThat(inputs(Phase.DELIVER)).isEqualTo(EnumSet.allOf(Input.class));
    }

    @Test
    void responseRulesReadOnlyTheUrlTheResponseAndVariables() {
        assertThat(inputs(Phase.RESPONSE))
                .isEqualTo(
                        EnumSet.of(
                                Input.SCHEME,
                                Input.HOST,
                                Input.PATH,
                                Input.QUERY,
                                Input.VARIABLE,
                                Input.STATUS,
                                Input.TYPE,
                                Input.RESPONSE,
                                Input.LENGTH));
    }

    @ParameterizedTest
    @CsvSource({
        "Host,              REQUEST",
        "Connection,        REQUEST RESPONSE DELIVER",
        "Transfer-Encoding, REQUEST RESPONSE DELIVER",
        "Content-Length,    REQUEST RESPONSE DELIVER",
        "X-Forwarded-For,   REQUEST",
        "Accept-Encoding,   REQUEST",
        "Range,             REQUEST",
        "If-None-Match,     REQUEST",
        "Surrogate-Control, REQUEST RESPONSE",
        "Via,               REQUEST RESPONSE",
        "ETag,              RESPONSE DELIVER",
        "Age,               RESPONSE DELIVER",
        "Vary,              RESPONSE DELIVER",
        "Cache-Control,     DELIVER",
        "X-Device,          ''",
        "Cookie,            ''",
        "Authorization,     ''",
    })
    void fieldsOnWhichOthersRelyAreClosed(String name, String phases) {
        assertThat(Arrays.stream(Phase.values()).filter(phase -> phase.isClosed(name)))
                .extracting(Phase::name)
                .containsExactlyElementsOf(
                        phases.isEmpty() ? List.of() : List.of(phases.split(" ")));
    }

    @Test
    void varyMayOnlyGetMoreNames() {
        assertThat(Phase.RESPONSE.isClosedToMore("Vary")).isFalse();
        assertThat(Phase.DELIVER.isClosedToMore("vary")).isFalse();
        assertThat(Phase.RESPONSE.isClosedToMore("ETag")).isTrue();
    }

    @Test
    void aPatternRemovesNoClosedField() {
        var edits =
                new FieldEdits(
                        Phase.DELIVER, List.of(TextPattern.of("*", true)), List.of(), List.of());

        assertThat(edits.isUnset("X-Powered-By")).isTrue();
        assertThat(edits.isUnset("Content-Length")).isFalse();
    }

    private static EnumSet<Input> inputs(Phase phase) {
        return Arrays.stream(Input.values())
                .filter(phase::reads)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Input.class)));
    }
}
