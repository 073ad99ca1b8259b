package dev.quire.spring.internal.jsp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UrlsTest {

    @ParameterizedTest
    @CsvSource({
        "/live,                  /shop/live",
        "/live?a=b,              /shop/live?a=b",
        "/live#top,              /shop/live",
        "live,                   live",
        "?a=b,                   ?a=b",
        "//static.example/live,  //static.example/live",
        "https://example/live#x, https://example/live"
    })
    void pathIsMeantInsideTheApplication(String written, String url) {
        assertThat(new Urls().url(written, "/shop")).isEqualTo(url);
    }

    @Test
    void parametersAreAddedInOrderToEveryUrl() {
        var urls = new Urls();

        urls.parameter("q", "a&b=c d");
        urls.parameter("ü", "$(HTTP_COOKIE)'\"<>");

        assertThat(urls.url("/live", ""))
                .isEqualTo("/live?q=a%26b%3Dc%20d&%C3%BC=%24%28HTTP_COOKIE%29%27%22%3C%3E");
        assertThat(urls.url("/live?x=y#top", ""))
                .startsWith("/live?x=y&q=a%26b%3Dc%20d&")
                .doesNotContain("#");
    }
}
