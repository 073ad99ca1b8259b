package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.Esi;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import dev.quire.test.containers.QuireContainer;
import dev.quire.test.wire.HttpWire;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application whose test only has {@code @ServiceConnection}: the proxy in its container is in
 * front of it, on any port, and receives its purges.
 */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
class ServiceConnectionIT {
    private static ConfigurableApplicationContext application;
    private static QuireContainer quire;

    @BeforeAll
    static void start() {
        application =
                new SpringApplicationBuilder(Newsroom.class)
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .registerShutdownHook(false)
                        .run("--server.port=0", "--server.address=127.0.0.1");
        quire = application.getBean(QuireContainer.class);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    private static HttpWire connect() {
        return HttpWire.to(new InetSocketAddress(quire.url().getHost(), quire.url().getPort()));
    }

    @Test
    void whatIsSavedIsFreshOnTheNextRequestAndAllElseIsStored() {
        var pages = application.getBean(Pages.class);
        try (var reader = connect()) {
            assertThat(reader.get("/page").text()).isEqualTo("<h1>no news</h1>footer 1");
            assertThat(reader.get("/page").text()).isEqualTo("<h1>no news</h1>footer 1");

            assertThat(reader.request("POST", "/save?headline=snow").response().text())
                    .isEqualTo("saved");

            assertThat(reader.get("/page").text()).isEqualTo("<h1>snow</h1>footer 1");
            // not through the proxy: only a purge can drop the stored page
            pages.save("rain");
            flush();
            assertThat(reader.get("/page").text()).isEqualTo("<h1>rain</h1>footer 1");
        }
    }

    private static void flush() {
        var report =
                application
                        .getBean(EsiInvalidator.class)
                        .flush()
                        .toCompletableFuture()
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();
        assertThat(report.isComplete()).as(report.toString()).isTrue();
    }

    @Test
    void theStarterKnowsTheContainerAndItsToken() {
        var details = application.getBean(SurrogateConnectionDetails.class);

        assertThat(details.urls()).containsExactly(quire.admin());
        assertThat(details.token()).contains(quire.token());
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Newsroom {

        @Bean
        @ServiceConnection
        QuireContainer quire() {
            return new QuireContainer();
        }
    }

    @RestController
    static class Pages {
        private static final String HTML = "text/html;charset=UTF-8";

        private final AtomicReference<String> headline = new AtomicReference<>("no news");
        private int footers;

        @GetMapping(path = "/page", produces = HTML)
        @EsiPage(ttl = "60s")
        String page() {
            return "<h1>"
                    + Esi.include("/headline").toHtml()
                    + "</h1>"
                    + Esi.include("/footer").toHtml();
        }

        @GetMapping(path = "/headline", produces = HTML)
        @EsiFragment(ttl = "60s", tags = "headline")
        String headline() {
            return headline.get();
        }

        @GetMapping(path = "/footer", produces = HTML)
        @EsiFragment(ttl = "60s", tags = "footer")
        synchronized String footer() {
            return "footer " + ++footers;
        }

        @PostMapping("/save")
        @InvalidatesFragments(tags = "headline")
        String save(@RequestParam("headline") String text) {
            headline.set(text);
            return "saved";
        }
    }
}
