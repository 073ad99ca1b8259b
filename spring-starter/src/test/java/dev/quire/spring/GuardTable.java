package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Each way to respond, with each reason not to store the response in a shared cache: as a view, an
 * entity, asynchronously, as a stream, after a forward; with GET and HEAD. Subclasses choose the
 * kind of server.
 */
abstract class GuardTable {

    private static final String WAYS_AND_REASONS =
            """
            view,     cookie,    set-cookie
            view,     session,   session-created
            view,     principal, principal-read
            view,     throws,    handler-failed
            view,     csrf,      csrf-token
            entity,   cookie,    set-cookie
            entity,   session,   session-created
            entity,   principal, principal-read
            entity,   throws,    handler-failed
            entity,   status,    error-status
            entity,   says,      handler-said-private
            later,    cookie,    set-cookie
            later,    session,   session-created
            later,    principal, principal-read
            later,    throws,    handler-failed
            callable, cookie,    set-cookie
            callable, principal, principal-read
            callable, throws,    handler-failed
            stream,   cookie,    set-cookie
            stream,   session,   session-created
            stream,   principal, principal-read
            stream,   throws,    handler-failed
            forward,  cookie,    set-cookie
            forward,  session,   session-created
            forward,  principal, principal-read
            forward,  throws,    handler-failed
            """;

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    @ParameterizedTest
    @CsvSource(textBlock = WAYS_AND_REASONS)
    void whatForbidsToKeepAnAnswerIsSeenInEachWayToGiveIt(String way, String what, String reason) {
        for (var method : new String[] {"GET", "HEAD"}) {
            var answer = surrogate.send(method, "/table/" + way + "/" + what);

            assertThat(field(answer, "Cache-Control")).as(method).contains("no-store");
            assertThat(answer.headers().map()).as(method).doesNotContainKeys("surrogate-key");
            // a page may still need assembly
            assertThat(answer.headers().firstValue("Surrogate-Control").orElse("no-store"))
                    .as(method)
                    .startsWith("no-store");
            if (reason.equals("handler-failed")) {
                // the error page is the container's: the handler's response and its reason are gone
                assertThat(answer.statusCode()).as(method).isEqualTo(500);
            } else {
                assertThat(field(answer, "X-Quire-Guard")).as(method).isEqualTo(reason);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"view", "entity", "later", "callable", "stream", "forward"})
    void whatNothingForbidsIsKept(String way) {
        for (var method : new String[] {"GET", "HEAD"}) {
            var answer = surrogate.send(method, "/table/" + way + "/nothing");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "Surrogate-Control")).as(method).startsWith("max-age=40");
            assertThat(field(answer, "Cache-Control")).as(method).isEqualTo("no-cache");
            assertThat(field(answer, "Surrogate-Key")).as(method).isEqualTo("table");
            assertThat(answer.headers().firstValue("X-Quire-Guard")).isEmpty();
        }
    }

    @Test
    void tagsThatAreTooLongKeepAnAnswerFromSurrogatesAndLeaveItToTheClient() {
        var answer = surrogate.get("/table/entity/tags");

        assertThat(field(answer, "Surrogate-Control")).isEqualTo("no-store");
        assertThat(field(answer, "Cache-Control")).isEqualTo("no-cache");
        assertThat(answer.headers().map()).doesNotContainKeys("surrogate-key", "pragma");
        assertThat(field(answer, "X-Quire-Guard")).isEqualTo("tags-too-long");
    }

    /** The handlers. */
    @Controller
    @EsiFragment(ttl = "40s", tags = "table")
    static class Ways {

        @GetMapping("/table/view/{what}")
        String view(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response,
                Model model) {
            does(what, request, response);
            model.addAttribute("title", "t").addAttribute("region", "r");
            return what.equals("csrf") ? "form" : "page";
        }

        @GetMapping("/table/entity/{what}")
        ResponseEntity<String> entity(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response,
                EsiResponse esi) {
            does(what, request, response);
            if (what.equals("tags")) {
                esi.tag("x".repeat(100), "y".repeat(100));
            }
            var entity = ResponseEntity.status(what.equals("status") ? 404 : 200);
            if (what.equals("says")) {
                entity.header("Cache-Control", "private");
            }
            return entity.body("entity");
        }

        @GetMapping("/table/later/{what}")
        @ResponseBody
        DeferredResult<String> later(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response) {
            var result = new DeferredResult<String>();
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            does(what, request, response);
                            result.setResult("later");
                        } catch (RuntimeException failure) {
                            result.setErrorResult(failure);
                        }
                    });
            return result;
        }

        @GetMapping("/table/callable/{what}")
        @ResponseBody
        Callable<String> callable(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response) {
            return () -> {
                does(what, request, response);
                return "callable";
            };
        }

        @GetMapping("/table/stream/{what}")
        ResponseEntity<StreamingResponseBody> stream(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response) {
            return ResponseEntity.ok()
                    .contentType(MediaType.TEXT_PLAIN)
                    .body(out -> {
                        does(what, request, response);
                        out.write("stream".getBytes(StandardCharsets.US_ASCII));
                        out.flush();
                        out.write("stream".getBytes(StandardCharsets.US_ASCII));
                    });
        }

        @GetMapping("/table/thread")
        @ResponseBody
        String thread() {
            return Boolean.toString(Thread.currentThread().isVirtual());
        }

        @GetMapping("/table/once")
        @ResponseBody
        String once(HttpServletResponse response) {
            response.addCookie(new Cookie("seen", "1"));
            return "once";
        }

        @GetMapping("/table/forward/{what}")
        String forward(
                @PathVariable String what,
                HttpServletRequest request,
                HttpServletResponse response) {
            does(what, request, response);
            return "forward:/table/entity/nothing";
        }

        private static void does(
                String what, HttpServletRequest request, HttpServletResponse response) {
            switch (what) {
                case "cookie" -> response.addCookie(new Cookie("seen", "1"));
                case "session" -> request.getSession().setAttribute("a", "b");
                case "principal" -> request.getUserPrincipal();
                case "throws" -> {
                    response.setHeader("Cache-Control", "public, max-age=30");
                    throw new IllegalStateException("on purpose");
                }
                default -> {}
            }
        }
    }
}
