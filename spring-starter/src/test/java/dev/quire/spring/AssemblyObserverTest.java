package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.assemble.Failure;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The notifications that an observer bean receives about pages assembled in the application. */
class AssemblyObserverTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration(
            exclude = {
                ServletWebSecurityAutoConfiguration.class,
                ManagementWebSecurityAutoConfiguration.class
            })
    @Import(Pages.class)
    static class Application {

        final Queue<Assembly> told = new ConcurrentLinkedQueue<>();

        @Bean
        AssemblyObserver observer() {
            return told::add;
        }
    }

    @RestController
    static class Pages {

        @GetMapping(path = "/page", produces = Site.HTML)
        @EsiPage(ttl = "60s")
        String page(HttpServletRequest request) {
            return request.getRemotePort()
                    + Esi.include("/box").toHtml()
                    + Esi.include("/gone").toHtml()
                    + Esi.include("/page").toHtml();
        }

        @GetMapping(path = "/box", produces = Site.HTML)
        @EsiFragment(ttl = "60s", tags = "box")
        String box() {
            return "[" + Esi.include("/in").toHtml() + "]";
        }

        @GetMapping(path = "/in", produces = Site.HTML)
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String in() {
            return "in";
        }

        @GetMapping("/gone")
        String gone() {
            throw new ResponseStatusException(HttpStatus.GONE);
        }

        @GetMapping(path = "/plain", produces = Site.HTML)
        String plain() {
            return "plain";
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"dispatch", "loopback", "auto"})
    void pageAndFragmentsComeInTheOrderTheyWereAskedFor(String mode) {
        try (var context =
                new SpringApplicationBuilder(Application.class)
                        .properties("server.port=0", "quire.fallback.mode=" + mode)
                        .run()) {
            int port =
                    Objects.requireNonNull(
                            context.getEnvironment()
                                    .getProperty("local.server.port", Integer.class));

            var body = Visitor.of(port).get("/page").body();
            Visitor.of(port).get("/plain");

            var told = List.copyOf(context.getBean(Application.class).told);
            assertThat(told).as("of a page without fragments nothing is told").hasSize(1);
            var parts = told.getFirst().parts();
            assertThat(body).isEqualTo(told.getFirst().readerPort() + "[in]");
            assertThat(parts.stream().map(AssemblyObserverTest::line))
                    .containsExactlyInAnyOrder(
                            "0 /page of none PASS 200",
                            "1 /box of /page PASS 200",
                            "1 /gone of /page FAILED 410",
                            "1 /page of /page FAILED 0",
                            "2 /in of /box PASS 200");
            assertThat(line(parts.getFirst())).startsWith("0 /page");
            assertThat(part(parts, "/box").fields().first("Content-Type")).isEqualTo(Site.HTML);
            assertThat(part(parts, "/box").freshness()).isEmpty();
            assertThat(part(parts, "/gone").failure())
                    .extracting(Failure::kind)
                    .isEqualTo(Failure.Kind.STATUS);
            assertThat(parts)
                    .allSatisfy(each ->
                            assertThat(each.endedNanos())
                                    .isGreaterThanOrEqualTo(each.beganNanos()));
            assertThat(part(parts, "/in").beganNanos())
                    .isGreaterThanOrEqualTo(part(parts, "/box").endedNanos());
        }
    }

    private static Assembly.Part part(List<Assembly.Part> parts, String target) {
        return parts.stream().filter(part -> target(part).equals(target)).findFirst().orElseThrow();
    }

    private static String target(Assembly.Part part) {
        return Objects.requireNonNull(part.key()).target();
    }

    private static String line(Assembly.Part part) {
        return "%d %s of %s %s %d"
                .formatted(
                        part.depth(),
                        target(part),
                        part.parent() == null ? "none" : part.parent().target(),
                        part.way(),
                        part.status());
    }
}
