package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateParserTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "REQUEST; https://{host}{status}; 15; reads 'status', which exists only once",
                "REQUEST; {outcome}; 1; exists only in the response to a client",
                "RESPONSE; a {header.user-agent}; 3; is not the same for all requests",
                "RESPONSE; {client.ip}; 1; is not the same for all requests",
                "RESPONSE; {cookie.a}; 1; is not the same for all requests",
                "REQUEST; {1}; 1; names group 1 of 0",
                "REQUEST; a{; 1; has a brace that is not closed",
                "REQUEST; a{ }; 2; has empty braces",
                "REQUEST; ab{host + 1}; 5; is unknown",
            })
    void aMistakeIsFoundWhereItIs(Phase phase, String text, int index, String what) {
        var error = catchThrowableOfType(SyntaxError.class, () -> parser(phase).parse(text, false));

        assertThat(error).hasMessageContaining(what);
        assertThat(error.index()).isEqualTo(index);
    }

    @Test
    void laterPhasesReadMore() throws SyntaxError {
        assertThat(parser(Phase.RESPONSE).parse("{status} {var.a} {query.b}", false).inputs())
                .containsExactlyInAnyOrder(Input.STATUS, Input.VARIABLE, Input.QUERY);
        assertThat(parser(Phase.DELIVER).parse("{age} {header.a}", false).inputs())
                .containsExactlyInAnyOrder(Input.AGE, Input.HEADER);
    }

    @Test
    void aGroupExistsIfItsPatternHasOne() throws SyntaxError {
        var parser = parser(Phase.REQUEST).withGroups(2, false);

        assertThat(parser.parse("{2}", true).inputs()).containsExactly(Input.PATH);
        assertThat(catchThrowableOfType(SyntaxError.class, () -> parser.parse("{3}", true)))
                .hasMessage("names group 3 of 2");
    }

    private static TemplateParser parser(Phase phase) {
        return new TemplateParser(
                (expression, isInUrl) -> {
                    throw new SyntaxError(expression.indexOf(' ') - 2, "is unknown", "a name");
                },
                phase);
    }
}
