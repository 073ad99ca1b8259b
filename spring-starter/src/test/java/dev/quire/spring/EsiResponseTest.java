package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Policies set by code for one response, and the data of the request. */
@SpringBootTest(
        classes = {Site.class, Readers.class, EsiResponseTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.guard.debug=true")
class EsiResponseTest {

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    @Test
    void whatCodeSaysReplacesWhatTheAnnotationSaysAndNoMore() {
        var said = surrogate.get("/said/shorter");

        assertThat(field(said, "Surrogate-Control")).isEqualTo("max-age=7+60, stale-if-error=3600");
        assertThat(field(said, "Cache-Control")).isEqualTo("max-age=3");
        assertThat(field(said, "Surrogate-Key")).isEqualTo("said more");
    }

    @Test
    void codeMakesPublicWhatNobodyDeclares() {
        var said = surrogate.get("/undeclared");

        assertThat(field(said, "Surrogate-Control")).isEqualTo("max-age=12");
        assertThat(field(said, "Cache-Control")).isEqualTo("no-cache");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/said/private", "/said/declared-private", "/said/never"})
    void nothingMakesPublicWhatIsPrivate(String target) {
        var said = surrogate.get(target);

        assertThat(field(said, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(said.headers().firstValue("Surrogate-Control").orElse("no-store"))
                .startsWith("no-store");
        assertThat(said.headers().firstValue("Surrogate-Key")).isEmpty();
    }

    @Test
    void aTagThatCanBeNoneMakesTheResponsePrivate() {
        var said = surrogate.get("/said/blank-tag");

        assertThat(field(said, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(field(said, "X-Quire-Guard")).isEqualTo("tag-unusable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/said/validated", "/said/validated-view", "/routed/validated"})
    void aMatchingValidatorEndsTheHandlerEarly(String target) {
        var first = surrogate.get(target);

        var again = surrogate.with("If-None-Match", field(first, "ETag")).get(target);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isNotEmpty();
        assertThat(field(first, "ETag")).isEqualTo("\"v1\"");
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(field(again, "ETag")).isEqualTo("\"v1\"");
    }

    @Test
    void anErrorIsKeptOnlyIfTheHandlerOfExceptionsSaysSo() {
        var kept = surrogate.get("/said/missing/kept");
        var notKept = surrogate.get("/said/missing/silent");
        var fragment = surrogate.get("/said/missing/none");

        assertThat(kept.statusCode()).isEqualTo(404);
        assertThat(field(kept, "Surrogate-Control")).isEqualTo("max-age=5");
        assertThat(notKept.statusCode()).isEqualTo(404);
        assertThat(field(notKept, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(field(notKept, "X-Quire-Guard")).isEqualTo("error-status");
        assertThat(field(fragment, "Surrogate-Control")).isEqualTo("max-age=600");
    }

    @Test
    void functionalRoutesSpeakThroughTheirRequest() {
        var routed = surrogate.get("/routed");

        assertThat(routed.body()).isEqualTo("routed");
        assertThat(field(routed, "Surrogate-Control")).isEqualTo("max-age=21");
        assertThat(field(routed, "Surrogate-Key")).isEqualTo("routed");
    }

    @Test
    void whoAsksIsBelievedOnlyIfItIsASurrogate() {
        var asking = surrogate.with("X-ESI-Level", "2").with("X-ESI-Parent", "http://site/front");

        // without declared variants none is reported
        assertThat(asking.with("Esi-Variant", "login:member").get("/who-asks").body())
                .isEqualTo("true 2 http://site/front -");
        assertThat(surrogate.get("/who-asks").body()).isEqualTo("true 0 - -");
        assertThat(Visitor.of(port).with("X-ESI-Level", "2").get("/who-asks").body())
                .isEqualTo("false 0 - -");
        assertThat(Visitor.of(port).get("/one?src=/who-asks").body())
                .startsWith("[true 1 http://127.0.0.1:" + port + "/one -");
    }

    static final class Missing extends RuntimeException {}

    @Configuration(proxyBeanMethods = false)
    @Import(Handlers.class)
    static class Application {

        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET(
                            "/routed",
                            request -> {
                                EsiResponse.of(request.servletRequest())
                                        .ttl(Duration.ofSeconds(21))
                                        .tag("routed");
                                return ServerResponse.ok().body("routed");
                            })
                    .GET(
                            "/routed/validated",
                            request ->
                                    EsiResponse.of(request.servletRequest()).validator("v1")
                                            ? ServerResponse.status(304).build()
                                            : ServerResponse.ok().body("validated"))
                    .build();
        }
    }

    @Controller
    static class Handlers {

        @GetMapping("/said/shorter")
        @EsiFragment(ttl = "10m", stale = "60s", staleIfError = "1h", tags = "said")
        @ResponseBody
        String shorter(EsiResponse response) {
            response.ttl(Duration.ofMillis(7900)).browser("max-age=3").tag("more");
            return "shorter";
        }

        @GetMapping("/undeclared")
        @ResponseBody
        String undeclared(EsiResponse response) {
            response.ttl(Duration.ofSeconds(12));
            return "undeclared";
        }

        @GetMapping("/said/private")
        @EsiFragment(ttl = "10m", tags = "said")
        @ResponseBody
        String privateOnly(EsiResponse response) {
            response.privateOnly().ttl(Duration.ofSeconds(7)).tag("more");
            return "private";
        }

        @GetMapping("/said/declared-private")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String declaredPrivate(EsiResponse response) {
            response.ttl(Duration.ofSeconds(7)).tag("more");
            return "private";
        }

        @GetMapping("/said/never")
        @NoEsi
        @ResponseBody
        String never(EsiResponse response) {
            response.ttl(Duration.ofSeconds(7)).tag("more");
            return "never";
        }

        @GetMapping("/said/blank-tag")
        @EsiFragment(ttl = "10m")
        @ResponseBody
        String blankTag(EsiResponse response) {
            response.tag("most read");
            return "blank";
        }

        @GetMapping("/said/validated")
        @EsiFragment(ttl = "10m")
        @Nullable ResponseEntity<String> validated(EsiResponse response) {
            return response.validator("v1") ? null : ResponseEntity.ok("validated");
        }

        @GetMapping("/said/validated-view")
        @EsiFragment(ttl = "10m")
        @Nullable String validatedView(
                HttpServletRequest request, EsiResponse response, Model model) {
            EsiResponse.of(request);
            model.addAttribute("title", "t").addAttribute("region", "r");
            return response.validator("v1") ? null : "page";
        }

        @GetMapping("/said/missing/{what}")
        @EsiFragment(ttl = "10m")
        @ResponseBody
        String missing(@PathVariable String what, EsiResponse response) {
            response.ttl(Duration.ofMinutes(10));
            return switch (what) {
                case "kept" -> throw new Missing();
                case "silent" -> throw new IllegalArgumentException(what);
                default -> what;
            };
        }

        @ExceptionHandler(Missing.class)
        ResponseEntity<String> kept(EsiResponse response) {
            response.ttl(Duration.ofSeconds(5));
            return ResponseEntity.status(404).body("nothing here");
        }

        @ExceptionHandler(IllegalArgumentException.class)
        ResponseEntity<String> silent(EsiResponse response) {
            return ResponseEntity.status(404).body("nothing here");
        }

        @GetMapping(path = "/who-asks", produces = Site.HTML)
        @ResponseBody
        String whoAsks(EsiRequest asks, HttpServletRequest request) {
            assertThat(EsiRequest.of(request)).isEqualTo(asks);
            return "%s %d %s %s"
                    .formatted(
                            asks.surrogate(),
                            asks.depth(),
                            asks.page().orElse("-"),
                            asks.variant().orElse("-"));
        }
    }
}
