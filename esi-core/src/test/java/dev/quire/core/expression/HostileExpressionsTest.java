package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions that would take unlimited time or memory end soon and are reported. */
@Timeout(20)
class HostileExpressionsTest {
    private static final int MANY = 1_000_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "[",
                "{",
                "!",
                "$lower(",
                "$(a{",
                "$(a|",
                "$(a|'",
                "'",
                "'''",
                "\"",
                "-",
                "\\",
                "{1:",
                "[1,",
                "1+(",
                "$(a{'",
                "'$(a|\"$(a|"
            })
    void whatIsNeverClosedCannotBeRead(String opening) {
        var reading = ExpressionParser.expression(opening.repeat(MANY), Dialect.STANDARD);

        assertThat(reading.expression()).isNull();
        assertThat(reading.problem()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "1 ~ +1 ~ 250001",
                "1==1 ~ &1==1 ~ true",
                "1==2 ~ |1==2 ~ false",
                "1 ~ - 1 ~ -249999",
            })
    void longChainsAreNoDepth(String first, String more, String value) {
        var document = TestDocument.plain();

        var text = document.value(first + more.repeat(MANY / 4));

        assertThat(text).isEqualTo(value);
    }

    @Test
    void aMillionExclamationMarksAreAnEvenNumber() {
        var document = TestDocument.plain();

        assertThat(document.test("!".repeat(MANY) + "1")).isTrue();
    }

    @Test
    void depthIsAllowedUpToItsBound() {
        var document = TestDocument.plain();

        assertThat(document.value("(".repeat(100) + "1" + ")".repeat(100))).isEqualTo("1");
        assertThat(
                        ExpressionParser.expression(
                                        "(".repeat(101) + "1" + ")".repeat(101), Dialect.STANDARD)
                                .problem())
                .contains("more than 100 levels deep");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$(",
                "$(a{",
                "$(a{'",
                "$(a|",
                "$(a|'",
                "$(a|\"$(a|'",
                "$lower(",
                "$lower('',",
                "$lower('$(a|\"$(b{'",
                "$lower($(a),",
                "$lower([",
                "$",
                "\\",
                "\\$(",
                "$lower({a:",
                "$lower(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+",
                "$lower('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'+1,"
            })
    void referencesThatNeverEndAreTextInLinearTime(String opening) {
        var text = opening.repeat(8 * MANY / opening.length());
        Interpolation.of(text.substring(0, text.length() / 8), Set.of(), Dialect.STANDARD);

        long start = System.nanoTime();
        Interpolation.of(text, Set.of(), Dialect.STANDARD);
        var took = Duration.ofNanos(System.nanoTime() - start);

        // Quadratic time would be hours; reading all the text at each of 100 levels, a minute.
        assertThat(took).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void stringsThatDoubleEndAtTheBudget() {
        var document = TestDocument.plain().assign("x", "'0123456789'");

        for (int i = 0; i < 100; i++) {
            document.assign("x", "$(x) + $(x)");
        }

        assertThat(document.problems)
                .containsExactly(
                        "values exceed 16 MiB in total; the value over the limit is empty");
    }

    @Test
    void listsOfThemselvesEndWhenTheyAreWritten() {
        var document = TestDocument.plain().assign("x", "['a']");
        for (int i = 0; i < 90; i++) {
            document.assign("x", "[$(x), $(x)]");
        }

        assertThat(document.written("$(x)")).isEmpty();
        assertThat(document.problems).hasSize(1);
    }

    @Test
    void cyclesEndWhenTheyAreWrittenCopiedOrCompared() {
        var document = TestDocument.plain().assign("x", "[1, 2]").assign("d", "{'a': 1}");
        document.scope.assign("x", document.evaluate("0"), document.evaluate("$(x)"));
        document.scope.assign("x", document.evaluate("1"), document.evaluate("$(x)"));
        document.scope.assign("d", document.evaluate("'a'"), document.evaluate("$(d)"));

        assertThat(document.scope.fork().test(document.read("$exists($(x{1}))"), null)).isTrue();
        assertThat(document.written("$(x)$(d)")).isEmpty();
        assertThat(document.test("$(x) == $(d)")).isFalse();
        assertThat(document.scope.fork().evaluate(document.read("$len($(x))")))
                .isInstanceOf(Value.Null.class);
    }

    @Test
    void copiesOfDeepCollectionsNeedNoStack() {
        var document = TestDocument.plain().assign("x", "[]");
        var deeper = document.read("[$(x)]");
        for (int i = 0; i < 100_000; i++) {
            document.scope.assign("x", document.scope.evaluate(deeper));
        }

        var copy = document.scope.fork();

        assertThat(copy.evaluate(document.read("$(x)"))).isInstanceOf(Value.Items.class);
    }

    @Test
    void copiesOfLargeCollectionsAreBounded() {
        var document = TestDocument.plain().assign("x", "[0] * 100000");

        for (int i = 0; i < 1_000; i++) {
            document.scope.fork();
        }

        assertThat(document.problems).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'a' * 2000000000",
                "['a'] * 9223372036854775807",
                "9223372036854775807 * [1,2,3]",
                "[1..2000000000]",
                "[-9223372036854775807..9223372036854775807]",
                "[0..-9223372036854775807]",
                "$string_split('a' * 10000000, '')",
            })
    void bombsAreNullAndTold(String expression) {
        var document = TestDocument.plain();

        assertThat(document.evaluate(expression)).isInstanceOf(Value.Null.class);
        assertThat(document.problems).hasSize(1);
    }

    @Test
    void rangesShareTheirBoundAndSoDoLoops() {
        var document = TestDocument.plain();

        assertThat(document.value("$len([1..6000])")).isEqualTo("6000");
        assertThat(document.evaluate("[1..6000]")).isInstanceOf(Value.Null.class);
        int rounds = 0;
        while (document.evaluation.mayIterate()) {
            rounds++;
        }

        assertThat(rounds).isEqualTo(10_000);
        assertThat(document.evaluation.mayIterate()).isFalse();
        assertThat(document.problems).hasSize(2);
    }

    @Test
    void evaluationEndsWhenItsStepsAreUsedUp() {
        var document = TestDocument.plain();
        var expression = document.read("1" + " + 1".repeat(10_000));

        for (int i = 0; i < 1_000; i++) {
            document.scope.evaluate(expression);
        }

        assertThat(document.evaluate("1")).isInstanceOf(Value.Null.class);
        assertThat(document.problems)
                .containsExactly(
                        "the page exceeds its evaluation steps; all later values are empty");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$(text) has $(needle)",
                "$index($(text), $(needle)) == 5",
                "$rindex($(text), $(needle)) == 5",
                "$len($replace($(text), $(needle), '')) == 5",
                "$len($string_split($(text), $(needle))) == 5",
                "$(text) matches '(x+x+)+y'",
                "$(text) matches '((((a*)*)*)*)*b'",
                "$(text) matches '(a?){300}a{300}b'",
                "$(text) matches $(needle)",
            })
    void searchesAreLinearOrGivenUp(String expression) {
        var document =
                TestDocument.plain()
                        .assign("text", "'a' * 4000000")
                        .assign("needle", "'a' * 2000000 + 'b'");

        assertThat(document.test(expression)).isFalse();
    }

    @Test
    void mistakesOfALoopAreNotToldForEver() {
        var document = TestDocument.plain();
        var mistake = document.read("1 / 0");

        for (int i = 0; i < 5_000; i++) {
            document.scope.evaluate(mistake);
        }

        assertThat(document.problems).hasSize(Evaluation.MAX_PROBLEMS);
    }

    @Test
    void patternsNestedWithoutEndAreTooLarge() {
        var document = TestDocument.plain().assign("p", "('(' * 3000) + (')' * 3000)");

        assertThat(document.test("'a' matches $(p)")).isFalse();
        assertThat(document.problems).containsExactly("the pattern is too large");
    }
}
