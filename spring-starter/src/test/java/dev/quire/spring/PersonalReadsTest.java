package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.i18n.CookieLocaleResolver;
import org.springframework.web.servlet.i18n.SessionLocaleResolver;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.WebUtils;

/** Reads of session and cookies by public handlers and views, for logged-in users with both. */
@SpringBootTest(
        classes = {Site.class, PersonalReadsTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "quire.guard.headers=x-forwarded-user,x-forwarded-user-id"
        })
@ExtendWith(OutputCaptureExtension.class)
class PersonalReadsTest {

    private static final String PUBLIC = "max-age=45";

    @LocalServerPort private int port;
    private Visitor reader;

    /** Creates a client whose session holds a login, a name, a language and a CSRF token. */
    @BeforeEach
    void logIn() {
        var surrogate = Visitor.of(port).behindSurrogate();
        var login = surrogate.as("reader1", "1").get("/members/log-in?name=Ada&language=ko");
        assertThat(login.statusCode()).isEqualTo(200);
        reader = surrogate.with("Cookie", cookies(login));
        reader.get("/form");
    }

    private static String cookies(HttpResponse<?> response) {
        var cookies = response.headers().allValues("Set-Cookie").stream();
        return String.join("; ", cookies.map(cookie -> cookie.replaceAll(";.*", "")).toList());
    }

    private static void assertPublic(HttpResponse<?> response) {
        assertThat(response.headers().firstValue("X-Quire-Guard")).isEmpty();
        assertThat(response.headers().firstValue("Surrogate-Control")).hasValue(PUBLIC);
    }

    private static void assertPrivate(HttpResponse<?> response, String reason) {
        assertThat(response.headers().firstValue("X-Quire-Guard")).hasValue(reason);
        assertThat(field(response, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(response.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/reads/session, session-read, Ada",
        "/reads/session-attribute, session-read, Ada",
        "/reads/session-later, session-read, Ada",
        "/reads/session-view, session-read, Ada",
        "/reads/session-names, session-read, name",
        "/reads/session-id, session-read, ''",
        "/reads/requested-session-id, session-read, ''",
        "/reads/session-then-forwards, session-read, Ada",
        "/reads/conversation, handler-said-private, Ada",
        "/reads/cookies, cookie-read, JSESSIONID",
        "/reads/cookie-value, cookie-read, ko",
        "/reads/cookie-header, cookie-read, JSESSIONID"
    })
    void whatOneReaderReadsIsServedToNobodyElse(String target, String reason, String personal) {
        var response = reader.get(target);

        assertThat(response.body()).contains(personal);
        assertPrivate(response, reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/absent/header?name=authorization",
                "/absent/header?name=X-Forwarded-User",
                "/absent/authorization",
                "/absent/number",
                "/absent/all-as-argument",
                "/absent/all-as-map",
                "/absent/all-as-entity",
                "/absent/one-of-entity",
                "/absent/all-by-request",
                "/absent/all-by-thread"
            })
    void aFieldThatIdentifiesTheUserIsPersonalEvenIfItIsAbsent(String target) {
        var surrogate = Visitor.of(port).behindSurrogate();

        assertPrivate(surrogate.get(target), "header-read");
        assertPrivate(surrogate.with("X-Forwarded-User", "ada").get(target), "header-read");
        assertPublic(surrogate.get("/absent/header?name=X-Other"));
    }

    /** Otherwise all readers get the response made for a reader without a session. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/absent/session",
                "/absent/attribute",
                "/absent/by-helper",
                "/absent/by-thread",
                "/reads/session-view"
            })
    void anAbsentSessionThatIsAskedForIsReadToo(String target) {
        assertPrivate(Visitor.of(port).behindSurrogate().get(target), "session-read");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/public/plain",
                "/public/localized?region=x",
                "/public/locale",
                "/public/forward",
                "/public/flashed",
                "/public/vary?on=Accept",
                "/public/shared",
                "/public/body"
            })
    void aFrameworkThatLooksForASessionReadsNone(String target) {
        assertPublic(Visitor.of(port).behindSurrogate().get(target));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/public/plain",
                "/public/localized?region=x",
                "/public/locale",
                "/public/forward",
                "/public/session-unread",
                "/public/shared",
                "/public/body",
                "/members/public"
            })
    void aPublicFragmentOfALoggedInReaderStaysPublic(String target) {
        var fragment = reader.get(target);

        assertThat(fragment.statusCode()).isEqualTo(200);
        assertPublic(fragment);
    }

    @Test
    void aLanguageKeptInSessionAndCookieIsUsedAndNobodysSecret() {
        var fragment = reader.get("/public/localized?region=x");

        assertThat(fragment.body()).contains("<b>ko</b>");
        assertPublic(fragment);
    }

    @Test
    void aFlashAttributeOnItsWayElsewhereLeavesFragmentsPublic() {
        assertThat(reader.get("/flash?text=thanks-Ada").statusCode()).isEqualTo(302);

        assertPublic(reader.get("/public/plain"));
        assertThat(reader.get("/public/flashed").body()).contains("thanks-Ada");
    }

    @Test
    void aFlashAttributeIsForItsReaderAloneAndTheNextResponseIsPublicAgain() {
        reader.get("/flash?text=thanks-Ada");

        var flashed = reader.get("/public/flashed");
        var next = reader.get("/public/flashed");

        assertThat(flashed.body()).contains("thanks-Ada");
        assertPrivate(flashed, "flash-received");
        assertThat(next.body()).doesNotContain("thanks-Ada");
        assertPublic(next);
    }

    @Test
    void aVaryThatMakesTheCacheUselessIsWarnedOfOnce(CapturedOutput output) {
        assertPublic(reader.get("/public/vary?on=*"));
        assertPublic(reader.get("/public/vary?on=*"));
        assertPublic(reader.get("/public/vary?on=Accept,cookie"));
        assertPublic(reader.get("/public/vary?on=Accept,cookie"));

        assertThat(output.getOut())
                .containsOnlyOnce("sends Vary: *,")
                .containsOnlyOnce("sends Vary: cookie,");
    }

    @Test
    void aVaryOnAnythingElseIsNotWarnedOf(CapturedOutput output) {
        assertPublic(reader.get("/public/vary?on=Accept-Language"));

        assertThat(output.getOut()).doesNotContain("sends Vary");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Reads.class, Absent.class, Public.class, Conversation.class, Others.class})
    static class Application {

        /** The session keeps the login. */
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests ->
                            requests.requestMatchers("/members/**")
                                    .hasRole("READER")
                                    .anyRequest()
                                    .permitAll())
                    .httpBasic(basic ->
                            basic.securityContextRepository(
                                    new HttpSessionSecurityContextRepository()))
                    .build();
        }

        @Bean
        UserDetailsService userDetails() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("reader1").password("{noop}1").roles("READER").build());
        }

        @Bean
        LocaleResolver localeResolver() {
            return new Languages();
        }
    }

    /** Session and cookie both keep the language. */
    static final class Languages implements LocaleResolver {

        private final SessionLocaleResolver session = new SessionLocaleResolver();
        private final CookieLocaleResolver cookie = new CookieLocaleResolver("language");

        @Override
        public Locale resolveLocale(HttpServletRequest request) {
            var ofSession = session.resolveLocaleContext(request).getLocale();
            var ofCookie = cookie.resolveLocaleContext(request).getLocale();
            return ofSession != null && ofSession.equals(ofCookie) ? ofSession : Locale.ENGLISH;
        }

        @Override
        public void setLocale(
                HttpServletRequest request,
                @Nullable HttpServletResponse response,
                @Nullable Locale locale) {
            session.setLocale(request, response, locale);
            cookie.setLocale(request, response, locale);
        }
    }

    @Controller
    @EsiFragment(ttl = "45s")
    static class Reads {

        @GetMapping("/reads/session")
        @ResponseBody
        String session(HttpSession session) {
            return "welcome back, " + session.getAttribute("name");
        }

        @GetMapping("/reads/session-attribute")
        @ResponseBody
        String attribute(@SessionAttribute String name) {
            return "welcome back, " + name;
        }

        @GetMapping("/reads/session-later")
        @ResponseBody
        Callable<String> later(HttpSession session) {
            return () -> "welcome back, " + session.getAttribute("name");
        }

        @GetMapping("/reads/session-view")
        String view() {
            return "personal";
        }

        @GetMapping("/reads/session-names")
        @ResponseBody
        String names(HttpServletRequest request) {
            var names = new StringBuilder();
            request.getSession(false)
                    .getAttributeNames()
                    .asIterator()
                    .forEachRemaining(names::append);
            return names.toString();
        }

        @GetMapping("/reads/session-id")
        @ResponseBody
        String id(HttpSession session) {
            return session.getId();
        }

        @GetMapping("/reads/requested-session-id")
        @ResponseBody
        String requestedId(HttpServletRequest request) {
            return request.getRequestedSessionId();
        }

        @GetMapping("/reads/forwarded")
        @ResponseBody
        String forwarded(HttpServletRequest request) {
            return "welcome back, " + request.getAttribute("of-forward");
        }

        @GetMapping("/reads/cookies")
        @ResponseBody
        String cookies(HttpServletRequest request) {
            return Arrays.stream(request.getCookies()).map(cookie -> cookie.getName()).toList()
                    + "";
        }

        @GetMapping("/reads/cookie-value")
        @ResponseBody
        String cookie(@CookieValue String language) {
            return language;
        }

        @GetMapping("/reads/cookie-header")
        @ResponseBody
        String header(@RequestHeader("Cookie") String cookies) {
            return cookies;
        }
    }

    @Controller
    @EsiFragment(ttl = "45s")
    static class Absent {

        @GetMapping("/absent/session")
        @ResponseBody
        String session(HttpServletRequest request) {
            return request.getSession(false) == null ? "no basket" : "a basket";
        }

        @GetMapping("/absent/attribute")
        @ResponseBody
        String attribute(@SessionAttribute(required = false) @Nullable String name) {
            return "name: " + name;
        }

        @GetMapping("/absent/header")
        @ResponseBody
        String header(@RequestParam String name, HttpServletRequest request) {
            return "field: " + request.getHeader(name);
        }

        @GetMapping("/absent/authorization")
        @ResponseBody
        String authorization(
                @RequestHeader(required = false, name = "Authorization") @Nullable String login) {
            return "field: " + login;
        }

        @GetMapping("/absent/number")
        @ResponseBody
        String number(HttpServletRequest request) {
            return "field: " + request.getIntHeader("X-Forwarded-User-Id");
        }

        @GetMapping("/absent/all-as-argument")
        @ResponseBody
        String all(@RequestHeader HttpHeaders fields) {
            return "member: " + fields.containsHeader("Authorization");
        }

        @GetMapping("/absent/all-as-map")
        @ResponseBody
        String all(@RequestHeader Map<String, String> fields) {
            return "member: " + fields.containsKey("authorization");
        }

        @GetMapping("/absent/all-as-entity")
        @ResponseBody
        String all(HttpEntity<Void> entity) {
            return "member: " + entity.getHeaders().headerNames().contains("Authorization");
        }

        @GetMapping("/absent/one-of-entity")
        @ResponseBody
        String one(HttpEntity<Void> entity) {
            return "field: " + entity.getHeaders().getFirst("Authorization");
        }

        @GetMapping("/absent/all-by-request")
        @ResponseBody
        String all(HttpServletRequest request) {
            return "member: "
                    + Collections.list(request.getHeaderNames()).contains("authorization");
        }

        @GetMapping("/absent/all-by-thread")
        @ResponseBody
        String all() {
            var request =
                    (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
            var fields = new ServletServerHttpRequest(request.getRequest()).getHeaders();
            return "member: " + fields.headerNames();
        }

        @GetMapping("/absent/by-helper")
        @ResponseBody
        String byHelper(HttpServletRequest request) {
            return "name: " + WebUtils.getSessionAttribute(request, "name");
        }

        @GetMapping("/absent/by-thread")
        @ResponseBody
        String byThread() {
            var request = RequestContextHolder.currentRequestAttributes();
            return "name: " + request.getAttribute("name", RequestAttributes.SCOPE_SESSION);
        }
    }

    /** A controller with its model in the session: Spring itself sets no-store for it. */
    @Controller
    @SessionAttributes("name")
    static class Conversation {

        @GetMapping("/reads/conversation")
        @EsiFragment(ttl = "45s")
        @ResponseBody
        String name(@ModelAttribute("name") String name) {
            return name;
        }
    }

    @Controller
    @EsiFragment(ttl = "45s")
    static class Public {

        @GetMapping({"/public/plain", "/members/public"})
        @ResponseBody
        String plain() {
            return "plain";
        }

        @GetMapping("/public/localized")
        String localized(@RequestParam String region, Model model) {
            model.addAttribute("region", region);
            return "localized";
        }

        @GetMapping("/public/locale")
        @ResponseBody
        String locale(Locale locale) {
            return locale.toString();
        }

        @GetMapping("/public/forward")
        String forward() {
            return "forward:/public/localized?region=y";
        }

        @GetMapping("/public/session-unread")
        @ResponseBody
        String unread(HttpSession session) {
            return session == null ? "none" : "unread";
        }

        @GetMapping("/public/shared")
        @CrossOrigin
        ResponseEntity<Resource> shared() {
            return ResponseEntity.ok()
                    .eTag("1")
                    .lastModified(1)
                    .body(new ByteArrayResource("shared".getBytes(StandardCharsets.US_ASCII)));
        }

        @GetMapping("/public/body")
        @ResponseBody
        Map<String, String> body(@RequestBody(required = false) @Nullable String body) {
            return Map.of("body", "none");
        }

        @GetMapping("/public/flashed")
        @ResponseBody
        String flashed(Model model) {
            return "message: " + model.getAttribute("text");
        }

        @GetMapping("/public/vary")
        @ResponseBody
        ResponseEntity<String> vary(@RequestParam String on) {
            return ResponseEntity.ok().varyBy(on).body("varies");
        }
    }

    /** Handlers without a caching policy. */
    @Controller
    static class Others {

        private final LocaleResolver languages;

        Others(LocaleResolver languages) {
            this.languages = languages;
        }

        @GetMapping("/members/log-in")
        @ResponseBody
        String logIn(
                @RequestParam String name,
                @RequestParam String language,
                HttpServletRequest request,
                HttpServletResponse response) {
            request.getSession().setAttribute("name", name);
            languages.setLocale(request, response, Locale.forLanguageTag(language));
            return "hello";
        }

        @GetMapping("/flash")
        String flash(@RequestParam String text, RedirectAttributes attributes) {
            attributes.addFlashAttribute("text", text);
            return "redirect:/public/flashed";
        }

        @GetMapping("/reads/session-then-forwards")
        String forward(HttpSession session, HttpServletRequest request) {
            request.setAttribute("of-forward", session.getAttribute("name"));
            return "forward:/reads/forwarded";
        }
    }
}
