package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** References in text: docs/esi.md, Variables in text. */
class InterpolationTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no reference",
                "costs $5",
                "$",
                "$$",
                "$(",
                "$(HTTP_HOST",
                "$()",
                "$(X|two words)",
                "$('#id').hide()",
                "$(a b)",
                "$(a{b)",
                "$unknown(1)",
                "$lower",
                "$lower('a'",
                "$lower(1 2)",
                "$.ajax({})",
                "\\n \\d \\\\ \\",
            })
    void whatIsNoReferenceStays(String text) {
        var document = TestDocument.plain();

        assertThat(document.written(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "h=$(HTTP_HOST)! ~ h=example.test!",
                "$(HTTP_HOST)$(HTTP_HOST) ~ example.testexample.test",
                "[$(document)] ~ []",
                "$$(HTTP_HOST) ~ $example.test",
                "$($(x)) ~ $()",
                "$($(HTTP_HOST) ~ $(example.test",
                "$lower($(HTTP_HOST) ~ $lower(example.test",
                "$upper($(HTTP_HOST)) ~ EXAMPLE.TEST",
                "$join(['a','b'], '-')- ~ a-b-",
                "\\$(HTTP_HOST) ~ $(HTTP_HOST)",
                "\\$5 ~ $5",
                "\\\\$(HTTP_HOST) ~ \\$(HTTP_HOST)",
                "$(HTTP_HOST)\\$(HTTP_HOST) ~ example.test$(HTTP_HOST)",
                "\\n$(HTTP_HOST) ~ \\nexample.test",
            })
    void referencesAreReplaced(String text, String written) {
        var document = TestDocument.plain();

        assertThat(document.written(text)).isEqualTo(written);
    }

    @Test
    void everyBackslashGoesInTheDialectOfAkamai() {
        var document = TestDocument.in(Dialect.AKAMAI);

        assertThat(document.written("a\\nb\\\\c\\$(HTTP_HOST)$(HTTP_HOST)\\"))
                .isEqualTo("anb\\c$(HTTP_HOST)example.test\\");
    }

    @Test
    void functionsOfThePageAreKnown() {
        var document =
                TestDocument.plain()
                        .define(
                                "twice",
                                local ->
                                        local.evaluate(
                                                TestDocument.plain().read("$(ARGS{0}) * 2")));

        assertThat(document.written("$twice(21) $thrice(14)")).isEqualTo("42 $thrice(14)");
    }

    @Test
    void aValueIsNotReadAgain() {
        var document = TestDocument.of("/?a=$(HTTP_HOST)");

        assertThat(document.written("$(QUERY_STRING{a})")).isEqualTo("$(HTTP_HOST)");
    }

    @Test
    void aTemplateWithoutReferencesIsStatic() {
        var template = ExpressionParser.template("/a?b=\\$5&c", Set.of(), Dialect.STANDARD);

        assertThat(template.isStatic()).isTrue();
        assertThat(TestDocument.plain().scope.text(template).text()).isEqualTo("/a?b=$5&c");
    }
}
