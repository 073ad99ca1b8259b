package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.i18n.AcceptHeaderLocaleResolver;
import org.springframework.web.servlet.i18n.CookieLocaleResolver;
import org.springframework.web.servlet.i18n.FixedLocaleResolver;
import org.springframework.web.servlet.i18n.SessionLocaleResolver;
import org.springframework.web.servlet.support.RequestContext;
import org.springframework.web.servlet.support.RequestContextUtils;

/** Public handlers and views that ask for the language of the reader. */
class ReadersLanguageTest {

    private static final String PUBLIC = "max-age=50";

    private static HttpResponse<String> german(int port, String target) {
        var response =
                Visitor.of(port)
                        .behindSurrogate()
                        .with("Accept-Language", "de")
                        .get("/language/" + target);
        assertThat(response.statusCode()).isEqualTo(200);
        return response;
    }

    private static Optional<String> surrogateControl(HttpResponse<String> response) {
        return response.headers().firstValue("Surrogate-Control");
    }

    private static String vary(HttpResponse<String> response) {
        return String.join(", ", response.headers().allValues("Vary"));
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = {"quire.guard.locale=vary", "spring.messages.basename=greetings"})
    class Varying {

        @LocalServerPort private int port;

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "argument",
                    "request",
                    "field",
                    "holder",
                    "callable",
                    "resolver",
                    "message",
                    "by-message-source",
                    "view",
                    "template-message",
                    "template-locale"
                })
        void aResponseInTheLanguageOfTheFieldVariesByIt(String target) {
            var response = german(port, target);

            assertThat(response.body()).containsAnyOf("de", "Hallo");
            assertThat(vary(response)).contains("Accept-Language");
            assertThat(surrogateControl(response)).hasValue(PUBLIC);
        }

        @ParameterizedTest
        @ValueSource(strings = {"plain", "template", "constant", "converted?number=7"})
        void oneThatAsksForNoneDoesNot(String target) {
            var response = german(port, target);

            assertThat(vary(response)).doesNotContain("Accept-Language");
            assertThat(surrogateControl(response)).hasValue(PUBLIC);
        }

        @Test
        void theFieldIsNamedOnce() {
            assertThat(german(port, "varying").headers().allValues("Vary"))
                    .filteredOn(line -> line.contains("Accept-Language"))
                    .hasSize(1);
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = {
                "quire.guard.locale=vary",
                "quire.guard.debug=true",
                "spring.messages.basename=greetings",
                "resolver=session"
            })
    class VaryingByTheSession {

        @LocalServerPort private int port;

        @ParameterizedTest
        @ValueSource(strings = {"argument", "holder", "callable", "message", "template-message"})
        void itIsPrivate(String target) {
            var response = german(port, target);

            assertThat(response.headers().firstValue("Cache-Control"))
                    .hasValue("private, no-store");
            assertThat(response.headers().firstValue("X-Quire-Guard")).hasValue("language-read");
        }

        @Test
        void aFieldReadByTheHandlerItselfVaries() {
            assertThat(vary(german(port, "request"))).contains("Accept-Language");
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = {
                "quire.guard.locale=vary",
                "spring.messages.basename=greetings",
                "resolver=cookie"
            })
    class VaryingByACookie {

        @LocalServerPort private int port;

        @Test
        void itIsPrivateUnlessItVariesByCookies() {
            assertThat(surrogateControl(german(port, "argument"))).isEmpty();
            assertThat(surrogateControl(german(port, "varying-by-cookie"))).hasValue(PUBLIC);
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = "spring.messages.basename=greetings")
    @ExtendWith(OutputCaptureExtension.class)
    class Warning {

        @LocalServerPort private int port;

        @Test
        void itIsLoggedOncePerHandlerWithTheRemedy(CapturedOutput output) {
            for (int i = 0; i < 2; i++) {
                var response = german(port, "template-message");
                assertThat(surrogateControl(response)).hasValue(PUBLIC);
                assertThat(vary(response)).doesNotContain("Accept-Language");
            }

            assertThat(output.getOut())
                    .containsOnlyOnce("Pages#templateMessage is public, but its handler or view")
                    .contains("asked for the message hello, which depends on the reader")
                    .contains("Set quire.guard.locale=vary, or send Vary: Accept-Language");
        }

        @ParameterizedTest
        @ValueSource(strings = {"plain", "template", "constant", "varying"})
        void whatDoesNotDependOnItOrVariesIsNot(String target, CapturedOutput output) {
            german(port, target);

            assertThat(output.getOut()).doesNotContain("asked for");
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = {"spring.messages.basename=greetings", "resolver=fixed"})
    @ExtendWith(OutputCaptureExtension.class)
    class Fixed {

        @LocalServerPort private int port;

        @Test
        void theSameLanguageForAllReadersIsNoReadOfTheirs(CapturedOutput output) {
            assertThat(german(port, "argument").body()).isEqualTo("ko");
            german(port, "template-message");

            assertThat(output.getOut()).doesNotContain("asked for");
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Application.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = {"quire.guard.locale=off", "spring.messages.basename=greetings"})
    @ExtendWith(OutputCaptureExtension.class)
    class Off {

        @LocalServerPort private int port;

        @Test
        void nothingHappens(CapturedOutput output) {
            var response = german(port, "argument");

            assertThat(vary(response)).doesNotContain("Accept-Language");
            assertThat(output.getOut()).doesNotContain("asked for");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Pages.class)
    static class Application {

        @Bean
        LocaleResolver localeResolver(@Value("${resolver:header}") String resolver) {
            return switch (resolver) {
                case "session" -> new SessionLocaleResolver();
                case "cookie" -> new CookieLocaleResolver("language");
                case "fixed" -> new FixedLocaleResolver(Locale.KOREAN);
                default -> new AcceptHeaderLocaleResolver();
            };
        }
    }

    @Controller
    @EsiFragment(ttl = "50s")
    static class Pages {

        private final MessageSource messages;

        Pages(MessageSource messages) {
            this.messages = messages;
        }

        @GetMapping("/language/plain")
        @ResponseBody
        String plain() {
            return "plain";
        }

        @GetMapping("/language/template")
        String template() {
            return "late";
        }

        @GetMapping("/language/constant")
        @ResponseBody
        String constant() {
            return messages.getMessage("hello", null, Locale.ROOT);
        }

        @GetMapping("/language/converted")
        @ResponseBody
        String converted(@RequestParam int number) {
            return "number " + number;
        }

        @GetMapping("/language/argument")
        @ResponseBody
        String argument(Locale locale) {
            return locale.getLanguage();
        }

        @GetMapping("/language/request")
        @ResponseBody
        String request(HttpServletRequest request) {
            return request.getLocale().getLanguage();
        }

        @GetMapping("/language/field")
        @ResponseBody
        String field(@RequestHeader("Accept-Language") String field) {
            return field;
        }

        @GetMapping("/language/holder")
        @ResponseBody
        String holder() {
            return LocaleContextHolder.getLocale().getLanguage();
        }

        @GetMapping("/language/callable")
        @ResponseBody
        Callable<String> callable() {
            return () -> LocaleContextHolder.getLocale().getLanguage();
        }

        @GetMapping("/language/resolver")
        @ResponseBody
        String resolver(HttpServletRequest request) {
            return RequestContextUtils.getLocale(request).getLanguage();
        }

        @GetMapping("/language/message")
        @ResponseBody
        String message() {
            return messages.getMessage("hello", null, LocaleContextHolder.getLocale());
        }

        @GetMapping("/language/by-message-source")
        @ResponseBody
        String byMessageSource() {
            return messages.getMessage("hello", null, Locale.GERMAN);
        }

        /** Renders a message as the macros of FreeMarker and the tags of JSP do. */
        @GetMapping("/language/view")
        View view() {
            return (model, request, response) -> {
                response.setContentType(Site.HTML);
                response.getWriter().write(new RequestContext(request).getMessage("hello"));
            };
        }

        @GetMapping("/language/template-message")
        String templateMessage() {
            return "message";
        }

        @GetMapping("/language/template-locale")
        String templateLocale() {
            return "locale";
        }

        @GetMapping("/language/varying")
        ResponseEntity<String> varying(Locale locale) {
            return ResponseEntity.ok().varyBy("Accept-Language").body(locale.getLanguage());
        }

        @GetMapping("/language/varying-by-cookie")
        ResponseEntity<String> varyingByCookie(Locale locale) {
            return ResponseEntity.ok()
                    .header(HttpHeaders.VARY, "Cookie")
                    .body(locale.getLanguage());
        }
    }
}
