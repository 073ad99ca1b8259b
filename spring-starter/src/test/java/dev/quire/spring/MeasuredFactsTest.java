package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.guard.SurrogateFilter;
import dev.quire.spring.internal.stamp.StampFilter;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Faults of caching fields set by hand on Boot, Spring Security and Tomcat do not occur with the
 * starter. {@link MeasuredFactsWithoutStarterTest} shows the faults.
 */
@SpringBootTest(
        classes = {Site.class, Readers.class, MeasuredFacts.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class MeasuredFactsTest {

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    @Test
    void springSecurityDoesNotForbidWhatSurrogateControlAllows() {
        var text = surrogate.get("/facts/surrogate-control");

        assertThat(field(text, "Surrogate-Control")).isEqualTo("max-age=30");
        assertThat(field(text, "Cache-Control")).isEqualTo("no-cache");
        assertThat(text.headers().map()).doesNotContainKeys("pragma", "expires");
    }

    @Test
    void aHandlerThatSaysPublicAndThenThrowsIsNotPublic() {
        var failure = surrogate.get("/facts/throws");

        assertThat(failure.statusCode()).isEqualTo(500);
        assertThat(field(failure, "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void aTokenOfAFormIsNotBesidePublic() {
        var form = surrogate.get("/facts/form");

        assertThat(form.body()).contains("name=\"_csrf\"");
        assertThat(field(form, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(form.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aSessionCookieOfAnIncludedFragmentIsNotBesidePublic() {
        var page = surrogate.get("/facts/include-by-container");

        assertThat(page.body()).isEqualTo("session");
        assertThat(field(page, "Set-Cookie")).contains("JSESSIONID");
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void aSessionOfAFragmentLeavesThePageThatIsAssembledHerePrivate() {
        var page = Visitor.of(port).get("/one?src=/session");

        assertThat(page.body()).isEqualTo("[session]");
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void aFieldSetToNullIsGone() {
        assertThat(surrogate.get("/facts/header-removed").headers().firstValue("X-Said")).isEmpty();
    }

    @Test
    void theFilterStandsRightInsideSpringSecurity() {
        var passed = List.of(surrogate.get("/facts/filters").body().split(" ", -1));

        int ours = passed.indexOf(SurrogateFilter.class.getName());
        int security = passed.indexOf("org.springframework.security.web.FilterChainProxy");
        assertThat(security).isBetween(0, ours - 1);
        // nothing is between the two except security's inner filters
        assertThat(passed.subList(security, ours))
                .allMatch(filter -> filter.startsWith("org.springframework.security."));
        assertThat(passed.indexOf(StampFilter.class.getName())).isBetween(0, security - 1);
    }
}
