package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        "a(b, fault at character 2",
        "a(b)(c[)]d, fault at character 5",
        "a)b, fault at character 1",
        "ab[z-a], fault at character 4",
        "x(?=y), fault at character 2",
        "a**, fault at character 2",
        "aaaaaaaaaaaaaaaaaaaaa, too large at character 21",
        "(a{5}){5}, too large at character 9",
    })
    void faultOfAnExpressionIsPlaced(String expression, String said) {
        assertThatThrownBy(() -> SearchPattern.of(expression, 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }
}
