package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application invalidates pages in real surrogates; only those are fetched again. */
class SurrogatesIT {

    private Origin origin;

    @BeforeEach
    void serve() {
        origin = Origin.start();
        origin.on("/a", tagged("article-7 front"));
        origin.on("/b", tagged("article-77 a.b article-7-b"));
        origin.on("/c", tagged("article-8").field("Surrogate-Key", "other"));
        origin.on("/d", tagged("d"));
    }

    @AfterEach
    void stop() {
        origin.close();
    }

    private static Answer tagged(String tags) {
        return Answer.html("<p>text</p>")
                .field("Cache-Control", "max-age=600")
                .field("Surrogate-Key", tags);
    }

    private static ConfigurableApplicationContext application(String url, String type) {
        return new SpringApplicationBuilder(Newsroom.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .run("--quire.surrogate.urls=" + url, "--quire.surrogate.type=" + type);
    }

    private static void tell(ConfigurableApplicationContext application, Invalidation what) {
        var invalidator = application.getBean(EsiInvalidator.class);
        invalidator.purge(what);
        var report =
                invalidator.flush().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(report.isComplete()).as(report.toString()).isTrue();
    }

    /** Requests all pages; returns those fetched from the origin. */
    private List<String> fetched(HttpWire client) {
        return fetched(client, List.of("/a", "/b", "/c", "/d?x=1", "/d?x=2"));
    }

    private List<String> fetched(HttpWire client, List<String> paths) {
        origin.forget();
        for (var path : paths) {
            assertThat(client.get(path).status()).isEqualTo(200);
        }
        origin.settle();
        return origin.requests().stream().map(request -> request.target()).toList();
    }

    @Test
    void quireDropsWhatIsTold() {
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var application =
                        application("http://127.0.0.1:" + proxy.admin().getPort(), "quire");
                var client = proxy.connect()) {
            fetched(client);
            assertThat(fetched(client)).isEmpty();

            tell(application, Invalidation.ofTags("article-7", "other"));
            assertThat(fetched(client)).containsExactly("/a", "/c");

            tell(application, Invalidation.ofUrls(URI.create(proxy.url("/d?x=1"))));
            assertThat(fetched(client)).containsExactly("/d?x=1");
        }
    }

    @Test
    void quireDropsUrlsWithOtherLettersAndTheTagsBesideThem() {
        origin.on("/k%C3%A4se", tagged("cheese"));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var application =
                        application("http://127.0.0.1:" + proxy.admin().getPort(), "quire");
                var client = proxy.connect()) {
            var cheese = List.of("/k%C3%A4se", "/k%C3%A4se?q=%C3%A4", "/k%C3%A4se?q=\u00c3\u00a4");
            fetched(client);
            assertThat(fetched(client, cheese)).hasSize(3);
            assertThat(fetched(client, cheese)).isEmpty();

            tell(
                    application,
                    new Invalidation(
                            Set.of("article-7"),
                            Set.of(
                                    URI.create(proxy.url("/k\u00e4se")),
                                    URI.create(proxy.url("/k\u00e4se?q=\u00e4"))),
                            Invalidation.Mode.HARD));

            assertThat(fetched(client, cheese)).hasSize(3);
            assertThat(fetched(client)).containsExactly("/a");
        }
    }

    @Test
    void varnishDropsWhatIsToldWithTheVclThatIsDocumented() throws Exception {
        var started = Varnish.inFrontOf(origin.address().getPort(), vcl());
        assumeThat(started).as("a Varnish, in a container or installed").isPresent();
        try (var varnish = started.orElseThrow();
                var application =
                        application("http://127.0.0.1:" + varnish.address().getPort(), "varnish");
                var client = varnish.connect()) {
            fetched(client);
            assertThat(fetched(client)).isEmpty();

            tell(application, Invalidation.ofTags("article-7", "other"));
            assertThat(fetched(client)).containsExactly("/a", "/c");

            tell(application, Invalidation.ofTags("a.b").soft());
            assertThat(fetched(client)).containsExactly("/b");

            // tags must not act as regular expressions or end one
            tell(application, Invalidation.ofTags("a.*", "article-[0-9]", "\"", "x)|(front"));
            assertThat(fetched(client)).isEmpty();

            var host = "http://" + varnish.address().getHostString() + ":";
            tell(
                    application,
                    Invalidation.ofUrls(URI.create(host + varnish.address().getPort() + "/d?x=1")));
            assertThat(fetched(client)).containsExactly("/d?x=1");
        }
    }

    /** Returns the VCL; in a container, this machine has another address. */
    private static String vcl() throws Exception {
        try (var file = SurrogatesIT.class.getResourceAsStream("/varnish/invalidation.vcl")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("\"::1\";", "\"::1\"; \"172.16.0.0\"/12; \"192.168.0.0\"/16;");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Newsroom {}
}
