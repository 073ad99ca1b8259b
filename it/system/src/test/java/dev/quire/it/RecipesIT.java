package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** The recipes of docs/spring.md, copied verbatim, in an application behind the proxy. */
class RecipesIT {
    private static final Pattern BLOCK =
            Pattern.compile("^```([a-z]+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern INLINE = Pattern.compile("`(@Esi[^`]+)`");

    private TestClock clock;
    private ConfigurableApplicationContext application;
    private RunningProxy proxy;

    @BeforeEach
    void start() {
        clock = TestClock.handSetBeforeRealServers();
        application =
                new SpringApplicationBuilder(Application.class)
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .registerShutdownHook(false)
                        .run(
                                "--server.port=0",
                                "--server.address=127.0.0.1",
                                "--spring.autoconfigure.exclude=",
                                "--quire.variants.secret=" + MembersSite.SECRET);
        var server = ((WebServerApplicationContext) application).getWebServer();
        int port = Objects.requireNonNull(server, "web server").getPort();
        proxy =
                RunningProxy.inFrontOf(URI.create("http://127.0.0.1:" + port))
                        .with("variants", "{ secret: \"%s\" }".formatted(MembersSite.SECRET))
                        .clock(clock)
                        .start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        application.close();
    }

    private Recipes recipes() {
        return application.getBean(Recipes.class);
    }

    private static String status(Response response) {
        return Objects.requireNonNullElse(response.field("Cache-Status"), "");
    }

    @Test
    void theLoginBoxIsItsReadersOwnOnAPageForAll() {
        var reader = Browser.of(proxy.http(), "ann", "1");
        var visitor = new Browser(proxy.http());
        visitor.get("/");

        assertThat(reader.get("/").text()).contains("<p>ann</p>", "<a>Log out</a>");
        assertThat(visitor.get("/").text()).contains("<p>nobody</p>", "<a>Log in</a>");
        assertThat(status(reader.get("/"))).contains("quire; hit");
        assertThat(status(reader.get("/fragments/login"))).contains("quire; hit");
        assertThat(status(visitor.get("/fragments/login"))).contains("quire; hit");
        assertThat(status(reader.get("/fragments/greeting"))).doesNotContain("hit", "stored");
    }

    @Test
    void whoHasNoBasketAsksForNone() {
        assertThat(proxy.get("/").text()).containsPattern("basket:\\s+0\\s+</p>");
        assertThat(recipes().baskets).hasValue(0);

        assertThat(proxy.get("/", "Cookie", "basket=7").text())
                .containsPattern("basket:\\s+3 things\\s+</p>");
        assertThat(recipes().baskets).hasValue(1);
    }

    @Test
    void nobodyWaitsForTheTicker() {
        proxy.get("/fragments/ticker");

        clock.advance(Duration.ofSeconds(4));
        assertThat(proxy.get("/").text()).contains("count 1");
        proxy.awaitMetric("quire_background_refresh_total", 1);
        assertThat(proxy.get("/").text()).contains("count 2");

        recipes().failing = true;
        clock.advance(Duration.ofMinutes(50));
        assertThat(proxy.get("/fragments/ticker").text()).isEqualTo("count 2");
    }

    @Test
    void onePurgeTakesAllPagesOfAList() {
        for (var target : new String[] {"/section/3", "/section/3?page=2", "/section/4"}) {
            proxy.get(target);
            assertThat(status(proxy.get(target))).contains("quire; hit");
        }

        recipes().edition = 2;
        proxy.purgeTags("section-3");

        assertThat(proxy.get("/section/3").text()).contains("section 3, page 1, edition 2");
        assertThat(proxy.get("/section/3?page=2").text()).contains("section 3, page 2, edition 2");
        assertThat(proxy.get("/section/4").text()).contains("section 4, page 1, edition 1");
    }

    @Test
    void theDocumentSaysWhatRunsHere() throws IOException {
        var text = Files.readString(Path.of("../../docs/spring.md"));
        var from = text.indexOf("\n## Recipes");
        var section = text.substring(from, text.indexOf("\n## ", from + 1));
        var code = squeezed(Path.of("src/test/java/dev/quire/it/RecipesIT.java"));
        var template = squeezed(Path.of("src/test/resources/templates/recipes/front.html"));

        assertThat(INLINE.matcher(section).results())
                .hasSizeGreaterThan(1)
                .allSatisfy(annotation -> assertThat(code).contains(squeezed(annotation.group(1))));
        assertThat(BLOCK.matcher(section).results())
                .hasSizeGreaterThan(3)
                .allSatisfy(block -> {
                    var shown = squeezed(block.group(2).replace("… }", ""));
                    assertThat(block.group(1).equals("java") ? code : template).contains(shown);
                });
    }

    private static String squeezed(Path file) throws IOException {
        return squeezed(Files.readString(file));
    }

    /** Removes white space, since documents wrap lines differently. */
    private static String squeezed(String text) {
        return text.replaceAll("\\s", "");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Recipes.class)
    static class Application {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.formLogin(form -> {}).build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann").password("{noop}1").roles("READER").build());
        }
    }

    @Controller
    static class Recipes {
        final AtomicInteger baskets = new AtomicInteger();
        private final AtomicInteger counts = new AtomicInteger();
        volatile boolean failing;
        volatile int edition = 1;

        @GetMapping("/")
        @EsiPage(ttl = "1h")
        String front() {
            return "recipes/front";
        }

        @GetMapping("/fragments/greeting")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String greeting(Model model, @AuthenticationPrincipal @Nullable UserDetails reader) {
            model.addAttribute("reader", reader == null ? "nobody" : reader.getUsername());
            return "recipes/greeting";
        }

        @GetMapping("/fragments/login")
        @EsiFragment(ttl = "1h", vary = "login")
        String login() {
            return "recipes/login";
        }

        @GetMapping("/fragments/basket-count")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String basketCount() {
            baskets.incrementAndGet();
            return "3 things";
        }

        @GetMapping("/fragments/ticker")
        @EsiFragment(ttl = "3s", stale = "10s", staleIfError = "1h", tags = "election")
        @ResponseBody
        String ticker() {
            if (failing) {
                throw new IllegalStateException("no count tonight");
            }
            return "count " + counts.incrementAndGet();
        }

        @GetMapping("/section/{sid}")
        @EsiPage(ttl = "1m", stale = "30s", tags = "section-#{#sid}")
        String section(
                @PathVariable int sid, @RequestParam(defaultValue = "1") int page, Model model) {
            model.addAttribute("sid", sid);
            model.addAttribute("page", page);
            model.addAttribute("edition", edition);
            return "recipes/section";
        }
    }
}
