package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheKeyTest {

    @ParameterizedTest
    @CsvSource({
        "News.Example, news.example",
        "news.example:80, news.example",
        "news.example:, news.example",
        "news.example:8080, news.example:8080",
        "news.example., news.example",
        "news.example.:80, news.example",
        "news.example..:8080, news.example:8080",
        "., .",
        "[::1]:80, [::1]",
        "[::1]:8080, [::1]:8080"
    })
    void equalAuthoritiesHaveOneForm(String received, String expected) {
        assertThat(CacheKey.authority(received, Scheme.HTTP)).isEqualTo(expected);
    }
}
