package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Types and coercion: docs/esi.md, Expressions. */
class OperatorsTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "10 > 9 ~ true",
                "'10' > '9' ~ false",
                "10 > '9' ~ false",
                "3.02 > 2.4124 ~ true",
                "1.0 == 1 ~ true",
                "01 == 1 ~ true",
                "-0 == 0 ~ true",
                "-2 < -1 ~ true",
                "-1.5 > -1.25 ~ false",
                "1.10 == 1.1 ~ true",
                "123456789012345678901234567890 > 123456789012345678901234567889 ~ true",
                "3.01.23 == '3.01.23' ~ true",
                "'a' == 3 ~ false",
                "foo == foo ~ true",
                "true == true ~ true",
                "true == 'true' ~ true",
                "$(HTTP_COOKIE{age}) > 9 ~ true",
                "$(HTTP_COOKIE{age}) > '9' ~ false",
                "$(HTTP_COOKIE{age}) == 21.0 ~ true",
                "'$(HTTP_COOKIE{age})' == 21.0 ~ false",
                "$(nope) < 7 ~ false",
                "$(nope) >= $(nope) ~ false",
                "'' <= '' ~ false",
                "7 > $(nope) ~ false",
                "$(nope) == '' ~ true",
                "$(nope) != 'v1' ~ true",
                "[1,2] == '1,2' ~ true",
            })
    void comparisonsAreNumericUnlessOneSideIsQuotedOrNoNumber(String expression, boolean holds) {
        var document = TestDocument.of("/", "Cookie", "age=21");

        assertThat(document.test(expression)).isEqualTo(holds);
        assertThat(document.problems).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "''", "0", "-0", "0.0", "'0'", "'0.00'", "false", "[]", "{}", "$(nope)", "1/0"
            })
    void nothingZeroAndEmptyAreFalse(String expression) {
        var document = TestDocument.plain();

        assertThat(document.test(expression)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", "-1", "0.01", "'x'", "foo", "true", "[0]", "{'a': 0}", "'0x'", "' '"})
    void everythingElseIsTrue(String expression) {
        var document = TestDocument.plain();

        assertThat(document.test(expression)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "'Hello World' has 'World' ~ true",
                "'Hello World' has 'world' ~ false",
                "'HELLO WORLD' has_i 'HeLLo' ~ true",
                "10 has 1 ~ true",
                "'banan' has $(nope) ~ true",
                "$(nope) has 'a' ~ false",
                "[1,2] has ',' ~ true",
            })
    void hasFindsStringForms(String expression, boolean holds) {
        var document = TestDocument.plain();

        assertThat(document.test(expression)).isEqualTo(holds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "'a' + 'b' + 1 ~ ab1",
                "1 + 1 ~ 2",
                "1 + '1' ~ 11",
                "$(nope) + 1 ~ 1",
                "[1] + [2,3] ~ 1,2,3",
                "[1] + 'x' ~ 1x",
                "1.5 + 1 ~ 1.51",
                "3 * 'ab' ~ ababab",
                "'ab' * 2 ~ abab",
                "'ab' * -1 ~ ``",
                "2 * [1,2] ~ 1,2,1,2",
                "[] * 1000000000000 ~ ``",
                "'' * 1000000000000 ~ ``",
                "7 / 2 ~ 3",
                "-7 / 2 ~ -3",
                "10 % 3 ~ 1",
                "$(HTTP_COOKIE{no}|5) * 2 ~ 10",
            })
    void arithmeticDependsOnTheTypes(String expression, String value) {
        var document = TestDocument.plain();

        assertThat(document.value(expression)).isEqualTo(value);
        assertThat(document.problems).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 / 0",
                "1 % 0",
                "'a' - 1",
                "'4' / 2",
                "1.5 - 1",
                "'a' * 'b'",
                "2 * {'a': 1}",
                "9223372036854775807 + 1",
                "-9223372036854775807 - 2",
                "9223372036854775807 * 2",
                "(-9223372036854775807 - 1) / -1",
                "['a'..3]",
            })
    void whatCannotBeCalculatedIsNullAndTold(String expression) {
        var document = TestDocument.plain();

        var value = document.evaluate(expression);

        assertThat(value).isInstanceOf(Value.Null.class);
        assertThat(document.problems).hasSize(1);
    }

    @Test
    void aBareReferenceKeepsItsTypeAndAQuotedOneIsText() {
        var document = TestDocument.plain().assign("list", "[1,2]");

        assertThat(document.evaluate("$(list)")).isInstanceOf(Value.Items.class);
        assertThat(document.evaluate("'$(list)'")).isInstanceOf(Value.Text.class);
    }
}
