package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;

/** The configured scheme of a listener applies to each of its requests. */
class ListenerSchemeTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void schemeIsPartOfTheKeyAndOriginsAreTold() {
        try (var proxy = new OneThread()) {
            var plain = proxy.client();
            plain.get("/a");
            assertThat(proxy.ask("/a").text()).contains("X-Forwarded-Proto: http\r\n");
            proxy.ask("/a").say(ok("plain", FRESH));
            proxy.scheme = Scheme.HTTPS;
            var secure = proxy.client();

            secure.get("/a");

            assertThat(proxy.ask("/a").text()).contains("X-Forwarded-Proto: https\r\n");
            proxy.ask("/a").say(ok("secure", FRESH));
            assertThat(secure.received()).endsWith("secure");
            proxy.asked();
            plain.received();
            assertThat(plain.get("/a").received()).endsWith("plain");
            assertThat(secure.get("/a").received()).endsWith("secure");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void fragmentsAndRedirectsStayWithTheSchemeOfTheirPage() {
        try (var proxy = new OneThread()) {
            proxy.scheme = Scheme.HTTPS;
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/page").say(page(include("/f")));

            proxy.ask("/f").say(answer("302 Found", "", "Location: g"));

            assertThat(proxy.ask("/g").text()).contains("X-Forwarded-Proto: https\r\n");
            proxy.ask("/g").say(ok("G", FRESH));
            assertThat(client.received()).endsWith("G");
            proxy.asked();
            assertThat(client.get("/g").received()).endsWith("G");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void targetInAbsoluteFormHasTheSchemeOfTheListener() {
        try (var proxy = new OneThread()) {
            proxy.scheme = Scheme.HTTPS;
            proxy.stored("/a", ok("secure", FRESH));

            var own = proxy.client().get("https://news.test/a").received();
            var other = proxy.client().get("http://news.test/a").received();

            assertThat(own).endsWith("secure");
            assertThat(other).startsWith("HTTP/1.1 400 ");
        }
    }
}
