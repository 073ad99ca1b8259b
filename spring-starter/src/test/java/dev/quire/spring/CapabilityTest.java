package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** An untrusted client cannot pose as a surrogate. */
@SpringBootTest(
        classes = {Site.class, Readers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.trusted-proxies=192.0.2.0/24", "quire.guard.mode=strict"})
class CapabilityTest {

    @LocalServerPort private int port;

    @Test
    void aForgedCapabilityDoesNotRevealThePageWithItsTags() {
        var page = Visitor.of(port).behindSurrogate().get("/page");

        assertThat(page.body()).doesNotContain("esi:").contains("<b>live");
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(page.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aForgedForwardingFieldDoesNotHelp() {
        var page =
                Visitor.of(port)
                        .behindSurrogate()
                        .with("X-Forwarded-For", "192.0.2.1")
                        .with("Forwarded", "for=192.0.2.1")
                        .get("/page");

        assertThat(page.body()).doesNotContain("esi:");
    }

    @Test
    void strictModeRefusesWhatCannotBePublic() {
        var refused = Visitor.of(port).get("/cookie");

        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(field(refused, "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void aSessionThatThePageBeganIsNotHeldAgainstItsFragments() {
        assertThat(Visitor.of(port).get("/page-with-session").body()).isEqualTo("[spare]");
    }

    @Test
    void strictModeLetsErrorsBeErrors() {
        assertThat(Visitor.of(port).get("/error-status").statusCode()).isEqualTo(404);
    }
}
