package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Reads of one user's data by handlers other than controllers: servlets, functional endpoints. */
@SpringBootTest(
        classes = OtherHandlersTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "server.tomcat.threads.max=1",
            "server.tomcat.threads.min-spare=1",
            "quire.guard.debug=true",
            "quire.guard.headers=x-user",
            "quire.guard.locale=vary",
            "quire.rules[0].path=/routed/**",
            "quire.rules[0].ttl=40s",
            "quire.rules[1].path=/ruled/**",
            "quire.rules[1].ttl=40s",
            "quire.rules[2].path=/mapped/**",
            "quire.rules[2].ttl=40s"
        })
class OtherHandlersTest {

    @LocalServerPort private int port;
    private Visitor reader;

    /** Creates a client with a login, a session, a name in a field and a language. */
    @BeforeEach
    void logIn() {
        var surrogate = Visitor.of(port).behindSurrogate().as("reader1", "1");
        var session = field(surrogate.get("/log-in"), "Set-Cookie").replaceAll(";.*", "");
        reader =
                surrogate
                        .with("Cookie", session + "; name=ada")
                        .with("X-User", "ada")
                        .with("Accept-Language", "ko");
    }

    private static void assertPublic(HttpResponse<?> response) {
        assertThat(response.headers().firstValue("X-Quire-Guard")).isEmpty();
        assertThat(response.headers().firstValue("Surrogate-Control")).hasValue("max-age=40");
    }

    private static void assertPrivate(HttpResponse<?> response, String reason) {
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("X-Quire-Guard")).hasValue(reason);
        assertThat(field(response, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(response.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "cookies, cookie-read",
        "session, session-read",
        "absent-session, session-read",
        "user, principal-read",
        "remote-user, principal-read",
        "role, principal-read",
        "context, principal-read",
        "authorization, header-read",
        "field, header-read",
        "fields, header-read"
    })
    void aServletThatReadsDataOfOneUserIsPrivate(String what, String reason) {
        var client = what.equals("absent-session") ? Visitor.of(port).behindSurrogate() : reader;

        for (var path :
                new String[] {"/own/", "/ruled/", "/own/async-", "/own/forward-", "/later/"}) {
            var response = client.get(path + what.replace("absent-", ""));

            assertPrivate(response, reason);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/own/nothing",
                "/ruled/nothing",
                "/own/async-nothing",
                "/own/forward-nothing",
                "/later/nothing",
                "/routed/nothing",
                "/mapped/nothing",
                "/filtered"
            })
    void oneThatDoesNotIsPublic(String path) {
        assertPublic(reader.get(path));
    }

    @Test
    void aLateReadByAServletBreaksTheResponseOff() {
        assertThat(reader.get("/own/flushed-nothing").body()).isEqualTo("first nothing");
        assertThatThrownBy(() -> reader.get("/own/flushed-cookies"))
                .isInstanceOf(UncheckedIOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/own/language", "/routed/language", "/routed/language-field"})
    void aResponseInTheLanguageOfTheReaderVariesByIt(String path) {
        var response = reader.get(path);

        assertPublic(response);
        assertThat(response.headers().allValues("Vary")).contains("Accept-Language");
        assertThat(response.body()).startsWith("ko");
    }

    @ParameterizedTest
    @CsvSource({
        "cookies, cookie-read, name",
        "cookie-field, cookie-read, ada",
        "session, session-read, ada",
        "user, principal-read, reader1",
        "context, principal-read, reader1",
        "authorization, header-read, Basic",
        "field, header-read, ada",
        "first-field, header-read, ada",
        "has-field, header-read, true",
        "fields, cookie-read, ada",
        "copy, cookie-read, ada",
        "servlet-field, header-read, ada"
    })
    void aFunctionalEndpointThatReadsDataOfOneUserIsPrivate(
            String what, String reason, String body) {
        var response = reader.get("/routed/" + what);

        assertPrivate(response, reason);
        assertThat(response.body()).contains(body);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Readers.class, Application.Pages.class})
    static class Application {

        @Bean
        ServletRegistrationBean<Servlet> servlet() {
            var registration = new ServletRegistrationBean<>(new Servlet(), "/own/*", "/ruled/*");
            registration.setAsyncSupported(true);
            return registration;
        }

        /** Reads the user for a log, as filters do. */
        @Bean
        FilterRegistrationBean<Filter> log() {
            var registration =
                    new FilterRegistrationBean<Filter>((request, response, chain) -> {
                        var http = (HttpServletRequest) request;
                        read("session", http);
                        read("cookies", http);
                        read("fields", http);
                        read("context", http);
                        read(read("user", http), http);
                        chain.doFilter(request, response);
                    });
            registration.addUrlPatterns("/filtered");
            return registration;
        }

        /** Without the interceptors of the configuration of Spring MVC. */
        @Bean
        SimpleUrlHandlerMapping mapped() {
            HttpRequestHandler handler =
                    (request, response) -> response.getWriter().write("mapped");
            return new SimpleUrlHandlerMapping(Map.of("/mapped/*", handler), -1);
        }

        @Bean
        RouterFunction<ServerResponse> routed() {
            return RouterFunctions.route()
                    .GET(
                            "/routed/{what}",
                            request ->
                                    ServerResponse.ok()
                                            .body(routed(request.pathVariable("what"), request)))
                    .build();
        }

        private static String routed(String what, ServerRequest request) {
            var fields = request.headers();
            var read =
                    switch (what) {
                        case "cookies" -> request.cookies().toString();
                        case "cookie-field" -> fields.header("cookie").toString();
                        case "session" -> String.valueOf(request.session().getAttribute("name"));
                        case "user" -> request.principal().orElseThrow().getName();
                        case "authorization" -> fields.firstHeader("Authorization");
                        case "field" -> fields.header("X-USER").toString();
                        case "first-field" -> fields.asHttpHeaders().getFirst("X-User");
                        case "has-field" ->
                                String.valueOf(fields.asHttpHeaders().containsHeader("X-User"));
                        case "fields" -> fields.asHttpHeaders().toString();
                        case "copy" ->
                                ServerRequest.from(request).build().headers().firstHeader("X-User");
                        case "servlet-field" -> request.servletRequest().getHeader("X-User");
                        case "language" -> fields.acceptLanguage().getFirst().getRange();
                        case "language-field" -> fields.firstHeader("accept-language");
                        default -> read(what, request.servletRequest());
                    };
            return String.valueOf(read);
        }

        static String read(String what, HttpServletRequest request) {
            var read =
                    switch (what) {
                        case "cookies" -> String.valueOf(request.getCookies().length);
                        case "session" -> {
                            var session = request.getSession(false);
                            yield session == null
                                    ? "none"
                                    : String.valueOf(session.getAttribute("name"));
                        }
                        case "user" -> request.getUserPrincipal().getName();
                        case "remote-user" -> request.getRemoteUser();
                        case "role" -> String.valueOf(request.isUserInRole("READER"));
                        case "context" -> LatePages.Ways.user();
                        case "authorization" -> request.getHeader("Authorization");
                        case "field" -> request.getHeader("X-User");
                        case "fields" -> Collections.list(request.getHeaderNames()).toString();
                        case "language" -> request.getLocale().getLanguage();
                        default -> what;
                    };
            return String.valueOf(read);
        }

        @Controller
        static class Pages {

            @GetMapping("/log-in")
            @ResponseBody
            String logIn(HttpServletRequest request) {
                request.getSession().setAttribute("name", "ada");
                return "in";
            }

            @GetMapping("/filtered")
            @EsiFragment(ttl = "40s")
            @ResponseBody
            String filtered() {
                return "filtered";
            }

            @GetMapping("/later/{what}")
            @EsiFragment(ttl = "40s")
            void later(
                    @PathVariable String what,
                    HttpServletRequest request,
                    HttpServletResponse response) {
                Servlet.later(what, request, response);
            }

            @GetMapping("/forwarded")
            @EsiFragment(ttl = "40s")
            @ResponseBody
            String forwarded(HttpServletRequest request) {
                return String.valueOf(request.getAttribute("read"));
            }
        }
    }

    /** Writes what it reads. */
    static final class Servlet extends HttpServlet {

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            var info = request.getPathInfo().substring(1).split("-", 2);
            response.setContentType("text/plain");
            if (request.getServletPath().equals("/own")) {
                EsiResponse.of(request).ttl(Duration.ofSeconds(40));
            }
            switch (info[0]) {
                case "async" -> later(info[1], request, response);
                case "forward" -> {
                    request.setAttribute("read", Application.read(info[1], request));
                    request.getRequestDispatcher("/forwarded").forward(request, response);
                }
                case "flushed" -> {
                    response.getWriter().write("first ");
                    response.flushBuffer();
                    response.getWriter().write(Application.read(info[1], request));
                }
                default ->
                        response.getWriter()
                                .write(Application.read(String.join("-", info), request));
            }
        }

        /** Continues on a thread of the container: here, on the only one. */
        static void later(String what, HttpServletRequest request, HttpServletResponse response) {
            var async = request.startAsync();
            async.start(() -> {
                try {
                    response.getWriter().write(Application.read(what, request));
                } catch (IOException gone) {
                    throw new UncheckedIOException(gone);
                } finally {
                    async.complete();
                }
            });
        }
    }
}
