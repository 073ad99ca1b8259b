package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchPatternTest {

    @Test
    void expressionIsFoundAnywhereUnlessItAnchorsItself() {
        assertThat(SearchPattern.of("b+", 10).isFoundIn("abbc")).isTrue();
        assertThat(SearchPattern.of("^b+", 10).isFoundIn("abbc")).isFalse();
        assertThat(SearchPattern.of("b+$", 10).isFoundIn("abbc")).isFalse();
        assertThat(SearchPattern.of("^/sport/", 10).text()).isEqualTo("^/sport/");
        assertThat(SearchPattern.of("a", 10)).isEqualTo(SearchPattern.of("a", 10));
    }

    @ParameterizedTest
    @CsvSource({
        "^/ab, /abc, true",
        "^/ab, x/abc, false",
        "^/ab*, /ac, true",
        "^/ab?c, /ac, true",
        "^/ab{0}c, /ac, true",
        "^/ab+, /ac, false",
        "^/a|b, xxb, true",
        "^(/a|/b), /b, true",
        "(?i)^/A, /a, true",
        "^/a\\.b, /a.b, true",
        "^/a.b, /a-b, true",
        "ab, xxabxx, true",
        "ab*c, xxacxx, true",
        "ab|cd, xxcdxx, true",
        "b{2}, abba, true",
        "b{2}, abab, false",
        "^, anything, true",
        "$, anything, true",
        "^^/a, /a, true",
        "/a$, x/a, true",
        "/a$, /ab, false",
    })
    void whatIsFoundIsWhatTheExpressionSays(String expression, String text, boolean isFound) {
        assertThat(SearchPattern.of(expression, 100).isFoundIn(text)).isEqualTo(isFound);
        assertThat(Pattern.compile(expression).matcher(text).find()).isEqualTo(isFound);
    }

    @ParameterizedTest
    @CsvSource({
        "a(b, syntax error in the expression at character 2",
        "a(b)(c[)]d, syntax error in the expression at character 5",
        "a)b, syntax error in the expression at character 1",
        "ab[z-a], syntax error in the expression at character 4",
        "x(?=y), syntax error in the expression at character 2",
        "a**, syntax error in the expression at character 2",
        "aaaaaaaaaaaaaaaaaaaaa, too large at character 21",
        "(a{5}){5}, too large at character 9",
    })
    void faultOfAnExpressionIsPlaced(String expression, String said) {
        assertThatThrownBy(() -> SearchPattern.of(expression, 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }
}
