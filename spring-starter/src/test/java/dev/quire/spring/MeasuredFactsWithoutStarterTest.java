package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Faults without the starter; if one of these tests fails, its remedy may be unnecessary. */
@SpringBootTest(
        classes = {Site.class, Readers.class, MeasuredFacts.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.enabled=false")
class MeasuredFactsWithoutStarterTest {

    @LocalServerPort private int port;

    @Test
    void springSecurityForbidsWhatSurrogateControlAllows() {
        var text = Visitor.of(port).get("/facts/surrogate-control");

        assertThat(field(text, "Surrogate-Control")).isEqualTo("max-age=30");
        assertThat(field(text, "Cache-Control")).contains("no-store");
    }

    @Test
    void aHandlerThatSaysPublicAndThenThrowsIsPublic() {
        var failure = Visitor.of(port).get("/facts/throws");

        assertThat(failure.statusCode()).isEqualTo(500);
        assertThat(field(failure, "Cache-Control")).isEqualTo("public, max-age=30");
    }

    @Test
    void aTokenOfAFormIsBesidePublic() {
        var form = Visitor.of(port).get("/facts/form");

        assertThat(form.body()).contains("name=\"_csrf\"");
        assertThat(field(form, "Set-Cookie")).contains("JSESSIONID");
        assertThat(field(form, "Cache-Control")).isEqualTo("public, max-age=30");
    }

    @Test
    void aSessionCookieOfAnIncludedFragmentIsBesidePublic() {
        var page = Visitor.of(port).get("/facts/include-by-container");

        assertThat(field(page, "Set-Cookie")).contains("JSESSIONID");
        assertThat(field(page, "Cache-Control")).isEqualTo("public, max-age=30");
    }

    @Test
    void aFieldSetToNullIsGone() {
        // Tomcat's behaviour, which the starter's response must preserve
        assertThat(Visitor.of(port).get("/facts/header-removed").headers().map())
                .doesNotContainKey("x-said");
    }

    @Test
    void handlersThatTakeOurArgumentsStillWork() {
        assertThat(Visitor.of(port).get("/facts/speaks").body()).isEqualTo("false");
    }
}
