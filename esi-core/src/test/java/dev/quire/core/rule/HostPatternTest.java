package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPatternTest {

    @ParameterizedTest
    @CsvSource({
        "*, anything:99, true",
        "news.example, news.example, true",
        "News.Example, news.example, true",
        "news.example, news.example:8080, true",
        "news.example:8080, news.example:8080, true",
        "news.example:8080, news.example, false",
        "news.example:8080, news.example:9090, false",
        "news.example, old.news.example, false",
        "*.example, news.example, true",
        "*.example, a.news.example, true",
        "*.example, news.example:8080, true",
        "*.example, example, false",
        "*.example, badexample, false",
        "*.example:8080, news.example:8080, true",
        "*.example:8080, news.example, false",
        "[::1], [::1]:8080, true",
        "[::1], [::1], true",
        "[::1]:8080, [::1]:8080, true",
        "[::1]:8080, [::1], false"
    })
    void hostFitsOrNot(String pattern, String authority, boolean fits) {
        assertThat(new HostPattern(pattern).matches(authority)).isEqualTo(fits);
    }

    @ParameterizedTest
    @CsvSource({
        "*, *, true",
        "*, *.example, true",
        "*, news.example, true",
        "*.example, *, false",
        "news.example, *, false",
        "*.example, *.example, true",
        "*.example, *.news.example, true",
        "*.news.example, *.example, false",
        "*.example, *.badexample, false",
        "*.example, News.Example, true",
        "*.example, example, false",
        "news.example, NEWS.example, true",
        "news.example, *.news.example, false",
        "news.example, news.example:8080, true",
        "news.example:8080, news.example, false"
    })
    void patternCoversAnotherOrNot(String wide, String narrow, boolean covers) {
        assertThat(new HostPattern(wide).covers(new HostPattern(narrow))).isEqualTo(covers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "**", "*.", "*example", "news.*", "a.*.example", "*.*"})
    void otherPatternsAreRefused(String pattern) {
        assertThatThrownBy(() -> new HostPattern(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host must be");
    }
}
