package dev.quire.it;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.spring.Esi;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiVariant;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.rememberme.InMemoryTokenRepositoryImpl;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A running application with login: pages of public, variant and private fragments. */
final class MembersSite implements AutoCloseable {
    static final String SECRET = "known to proxy and application only";

    private static final String HTML = "text/html;charset=UTF-8";

    private final ConfigurableApplicationContext application;

    private MembersSite(ConfigurableApplicationContext application) {
        this.application = application;
    }

    /** Starts it on a free port with these properties. */
    static MembersSite start(String... properties) {
        return start(context -> {}, properties);
    }

    /** Starts it with an observer of the pages it assembles. */
    static MembersSite observed(AssemblyObserver observer, String... properties) {
        return start(
                context ->
                        ((GenericApplicationContext) context)
                                .registerBean(AssemblyObserver.class, () -> observer),
                properties);
    }

    private static MembersSite start(
            ApplicationContextInitializer<ConfigurableApplicationContext> more,
            String... properties) {
        var application = new SpringApplication(Application.class);
        application.addInitializers(more);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        var arguments =
                new ArrayList<>(
                        List.of(
                                "--server.port=0",
                                "--server.address=127.0.0.1",
                                "--spring.autoconfigure.exclude=",
                                "--quire.headers.mode=portable",
                                "--quire.variants.secret=" + SECRET,
                                "--quire.variants.roles=EDITOR"));
        for (var property : properties) {
            arguments.add("--" + property);
        }
        return new MembersSite(application.run(arguments.toArray(String[]::new)));
    }

    InetSocketAddress address() {
        var server = ((WebServerApplicationContext) application).getWebServer();
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Objects.requireNonNull(server, "web server").getPort());
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + address().getPort());
    }

    /** Returns how often {@code fragment} was rendered. */
    int made(String fragment) {
        return application
                .getBean(Pages.class)
                .made
                .getOrDefault(fragment, new AtomicInteger())
                .get();
    }

    @Override
    public void close() {
        application.close();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {

        @Bean
        SecurityFilterChain chain(
                HttpSecurity http, @Value("${site.rotating-tokens:false}") boolean rotating)
                throws Exception {
            return http.authorizeHttpRequests(requests ->
                            requests.requestMatchers("/members/**")
                                    .authenticated()
                                    .anyRequest()
                                    .permitAll())
                    .formLogin(form -> {})
                    .rememberMe(remembered -> {
                        remembered.key("of this site");
                        if (rotating) {
                            remembered.tokenRepository(new InMemoryTokenRepositoryImpl());
                        }
                    })
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann").password("{noop}1").roles("READER").build(),
                    User.withUsername("bob").password("{noop}2").roles("EDITOR").build());
        }
    }

    @RestController
    static class Pages {
        final Map<String, AtomicInteger> made = new ConcurrentHashMap<>();

        private String made(String fragment) {
            made.computeIfAbsent(fragment, name -> new AtomicInteger()).incrementAndGet();
            return fragment;
        }

        @GetMapping(path = "/page", produces = HTML)
        @EsiPage(ttl = "60s")
        String page() {
            return "<h1>"
                    + Esi.include("/fragments/news").toHtml()
                    + "</h1>"
                    + Esi.include("/fragments/greeting").toHtml()
                    + Esi.include("/fragments/desk").toHtml()
                    + Esi.include("/fragments/name").toHtml()
                    + "<p>end";
        }

        @GetMapping(path = "/front", produces = HTML)
        @EsiPage(ttl = "60s", browser = "max-age=60")
        String front() {
            return "<h1>" + Esi.include("/fragments/news").toHtml() + "</h1>";
        }

        @GetMapping(path = "/form", produces = HTML)
        @EsiPage(ttl = "60s")
        String form() {
            return "<form>" + Esi.csrf().toHtml() + "</form>";
        }

        @PostMapping("/posted")
        String posted(@RequestParam String text, HttpServletRequest request) {
            return request.getRemoteUser() + " posted " + text;
        }

        @GetMapping(path = "/fragments/news", produces = HTML)
        @EsiFragment(ttl = "60s", browser = "max-age=60")
        String news() {
            return made("news");
        }

        @GetMapping(path = "/fragments/greeting", produces = HTML)
        @EsiFragment(ttl = "60s", browser = "max-age=60", vary = "login")
        String greeting(@EsiVariant("login") String login) {
            return "<p>hello " + made("greeting") + " of " + login;
        }

        @GetMapping(path = "/fragments/desk", produces = HTML)
        @EsiFragment(ttl = "60s", vary = "role")
        String desk(@EsiVariant("role") String role) {
            return "<p>desk of " + role;
        }

        @GetMapping(path = "/names", produces = HTML)
        @EsiPage(ttl = "60s")
        String names() {
            return (Esi.include("/fragments/name").toHtml() + "\n").repeat(8);
        }

        @GetMapping(path = "/members/profile", produces = HTML)
        @EsiPage(scope = EsiFragment.Scope.PRIVATE)
        String profile(HttpServletRequest request) {
            return "profile of " + request.getRemoteUser() + names();
        }

        @GetMapping(path = "/fragments/name", produces = HTML)
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String name(HttpServletRequest request) {
            return "<p>you are " + request.getRemoteUser();
        }
    }
}
