package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * An application without Spring Security with session ids in URLs, a proxy in front that rewrites
 * the client's address, and limits that are reached.
 */
@SpringBootTest(
        classes = Site.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.autoconfigure.exclude="
                    + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                    + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
                    + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "server.servlet.session.tracking-modes=url",
            "server.forward-headers-strategy=native",
            "quire.fallback.buffer=20KB",
            "quire.headers.tag-header=Cache-Tag",
            "quire.guard.debug=true"
        })
class WithoutSecurityTest {

    @LocalServerPort private int port;

    private Visitor surrogate() {
        return Visitor.of(port).behindSurrogate();
    }

    @Test
    void aSessionIdNeverGetsIntoAnInclude() {
        var session = surrogate().get("/start-session").body();

        var page = surrogate().get("/links;jsessionid=" + session + "?link=false");

        assertThat(page.body()).contains("src=\"/fragments/live?region=x\"");
        assertThat(field(page, "Surrogate-Control")).isEqualTo("max-age=8, content=\"ESI/1.0\"");
    }

    @Test
    void aSessionIdInAnyOtherLinkMakesThePagePrivate() {
        var session = surrogate().get("/start-session").body();

        var page = surrogate().get("/links;jsessionid=" + session + "?link=true");

        assertThat(page.body()).contains(";jsessionid=");
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(field(page, "Surrogate-Control")).isEqualTo("no-store, content=\"ESI/1.0\"");
        assertThat(field(page, "X-Quire-Guard")).isEqualTo("session-id-in-url");
    }

    @Test
    void handlersWithoutPolicyAreUntouched() {
        var plain = surrogate().get("/plain");

        assertThat(plain.headers().map().keySet())
                .doesNotContain("cache-control", "surrogate-control", "vary");
    }

    @Test
    void cacheTagsArePartedByCommas() {
        assertThat(field(surrogate().get("/page"), "Cache-Tag")).isEqualTo("page,front");
    }

    @Test
    void theProxyIsBelievedThoughItTellsTheClientsAddress() {
        var page = surrogate().with("X-Forwarded-For", "203.0.113.9").get("/page");

        assertThat(page.body()).contains("<esi:include");
    }

    @Test
    void aPageWithinTheBufferIsAssembledAndALargerOneIsAnError() {
        var client = Visitor.of(port);

        assertThat(client.get("/large-page?bytes=19000").body())
                .hasSize(19_005)
                .startsWith("spare");
        assertThat(client.get("/large-page?bytes=30000").statusCode()).isEqualTo(500);
    }

    @Test
    void aSurrogateGetsTheLargerPageWithItsTags() {
        var page = surrogate().get("/large-page?bytes=30000");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).startsWith("<esi:include").endsWith("x");
        assertThat(field(page, "Surrogate-Control")).contains("content=\"ESI/1.0\"");
    }
}
