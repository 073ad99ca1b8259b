package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** An application with a login form, and pages that vary for members and editors. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Club.Pages.class)
class Club {

    static final String SECRET = "a secret of at least thirty-two characters";

    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests ->
                        requests.requestMatchers("/members/**")
                                .authenticated()
                                .anyRequest()
                                .permitAll())
                .formLogin(form -> {})
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("ann").password("{noop}1").roles("READER").build(),
                User.withUsername("bob")
                        .password("{noop}2")
                        .roles("READER", "CHIEF_EDITOR")
                        .build());
    }

    /** Varies by the browser's preference, which is not in a cookie. */
    @Bean
    VariantResolver edition() {
        return new VariantResolver() {
            @Override
            public String name() {
                return "edition";
            }

            @Override
            public Set<String> values() {
                return Set.of("home", "world");
            }

            @Override
            public String initial() {
                return "home";
            }

            @Override
            public String resolve(HttpServletRequest request) {
                return request.getHeader("X-Edition") == null ? "home" : "world";
            }
        };
    }

    @Bean
    Sessions sessions() {
        return new Sessions();
    }

    /** Returns the number of sessions. */
    static final class Sessions implements HttpSessionListener {

        private final AtomicInteger alive = new AtomicInteger();

        int alive() {
            return alive.get();
        }

        @Override
        public void sessionCreated(HttpSessionEvent begun) {
            alive.incrementAndGet();
        }

        @Override
        public void sessionDestroyed(HttpSessionEvent ended) {
            alive.decrementAndGet();
        }
    }

    @Controller
    static class Pages {

        @GetMapping("/asked-for-desk")
        @EsiFragment(ttl = "60s", vary = "login")
        @ResponseBody
        String askedFor(EsiRequest request) {
            return "variant " + request.variant().orElse("unknown");
        }

        @GetMapping("/reads-the-field")
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String field(@RequestHeader("Esi-Variant") String field) {
            return "field " + field;
        }

        @GetMapping(path = "/page", produces = Site.HTML)
        @ResponseBody
        String page() {
            return "["
                    + Esi.include("/greeting").toHtml()
                    + Esi.include("/members/scraps").onError(OnError.CONTINUE).toHtml()
                    + "]";
        }

        @GetMapping(path = "/form", produces = Site.HTML)
        @EsiPage(ttl = "60s")
        @ResponseBody
        String form() {
            return "<form method=\"post\" action=\"/posted\">" + Esi.csrf().toHtml() + "</form>";
        }

        @GetMapping("/form-of-template")
        @EsiPage(ttl = "60s")
        String formOfTemplate() {
            return "csrf";
        }

        @PostMapping("/posted")
        @ResponseBody
        String posted(@RequestParam String text) {
            return "posted " + text;
        }

        @GetMapping(path = "/greeting", produces = Site.HTML)
        @EsiFragment(ttl = "60s", vary = "login")
        @ResponseBody
        String greeting(@EsiVariant("login") String login) {
            return "hello " + login;
        }

        @GetMapping(path = "/desk", produces = Site.HTML)
        @EsiFragment(
                ttl = "60s",
                vary = {"login", "role"})
        @ResponseBody
        String desk(@EsiVariant("role") String role) {
            return "desk of " + role;
        }

        @GetMapping("/view")
        @EsiFragment(ttl = "60s", vary = "login")
        String view() {
            return "variant";
        }

        @GetMapping("/by-name")
        @EsiFragment(ttl = "60s", vary = "login")
        @ResponseBody
        String byName(HttpServletRequest request) {
            return "hello " + request.getRemoteUser();
        }

        @GetMapping("/members/scraps")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String scraps() {
            return " and your scraps";
        }

        @GetMapping("/members/profile")
        @EsiPage(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String profile() {
            return "profile";
        }
    }
}
