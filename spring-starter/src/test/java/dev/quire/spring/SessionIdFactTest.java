package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** A new session without Spring Security, which would forbid session ids in URLs. */
class SessionIdFactTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {
                ServletWebSecurityAutoConfiguration.class,
                ManagementWebSecurityAutoConfiguration.class,
                SecurityFilterAutoConfiguration.class
            })
    static class WithoutSecurity {}

    private static void visit(boolean starter, Consumer<Visitor> visit) {
        try (var application =
                new SpringApplicationBuilder(
                                WithoutSecurity.class, MeasuredFacts.class, Site.Pages.class)
                        .properties(
                                "server.port=0",
                                "quire.enabled=" + starter,
                                "quire.guard.debug=true")
                        .run()) {
            int port =
                    application
                            .getEnvironment()
                            .getRequiredProperty("local.server.port", int.class);
            visit.accept(Visitor.of(port).behindSurrogate());
        }
    }

    @Test
    void withoutTheStarterItsIdIsInTheSourceOfAnIncludeBesidePublic() {
        visit(
                false,
                client -> {
                    var page = client.get("/facts/session-id");

                    assertThat(page.body()).contains("/fragments/spare;jsessionid=");
                    assertThat(field(page, "Cache-Control")).isEqualTo("public, max-age=30");
                });
    }

    @Test
    void withTheStarterThatPageIsPrivateAndOurIncludesHaveNoIdAtAll() {
        visit(
                true,
                client -> {
                    var page = client.get("/facts/session-id");
                    var ours = client.get("/page-with-session");

                    assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
                    assertThat(field(page, "X-Quire-Guard")).isEqualTo("session-created");
                    assertThat(ours.body()).contains("esi:include").doesNotContain("jsessionid");
                });
    }
}
