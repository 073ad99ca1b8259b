package dev.quire.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.tls.OriginTls;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OriginSettingsTest {

    @Test
    void portIsTheUrlsOrThatOfTheScheme() {
        assertThat(origin("http://127.0.0.1:8081").urls().getFirst().port()).isEqualTo(8081);
        assertThat(origin("http://app.internal").urls().getFirst().port()).isEqualTo(80);
        assertThat(origin("https://app.internal").urls().getFirst().port()).isEqualTo(443);
    }

    @Test
    void urlWithoutHostOrOfAnotherSchemeIsRefusedByName() {
        assertThatThrownBy(() -> origin("ftp://app.internal"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ftp://app.internal");
        assertThatThrownBy(() -> origin("http:///path"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void urlsAreAtLeastOneThatIsNoFallbackAndNoneTwice() {
        var a = URI.create("http://a");
        var fallback = new OriginSettings.Url(a, 1, true);

        assertThatThrownBy(() -> origin()).hasMessageContaining("must have 1 to 64 URLs");
        assertThatThrownBy(() -> origin(fallback)).hasMessageContaining("only fallbacks");
        assertThatThrownBy(() -> origin(OriginSettings.Url.at(a), fallback))
                .hasMessageContaining("a URL twice");
    }

    private static OriginSettings origin(String url) {
        return origin(OriginSettings.Url.at(URI.create(url)));
    }

    private static OriginSettings origin(OriginSettings.Url... urls) {
        var second = Duration.ofSeconds(1);
        return new OriginSettings(
                "news",
                List.of(urls),
                OriginSettings.Balance.LEAST_REQUESTS,
                new OriginSettings.Deadlines(second, second, second, Duration.ZERO),
                1,
                1,
                second,
                new OriginSettings.Retries(0, 20),
                OriginSettings.Health.UNCHECKED,
                true,
                OriginTls.DEFAULTS,
                Optional.empty());
    }
}
