package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpsRedirectTest {

    @ParameterizedTest
    @CsvSource({
        "443, www.example.org, /a?b=c, https://www.example.org/a?b=c",
        "443, www.example.org:80, /, https://www.example.org/",
        "8443, www.example.org:8080, /a, https://www.example.org:8443/a",
        "443, [::1], /, https://[::1]/",
        "8443, [::1]:80, /, https://[::1]:8443/"
    })
    void theUrlHasThePortOfTheListener(int port, String authority, String target, String url) {
        var request = new RequestHead("GET", Scheme.HTTP, authority, target, Fields.EMPTY);

        assertThat(new HttpsRedirect(port).location(request)).isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP, /, true",
        "HTTPS, /, false",
        "HTTP, /.well-known/acme-challenge/token, false",
        "HTTP, /.well-known/security.txt, true"
    })
    void requestsWithTlsAndChallengesAreNotRedirected(
            Scheme scheme, String target, boolean isRedirected) {
        var request = new RequestHead("GET", scheme, "h", target, Fields.EMPTY);

        assertThat(new HttpsRedirect(443).applies(request)).isEqualTo(isRedirected);
    }

    @Test
    void theMethodStays() {
        assertThat(HttpsRedirect.STATUS).isEqualTo(308);
    }
}
