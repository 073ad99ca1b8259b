package dev.quire.it.broken;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.spring.Esi;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.OnError;
import dev.quire.test.Application;
import dev.quire.test.internal.AssemblyRecorder;
import java.net.URI;
import java.util.Objects;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A running news site on election night: a page of public fragments, one that includes another, one
 * with a fallback, and a private greeting.
 */
final class NewsSite implements AutoCloseable {
    private static final String HTML = "text/html;charset=UTF-8";

    private final AssemblyRecorder recorder = new AssemblyRecorder();
    private final ConfigurableApplicationContext context;

    private NewsSite() {
        var application = new SpringApplication(News.class);
        application.addInitializers(starting ->
                ((GenericApplicationContext) starting)
                        .registerBean(AssemblyObserver.class, () -> recorder));
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        context = application.run("--server.port=0", "--server.address=127.0.0.1");
    }

    /** Starts it on a free port. */
    static NewsSite start() {
        return new NewsSite();
    }

    /** Returns the application for an assembler; it also traces pages it assembles itself. */
    Application application() {
        var server = ((WebServerApplicationContext) context).getWebServer();
        int port = Objects.requireNonNull(server, "web server").getPort();
        return Application.at(URI.create("http://127.0.0.1:" + port), recorder::take);
    }

    @Override
    public void close() {
        context.close();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class News {}

    @RestController
    static class Pages {

        @GetMapping(path = "/", produces = HTML)
        @EsiPage(ttl = "120s", tags = "front")
        String front() {
            return """
            <!doctype html><html><head><title>Election night</title></head><body>
            <div id="live">%s</div>
            <div id="map">%s</div>
            <header>%s</header>
            <footer>%s</footer>
            <div id="box">%s</div>%s
            </body></html>
            """
                    .formatted(
                            Esi.include("/fragments/live").toHtml(),
                            Esi.include("/fragments/map")
                                    .fallback("<p>no map tonight</p>")
                                    .toHtml(),
                            Esi.include("/fragments/me").onError(OnError.CONTINUE).toHtml(),
                            Esi.include("/fragments/imprint").toHtml(),
                            Esi.include("/fragments/box").toHtml(),
                            Esi.remove("<p>not assembled</p>").toHtml());
        }

        @GetMapping(path = "/fragments/live", produces = HTML)
        @EsiFragment(
                ttl = "30s",
                stale = "60s",
                tags = {"election", "region-11"})
        String live() {
            return "<p>turnout 61.4 %</p>";
        }

        @GetMapping(path = "/fragments/map", produces = HTML)
        @EsiFragment(
                ttl = "300s",
                tags = {"election", "map"})
        String map() {
            return "<svg><path d=\"M0 0 L8 8\"></path></svg>";
        }

        @GetMapping(path = "/fragments/me", produces = HTML)
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String me(@CookieValue(name = "reader", defaultValue = "stranger") String reader) {
            return "<b>Good evening, " + reader + "</b>";
        }

        @GetMapping(path = "/fragments/imprint", produces = HTML)
        @EsiFragment(ttl = "1d", tags = "imprint")
        String imprint() {
            return "<small>responsible: the editors</small>";
        }

        @GetMapping(path = "/fragments/box", produces = HTML)
        @EsiFragment(ttl = "60s", tags = "box")
        String box() {
            return "<h2>Regions</h2>" + Esi.include("/fragments/region").toHtml();
        }

        @GetMapping(path = "/fragments/region", produces = HTML)
        @EsiFragment(ttl = "60s", tags = "region-5")
        String region() {
            return "<i>Region 5 has been counted</i>";
        }
    }
}
