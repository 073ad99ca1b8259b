package dev.quire.core.expression;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code matches}, {@code matches_i} and {@code =~}: docs/esi.md, Expressions. */
class MatchTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "'Sean@Banan!' matches 'B.nan' ~ true",
                "'Sean@Banan!' matches 'b.Nan' ~ false",
                "'Sean@Banan!' matches_i 'b.Nan' ~ true",
                "'foobar' matches '^bar' ~ false",
                "'a1' matches '\\d' ~ true",
                "2 matches '[0-9]' ~ true",
                "'' matches '^$' ~ true",
                "$(nope) matches '' ~ false",
                "$(nope|'') matches '^$' ~ true",
                "'abc' matches $(HTTP_COOKIE{p}) ~ true",
                "'xyz' matches 'x$(HTTP_COOKIE{q})z' ~ true",
                "'HeLLo' =~ '/hello/i' ~ true",
                "'HeLLo' =~ '/hello/' ~ false",
                "2 =~ '/[0-9]/' ~ true",
                "'a/b' =~ '/a/b/' ~ true",
            })
    void patternsAreSearchedFor(String expression, boolean holds) {
        var document = TestDocument.of("/", "Cookie", "p=^a.c; q=y");

        assertThat(document.test(expression)).isEqualTo(holds);
        assertThat(document.problems).isEmpty();
    }

    @Test
    void flagsAreForLinesAndForDotsThatMatchLineEnds() {
        var document = TestDocument.plain().assign("text", "'a\nb'");

        assertThat(document.test("$(text) =~ '/^b/'")).isFalse();
        assertThat(document.test("$(text) =~ '/^b/m'")).isTrue();
        assertThat(document.test("$(text) =~ '/a.b/'")).isFalse();
        assertThat(document.test("$(text) =~ '/A.B/is'")).isTrue();
    }

    @Test
    void groupsAreCalledMatchesAndWhateverTheTestSays() {
        var document = TestDocument.plain();

        document.test("'blahonga25blahingi' matches '''(blahonga)(\\d*)(5bla)(x)?'''", "number");

        assertThat(document.written("$(number{0}) $(number{2}) [$(number{4})]"))
                .isEqualTo("blahonga25bla 2 []");
        assertThat(document.written("$(MATCHES{1})")).isEqualTo("blahonga");
    }

    @Test
    void aTestThatDoesNotHoldNamesNothing() {
        var document = TestDocument.plain();

        document.test("'foobar' matches 'x(.)'", "name");

        assertThat(document.written("[$(name{0})$(MATCHES{0})]")).isEqualTo("[]");
    }

    @Test
    void aMatchOfLongAgoIsNotThatOfATestWithoutOne() {
        var document = TestDocument.plain();
        document.test("'ab' matches 'a'", null);

        document.test("1 == 1", "name");

        assertThat(document.written("[$(name{0})]")).isEqualTo("[]");
    }

    @Test
    void groupsOfTheRequestAreEscapedAsItIs() {
        var document = TestDocument.of("/", "Cookie", "a=<b>");

        document.test("$(HTTP_COOKIE{a}) matches '<(.*)>'", null);

        assertThat(document.written("$(MATCHES{0})")).isEqualTo("&lt;b&gt;");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'a' matches '('",
                "'a' matches 'a{1001}'",
                "'a' matches '(a{1000}){1000}'",
                "'a' =~ 'a'",
                "'a' =~ '/a/x'",
                "'a' =~ '/'",
            })
    void anInvalidPatternOfTheAuthorsIsFalseAndReportedWhenItIsRead(String expression) {
        var reading = ExpressionParser.expression(expression, Dialect.STANDARD);
        var document = TestDocument.plain();

        assertThat(reading.problem()).contains("pattern");
        assertThat(document.test(expression)).isFalse();
    }

    @Test
    void anInvalidPatternOfTheRequestIsFalseAndToldOf() {
        var document = TestDocument.of("/", "Cookie", "p=((");

        assertThat(document.test("'a' matches $(HTTP_COOKIE{p})")).isFalse();
        assertThat(document.problems)
                .containsExactly("the pattern is not a valid regular expression");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "abc ~ 3",
                "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12} ~ 60",
                "([)]a{900}){900} ~ 500000",
                "(\\Q(\\Ea{900}){900} ~ 500000",
                "(\\)a{900}){900} ~ 500000",
                "([[:alpha:])]a{900}){900} ~ 500000",
                "([]a]{900}){900} ~ 500000",
                "((a{100}){100}){100} ~ 10001",
                "((a{2,100}){0,100}){3,} ~ 10001",
            })
    void sizesAreReckonedBeforeCompiling(String expression, long atLeast) {
        assertThat(SearchPattern.size(expression))
                .isGreaterThanOrEqualTo(Math.min(atLeast, 10_001));
    }

    @Test
    void largePatternsOfOnePageAreCompiledOnlyUpToALimit() {
        var patterns = new PatternAllowance();
        var text = "'" + "a".repeat(3_000) + "' matches '^(a{50}){60}$'";
        int compiled = 0;

        for (int i = 0; i < 100; i++) {
            var read = ExpressionParser.expression(text, Dialect.STANDARD, patterns).expression();
            if (read instanceof Expression.Match match && match.compiled().isPresent()) {
                compiled++;
            }
            assertThat(new HostileRequest().scope.test(requireNonNull(read), null)).isTrue();
        }

        assertThat(compiled).isBetween(10, 20);
    }
}
