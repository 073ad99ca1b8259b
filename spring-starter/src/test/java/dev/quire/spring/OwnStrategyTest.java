package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.spring.internal.security.SpringSecurityWatch;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** A strategy of the application that keeps the security context in a place of its own. */
@SpringBootTest(
        classes = {Site.class, Readers.class, OwnStrategyTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.guard.debug=true")
class OwnStrategyTest {

    @LocalServerPort private int port;

    @Test
    void aUserReadFromItIsSeen() {
        var response = Visitor.of(port).behindSurrogate().as("reader1", "1").get("/own/principal");

        assertThat(response.body()).isEqualTo("hello reader1");
        assertThat(field(response, "X-Quire-Guard")).isEqualTo("principal-read");
        assertThat(field(response, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void oneThatCannotBeWatchedFailsTheStart() {
        var watch = new SpringSecurityWatch(() -> Map.of("fixed", new Fixed()));

        assertThatThrownBy(watch::afterSingletonsInstantiated)
                .hasMessageContaining("SecurityContextHolderStrategy 'fixed'")
                .hasMessageContaining(Fixed.class.getName());
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Own.class)
    static class Application {

        @Bean
        SecurityContextHolderStrategy strategy() {
            return new OfThread();
        }
    }

    @Controller
    static class Own {

        @GetMapping("/own/principal")
        @EsiFragment(ttl = "40s")
        @ResponseBody
        String principal(@AuthenticationPrincipal UserDetails user) {
            return "hello " + user.getUsername();
        }
    }

    private static class OfThread implements SecurityContextHolderStrategy {

        private final ThreadLocal<SecurityContext> contexts =
                ThreadLocal.withInitial(SecurityContextImpl::new);

        @Override
        public void clearContext() {
            contexts.remove();
        }

        @Override
        public SecurityContext getContext() {
            return contexts.get();
        }

        @Override
        public void setContext(SecurityContext context) {
            contexts.set(context);
        }

        @Override
        public SecurityContext createEmptyContext() {
            return new SecurityContextImpl();
        }
    }

    /** Ignores what it is given. */
    private static final class Fixed extends OfThread {

        @Override
        public void setContext(SecurityContext context) {}
    }
}
