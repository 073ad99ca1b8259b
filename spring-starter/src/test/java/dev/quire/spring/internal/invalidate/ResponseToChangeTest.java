package dev.quire.spring.internal.invalidate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import dev.quire.spring.invalidate.Invalidation;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** The response to a request that changed something, and its wait: on a real Tomcat. */
class ResponseToChangeTest {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Endpoint endpoint;

    @BeforeEach
    void open() {
        endpoint = Endpoint.start();
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    private ConfigurableApplicationContext application(String... properties) {
        var application = new SpringApplication(Newsroom.class);
        var all = new ArrayList<String>();
        all.add("--server.port=0");
        all.add("--server.address=127.0.0.1");
        all.add("--spring.datasource.url=jdbc:h2:mem:newsroom");
        all.add(
                "--spring.autoconfigure.exclude="
                        + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration");
        all.add("--quire.surrogate.urls=" + endpoint.url());
        for (var property : properties) {
            all.add("--" + property);
        }
        return application.run(all.toArray(String[]::new));
    }

    private static CompletableFuture<HttpResponse<String>> send(
            ConfigurableApplicationContext application, String method, String path) {
        var server = ((WebServerApplicationContext) application).getWebServer();
        var port = Objects.requireNonNull(server).getPort();
        return CLIENT.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(CompletableFuture<HttpResponse<String>> answer) {
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void theResponseWaitsUntilSurrogatesKnow() {
        try (var application = application("quire.invalidation.max-wait=1h")) {
            endpoint.hold();
            var answer = send(application, "POST", "/save");

            assertThat(endpoint.next().body()).contains("article-7");
            // requested later and answered earlier: there was time for the response too
            assertThat(get(send(application, "GET", "/plain")).statusCode()).isEqualTo(200);
            assertThat(answer).isNotDone();
            endpoint.release();

            assertThat(get(answer).statusCode()).isEqualTo(302);
        }
    }

    @Test
    void itWaitsNoLongerThanItShould() {
        try (var application = application("quire.invalidation.max-wait=10ms")) {
            endpoint.hold();

            assertThat(get(send(application, "POST", "/save")).statusCode()).isEqualTo(302);

            assertThat(endpoint.next().body()).contains("article-7");
        }
    }

    @Test
    void itWaitsNotAtAllWhereThatIsAskedFor() {
        try (var application =
                application("quire.invalidation.async=true", "quire.invalidation.max-wait=1h")) {
            endpoint.hold();

            assertThat(get(send(application, "POST", "/save")).statusCode()).isEqualTo(302);

            assertThat(endpoint.next().body()).contains("article-7");
        }
    }

    @Test
    void aSurrogateThatIsDownIsNotWaitedFor() {
        endpoint.close();
        try (var application =
                application(
                        "quire.invalidation.max-wait=1h",
                        "quire.invalidation.retry-after=10m",
                        "quire.invalidation.drain=0s")) {

            assertThat(get(send(application, "POST", "/save")).statusCode()).isEqualTo(302);
            assertThat(get(send(application, "POST", "/save")).statusCode()).isEqualTo(302);
        }
    }

    @Test
    void whenTheSurrogateIsBackItIsTold() {
        int port = endpoint.port();
        endpoint.close();
        try (var application = application("quire.invalidation.retry-after=5ms")) {
            get(send(application, "POST", "/save"));

            endpoint = Endpoint.start(port);

            assertThat(endpoint.next().body()).contains("article-7");
        }
    }

    @Test
    void theResponseNamesTheGroupsThatAreUntrue() {
        try (var application = application()) {
            assertThat(
                            get(send(application, "POST", "/save"))
                                    .headers()
                                    .allValues("Cache-Group-Invalidation"))
                    .containsExactly("\"article-7\", \"front\"");
            assertThat(
                            get(send(application, "POST", "/text"))
                                    .headers()
                                    .allValues("Cache-Group-Invalidation"))
                    .containsExactly("\"article-7\", \"front\"");
            // a safe method invalidates nothing at caches (RFC 9875 §3), and soft invalidations
            // drop nothing
            assertThat(get(send(application, "GET", "/read")).headers().map())
                    .doesNotContainKey("cache-group-invalidation");
            assertThat(get(send(application, "POST", "/soft")).headers().map())
                    .doesNotContainKey("cache-group-invalidation");
        }
    }

    @Test
    void whatIsRolledBackNamesNothing() {
        try (var application = application()) {
            var answer = get(send(application, "POST", "/fail"));

            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.headers().map()).doesNotContainKey("cache-group-invalidation");
            // the next invalidation comes after the previous ones, and it is the first to arrive
            get(send(application, "POST", "/soft"));
            assertThat(endpoint.next().body()).contains("\"front\"").doesNotContain("article-7");
        }
    }

    @Test
    void groupsCanBeLeftOut() {
        try (var application = application("quire.invalidation.groups=false")) {
            assertThat(get(send(application, "POST", "/save")).headers().map())
                    .doesNotContainKey("cache-group-invalidation");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Newsroom {
        @Bean
        Desk desk() {
            return new Desk();
        }

        @Bean
        Pages pages(Desk desk, EsiInvalidator invalidator) {
            return new Pages(desk, invalidator);
        }
    }

    static class Desk {
        @Transactional
        @InvalidatesFragments(tags = {"article-#{#aid}", "front"})
        public void save(String aid) {}

        @Transactional
        @InvalidatesFragments(tags = "article-#{#aid}")
        public void change(String aid) {}

        @Transactional
        public void fail(Desk self) {
            self.change("7");
            throw new IllegalStateException("a constraint of the database");
        }
    }

    @Controller
    record Pages(Desk desk, EsiInvalidator invalidator) {
        @PostMapping("/save")
        String save() {
            desk.save("7");
            return "redirect:/read";
        }

        @PostMapping("/text")
        @ResponseBody
        String text() {
            desk.save("7");
            return "saved";
        }

        @GetMapping("/read")
        @ResponseBody
        String read() {
            desk.save("7");
            return "read";
        }

        @GetMapping("/plain")
        @ResponseBody
        String plain() {
            return "plain";
        }

        @PostMapping("/soft")
        @ResponseBody
        String soft() {
            invalidator.purge(Invalidation.ofTags("front").soft());
            return "saved";
        }

        @PostMapping("/fail")
        @ResponseBody
        String fail() {
            desk.fail(desk);
            return "never";
        }
    }
}
