package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing of expressions: docs/esi.md, Expressions. */
class ExpressionGrammarTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "1==1 | 1==1 & 1==2 ~ true",
                "1==1 & 2==2 ~ true",
                "(1==1 | 1==1) & 1==2 ~ false",
                "(1>2)||(3>2&&2>1) ~ true",
                "!1==2 ~ true",
                "!(1==1) ~ false",
                "! (1 < 2) | (3 > 2 & 2 >= 1) ~ true",
                "!!'value' ~ true",
                "!!!!!'value' ~ false",
                "5 + 3 > 7 ~ true",
                "2 + 3 * 4 ~ 20",
                "2 + (3 * 4) ~ 14",
                "100 / 5 - 2 * 3 ~ 54",
                "10 - 3 - 2 ~ 5",
                "5 -3 ~ 2",
                "5 - -3 ~ 8",
                "5-3 ~ 2",
                "+7 ~ 7",
                "-7 ~ -7",
            })
    void operatorsBindAsTheGrammarSays(String expression, String value) {
        var document = TestDocument.plain();

        var text = document.value(expression);

        assertThat(text).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "'it\\'s' ~ it's",
                "\"it's\" ~ it's",
                "'a\\\\b' ~ a\\b",
                "'\\d+' ~ \\d+",
                "'''a\\'b''' ~ a\\'b",
                "'''$(HTTP_HOST)''' ~ $(HTTP_HOST)",
                "'at $(HTTP_HOST)!' ~ at example.test!",
                "'at $(HTTP_COOKIE{'x'}|'y')!' ~ at y!",
                "'\\$(HTTP_HOST)' ~ $(HTTP_HOST)",
                "'$(HTTP_HOST' ~ $(HTTP_HOST",
                "'$lower(A)' ~ $lower(A)",
                "'a & b == c' ~ a & b == c",
                "'' ~ ``",
                "foo ~ foo",
                "en-gb ~ en-gb",
                "3.01.23 ~ 3.01.23",
                "12monkeys ~ 12monkeys",
                "true ~ true",
                "1.50 ~ 1.50",
                "9223372036854775807 ~ 9223372036854775807",
                "9223372036854775808 ~ 9223372036854775808",
                "[1, 'a', [2,3]] ~ 1,a,2,3",
                "[] ~ ``",
                "[1..4] ~ 1,2,3,4",
                "[ 3 .. 1 ] ~ 3,2,1",
                "[2..2] ~ 2",
                "{'a': 1, b: [2]} ~ a=1&b=2",
                "{} ~ ``",
                "$upper('a' + $lower('B')) ~ AB",
                "$dollar( ) ~ $",
                "$(a|b) ~ b",
                "$(a|'b c') ~ b c",
                "$(a|42) + 1 ~ 43",
                "$(a|/img/x.png) ~ /img/x.png",
                "$(a|$(b|c)) ~ c",
                "$(a{$(b)}|'''c''') ~ c",
                "$(a{k;sub}|c) ~ c",
            })
    void valuesAreReadAsWritten(String expression, String value) {
        var document = TestDocument.plain();

        var text = document.value(expression);

        assertThat(text).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "`` ~ expected a value, at character 1",
                "` ` ~ expected a value, at character 2",
                "1 == ~ expected a value, at character 5",
                "1 == 2 == 3 ~ expected an operator or the end, at character 8",
                "(1 ~ expected ')', at character 3",
                "'abc ~ the string is not closed, at character 1",
                "'''abc ~ the raw string is not closed, at character 1",
                "1 2 ~ expected an operator or the end, at character 3",
                "has ~ expected a value, at character 1",
                "$(x|two words) ~ expected ')', at character 8",
                "$($(x)) ~ expected a name, at character 3",
                "$(1x) ~ expected a name, at character 3",
                "$lower 'x' ~ expected '(', at character 7",
                "[1..2 ~ expected ']', at character 6",
                "{'a' 1} ~ expected ':', at character 6",
                "-x ~ expected a number, at character 1",
                "1 = 1 ~ expected an operator or the end, at character 3",
            })
    void whatCannotBeReadSaysWhatWasExpectedWhere(String expression, String problem) {
        var reading = ExpressionParser.expression(expression, Dialect.STANDARD);

        assertThat(reading.expression()).isNull();
        assertThat(reading.problem()).startsWith(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 + 2 * 3", "1 - 4 / 2", "'a' + 7 % 2 + 1"})
    void aProductBehindASumIsDoubtful(String expression) {
        var reading = ExpressionParser.expression(expression, Dialect.STANDARD);

        assertThat(reading.expression()).isNotNull();
        assertThat(reading.problem()).contains("use parentheses");
    }

    @Test
    void aProductBeforeASumIsNot() {
        var reading = ExpressionParser.expression("2 * 3 + (1 + 2) * 4", Dialect.STANDARD);

        assertThat(reading.problem()).contains("use parentheses");
        assertThat(ExpressionParser.expression("2 * 3 + (1 + 2)", Dialect.STANDARD).problem())
                .isNull();
    }

    @Test
    void everyBackslashOfAStringGoesInTheDialectOfAkamai() {
        var document = TestDocument.in(Dialect.AKAMAI);

        var text = document.value("'\\d\\'\\\\x'");

        assertThat(text).isEqualTo("d'\\x");
    }

    @Test
    void operandsThatDecideNothingAreNotEvaluated() {
        var document = TestDocument.plain();

        var isTrue = document.test("1 == 1 | 1 / 0");
        var isFalse = document.test("1 == 2 & 1 / 0");

        assertThat(isTrue).isTrue();
        assertThat(isFalse).isFalse();
        assertThat(document.problems).isEmpty();
    }

    @Test
    void responseFunctionsAreFoundWhereverTheyStand() {
        var hidden = "[1, {'a': !(1 == $lower('x') & $set_redirect('/'))}]";
        var document = TestDocument.plain();

        assertThat(document.read(hidden).editsResponse()).isTrue();
        assertThat(document.read("$(a{$(b)}|$(c)) + $lower('$set_redirect()')").editsResponse())
                .isFalse();
    }
}
