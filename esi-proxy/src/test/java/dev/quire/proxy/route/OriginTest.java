package dev.quire.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OriginTest {

    @Test
    void portIsTheUrlsOrThatOfHttp() {
        assertThat(origin("http://127.0.0.1:8081").port()).isEqualTo(8081);
        assertThat(origin("http://app.internal").port()).isEqualTo(80);
    }

    @Test
    void urlWithoutHostOrOfAnotherSchemeIsRefusedByName() {
        assertThatThrownBy(() -> origin("https://app.internal"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("origin news");
        assertThatThrownBy(() -> origin("http:///path"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Origin origin(String url) {
        var second = Duration.ofSeconds(1);
        return new Origin("news", URI.create(url), second, second, second, 1, 1, 0);
    }
}
