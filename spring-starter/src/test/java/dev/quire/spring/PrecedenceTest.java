package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** The source of a response's policy, on Tomcat. */
@SpringBootTest(
        classes = {Site.class, PrecedenceTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.autoconfigure.exclude="
                    + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                    + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
                    + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "quire.guard.debug=true",
            "quire.fallback.max-includes=3",
            "quire.rules[0].path=/images/**",
            "quire.rules[0].ttl=1h",
            "quire.rules[0].stale=1d",
            "quire.rules[0].browser=max-age=60",
            "quire.rules[0].tags=images",
            "quire.rules[1].path=/ruled/{section}/**",
            "quire.rules[1].ttl=30s",
            "quire.rules[1].stale-if-error=2h",
            "quire.rules[1].tags=section-#{#section}",
            "quire.rules[2].path=/ruled/**",
            "quire.rules[2].scope=private"
        })
class PrecedenceTest {

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/levels/code   | max-age=1",
                "/levels/method | max-age=2",
                "/levels/class  | max-age=3",
                "/ruled/x/rule  | max-age=30, stale-if-error=7200",
                "/ruled/x/annotated | max-age=2"
            })
    void codeComesBeforeMethodBeforeClassBeforeRule(String target, String policy) {
        assertThat(field(surrogate.get(target), "Surrogate-Control")).isEqualTo(policy);
    }

    @Test
    void withoutAnyOfThemNothingIsSaidToASurrogate() {
        assertThat(surrogate.get("/plain").headers().map())
                .doesNotContainKeys("surrogate-control", "surrogate-key");
    }

    @Test
    void aStaticResourceHasThePolicyOfItsRule() {
        var image = surrogate.get("/images/logo.svg");

        assertThat(image.body()).contains("<svg");
        assertThat(field(image, "Surrogate-Control")).isEqualTo("max-age=3600+86400");
        assertThat(field(image, "Cache-Control")).isEqualTo("max-age=60");
        assertThat(field(image, "Surrogate-Key")).isEqualTo("images");
    }

    @Test
    void aMissingResourceDoesNot() {
        var missing = surrogate.get("/images/none.svg");

        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(field(missing, "Cache-Control")).isEqualTo("no-store");
        assertThat(missing.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aFunctionalRouteHasThePolicyAndTheVariablesOfItsRule() {
        var routed = surrogate.get("/ruled/politics/routed");

        assertThat(routed.body()).isEqualTo("routed");
        assertThat(field(routed, "Surrogate-Key")).isEqualTo("section-politics");
    }

    @Test
    void aRuleIsAboutReading() {
        var posted = surrogate.send("POST", "/ruled/x/posted");

        assertThat(posted.statusCode()).isEqualTo(200);
        assertThat(posted.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void theFirstRuleThatFitsCounts() {
        assertThat(field(surrogate.get("/ruled"), "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void annotationsOfOnesOwnHaveMembersOfOurs() {
        var composed = surrogate.get("/composed");

        assertThat(field(composed, "Surrogate-Control")).isEqualTo("max-age=4+1");
        assertThat(field(composed, "Surrogate-Key")).isEqualTo("ticker");
    }

    @Test
    void anAnnotationIsInheritedFromClassAndInterface() {
        assertThat(field(surrogate.get("/inherited"), "Surrogate-Control")).isEqualTo("max-age=6");
        assertThat(field(surrogate.get("/of-interface"), "Surrogate-Control"))
                .isEqualTo("max-age=5");
    }

    @Test
    void aPageIsAnnouncedThoughItsTagsAreNoneOfOurs() {
        assertThat(field(surrogate.get("/raw-page"), "Surrogate-Control"))
                .isEqualTo("max-age=60, content=\"ESI/1.0\"");
        assertThat(field(surrogate.get("/raw-page"), "Vary")).contains("Surrogate-Capability");
    }

    @Test
    void aPageSaysHowManyFragmentsItMayHave() {
        var visitor = Visitor.of(port);

        assertThat(visitor.get("/few-includes").body()).isEqualTo("[spare][]");
        assertThat(visitor.get("/many-includes").body()).isEqualTo("[spare][spare][spare][]");
    }

    @Test
    void whatIsNoDocumentIsNeitherStoredNorRead() {
        var behind = surrogate.get("/never");
        var direct = Visitor.of(port).get("/never");

        assertThat(field(behind, "Cache-Control")).isEqualTo("private, no-store");
        // a stamp that no tag has, so that a surrogate runs no tag in it
        assertThat(field(behind, "Surrogate-Control")).isEqualTo("no-store, stamp=\"none\"");
        assertThat(direct.body()).contains("esi:include").doesNotContain("[spare]");
    }

    @ParameterizedTest
    @CsvSource({
        "/result/value, article-7",
        "/result/entity, article-8",
        "/result/deferred, article-9"
    })
    void tagsAreMadeOfWhatTheHandlerReturns(String target, String tag) {
        var article = surrogate.get(target);

        assertThat(article.statusCode()).isEqualTo(200);
        assertThat(field(article, "Surrogate-Key")).isEqualTo(tag);
    }

    @Test
    void aResultThatMakesNoTagLeavesTheResponsePrivate() {
        assertThat(field(surrogate.get("/result/none"), "X-Quire-Guard")).isEqualTo("tag-unusable");
    }

    @Test
    void customizersChangeWhatAnnotationsSay() {
        var customized = surrogate.get("/customized");

        assertThat(field(customized, "Surrogate-Control")).isEqualTo("max-age=2");
        assertThat(field(customized, "Surrogate-Key")).isEqualTo("own tenant");
    }

    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @EsiFragment(stale = "1s")
    @interface Ticker {

        @AliasFor(annotation = EsiFragment.class, attribute = "ttl")
        String every();

        @AliasFor(annotation = EsiFragment.class)
        String[] tags() default "ticker";
    }

    record Article(int aid) {}

    @Configuration(proxyBeanMethods = false)
    @Import({
        Levels.class,
        Ruled.class,
        Heir.class,
        Implementation.class,
        Others.class,
        Results.class
    })
    static class Application {

        @Bean
        RouterFunction<ServerResponse> routed() {
            return RouterFunctions.route()
                    .GET("/ruled/politics/routed", request -> ServerResponse.ok().body("routed"))
                    .GET("/ruled", request -> ServerResponse.ok().body("ruled"))
                    .build();
        }

        @Bean
        FragmentPolicyCustomizer tenant() {
            return (handler, policy) ->
                    handler.getMethod().getName().equals("customized")
                            ? policy.withTtl(Duration.ofSeconds(2)).withTags(List.of("tenant"))
                            : policy;
        }
    }

    @Controller
    @EsiFragment(ttl = "3s")
    static class Levels {

        @GetMapping("/levels/code")
        @EsiFragment(ttl = "2s")
        @ResponseBody
        String code(EsiResponse response) {
            response.ttl(Duration.ofSeconds(1));
            return "code";
        }

        @GetMapping("/levels/method")
        @EsiFragment(ttl = "2s")
        @ResponseBody
        String method() {
            return "method";
        }

        @GetMapping("/levels/class")
        @ResponseBody
        String type() {
            return "class";
        }
    }

    @Controller
    static class Ruled {

        @GetMapping("/ruled/x/rule")
        @ResponseBody
        String rule() {
            return "rule";
        }

        @GetMapping("/ruled/x/annotated")
        @EsiFragment(ttl = "2s")
        @ResponseBody
        String annotated() {
            return "annotated";
        }

        @PostMapping("/ruled/x/posted")
        @ResponseBody
        String posted() {
            return "posted";
        }
    }

    @EsiFragment(ttl = "6s")
    abstract static class Ancestor {}

    @Controller
    static class Heir extends Ancestor {

        @GetMapping("/inherited")
        @ResponseBody
        String inherited() {
            return "inherited";
        }
    }

    interface Contract {

        @GetMapping("/of-interface")
        @EsiFragment(ttl = "5s")
        @ResponseBody
        String ofInterface();
    }

    @Controller
    static class Implementation implements Contract {

        @Override
        public String ofInterface() {
            return "of interface";
        }
    }

    @Controller
    static class Others {

        @GetMapping("/composed")
        @Ticker(every = "4s")
        @ResponseBody
        String composed() {
            return "composed";
        }

        @GetMapping(path = "/raw-page", produces = Site.HTML)
        @EsiPage(ttl = "60s")
        @ResponseBody
        String rawPage() {
            return "<p>raw</p>";
        }

        @GetMapping(path = "/few-includes", produces = Site.HTML)
        @EsiPage(ttl = "60s", maxIncludes = 1)
        @ResponseBody
        String fewIncludes() {
            return included().repeat(2);
        }

        @GetMapping(path = "/many-includes", produces = Site.HTML)
        @EsiPage(ttl = "60s")
        @ResponseBody
        String manyIncludes() {
            return included().repeat(4);
        }

        @GetMapping(path = "/never", produces = Site.HTML)
        @NoEsi
        @ResponseBody
        String never() {
            return included();
        }

        @GetMapping("/customized")
        @EsiFragment(ttl = "2h", tags = "own")
        @ResponseBody
        String customized() {
            return "customized";
        }

        private static String included() {
            return "[" + Esi.include("/fragments/spare").toHtml() + "]";
        }
    }

    @Controller
    @EsiFragment(ttl = "9s", tags = "article-#{#result.aid()}")
    static class Results {

        @GetMapping("/result/value")
        @ResponseBody
        Article value() {
            return new Article(7);
        }

        @GetMapping("/result/entity")
        ResponseEntity<Article> entity() {
            return ResponseEntity.ok(new Article(8));
        }

        @GetMapping("/result/deferred")
        @ResponseBody
        DeferredResult<Article> deferred() {
            var result = new DeferredResult<Article>();
            Thread.ofVirtual().start(() -> result.setResult(new Article(9)));
            return result;
        }

        @GetMapping("/result/none")
        ResponseEntity<Article> none() {
            return ResponseEntity.noContent().build();
        }
    }
}
