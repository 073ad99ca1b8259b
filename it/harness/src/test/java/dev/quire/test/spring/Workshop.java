package dev.quire.test.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.spring.Esi;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.util.Collections;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** An application with a handler for each feature of a container. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Workshop.Handlers.class)
class Workshop {

    @Controller
    static class Handlers implements ErrorController {
        private final AtomicInteger made = new AtomicInteger();
        private final EsiInvalidator invalidator;

        Handlers(EsiInvalidator invalidator) {
            this.invalidator = invalidator;
        }

        @RequestMapping("/error")
        @ResponseBody
        String error(HttpServletRequest request) {
            return "error %s of %s %s%s: %s"
                    .formatted(
                            request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE),
                            request.getMethod(),
                            request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI),
                            request.getQueryString() == null ? "" : "?" + request.getQueryString(),
                            request.getAttribute(RequestDispatcher.ERROR_MESSAGE));
        }

        @GetMapping("/echo/{name}")
        @ResponseBody
        String echo(
                @PathVariable String name,
                @RequestParam(defaultValue = "none") String[] of,
                @CookieValue(defaultValue = "none") String taste,
                Locale locale,
                HttpServletRequest request) {
            return String.join(
                    "|",
                    name,
                    String.join("+", of),
                    taste,
                    locale.toLanguageTag(),
                    request.getRequestURI(),
                    String.valueOf(request.getQueryString()),
                    String.join("+", Collections.list(request.getHeaders("X-Many"))),
                    request.getScheme(),
                    request.getRemoteAddr().replace("0:0:0:0:0:0:0:1", "127.0.0.1"),
                    String.valueOf(request.isSecure()),
                    request.getServletPath() + request.getPathInfo());
        }

        @PostMapping("/form")
        @ResponseBody
        String form(@RequestParam String text, @RequestParam int number) {
            return text + number;
        }

        @PostMapping("/bytes")
        @ResponseBody
        String bytes(HttpServletRequest request) throws IOException {
            return request.getContentType() + request.getInputStream().readAllBytes().length;
        }

        @GetMapping("/count")
        @ResponseBody
        String count(HttpSession session) {
            int count = session.getAttribute("count") instanceof Integer before ? before + 1 : 1;
            session.setAttribute("count", count);
            return "%d %b".formatted(count, session.isNew());
        }

        @GetMapping("/rename")
        @ResponseBody
        String rename(HttpServletRequest request) {
            request.getSession();
            request.changeSessionId();
            return "renamed";
        }

        @GetMapping("/leave")
        @ResponseBody
        String leave(HttpSession session) {
            session.invalidate();
            return "left";
        }

        @GetMapping("/cookies")
        @ResponseBody
        String cookies(HttpServletResponse response) {
            response.addCookie(new Cookie("taste", "sweet"));
            response.addHeader("Set-Cookie", "size=9; Path=/; HttpOnly");
            response.addHeader("X-Two", "1");
            response.addHeader("X-Two", "2");
            return "baked";
        }

        @GetMapping("/sends/{status}")
        void sends(@PathVariable int status, HttpServletResponse response) throws IOException {
            response.setHeader("X-Kept", "yes");
            response.getWriter().write("lost");
            response.sendError(status, "no luck");
        }

        @GetMapping("/empty/{status}")
        ResponseEntity<Void> empty(@PathVariable int status) {
            return ResponseEntity.status(status).build();
        }

        @GetMapping("/throws")
        String fails() {
            throw new IllegalStateException("broken");
        }

        @GetMapping("/breaks")
        void breaks(HttpServletResponse response) throws IOException {
            response.getOutputStream().write("half".getBytes(UTF_8));
            response.flushBuffer();
            throw new IOException("broken");
        }

        @GetMapping("/late")
        void late(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getOutputStream().write("sent".getBytes(UTF_8));
            response.flushBuffer();
            response.setHeader("X-Late", "lost");
            response.setStatus(500);
        }

        @GetMapping("/moves")
        String moves() {
            return "redirect:/echo/moved?of=redirect";
        }

        @GetMapping("/passes")
        String passes() {
            return "forward:/echo/passed?of=forward";
        }

        @GetMapping("/jsp")
        String jsp() {
            return "forward:/WEB-INF/page.jsp";
        }

        @GetMapping("/deferred")
        @ResponseBody
        DeferredResult<String> deferred() {
            var result = new DeferredResult<String>();
            CompletableFuture.runAsync(() -> result.setResult("deferred"));
            return result;
        }

        @GetMapping("/callable")
        @ResponseBody
        Callable<String> callable() {
            return () -> "called";
        }

        @GetMapping("/callable/throws")
        @ResponseBody
        Callable<String> failing() {
            return () -> {
                throw new IllegalStateException("broken");
            };
        }

        @GetMapping("/stream")
        ResponseEntity<StreamingResponseBody> stream() {
            return ResponseEntity.ok(out -> {
                for (int i = 0; i < 20_000; i++) {
                    out.write('x');
                }
            });
        }

        @GetMapping(path = "/page", produces = "text/html;charset=UTF-8")
        @EsiPage(ttl = "60s")
        @ResponseBody
        String page() {
            return "<h1>" + Esi.include("/made").toHtml() + "</h1>";
        }

        @GetMapping(path = "/made", produces = "text/html;charset=UTF-8")
        @EsiFragment(ttl = "60s", tags = "things")
        @ResponseBody
        String made() {
            return "made " + made.incrementAndGet();
        }

        @PostMapping("/change")
        @InvalidatesFragments(tags = "things")
        @ResponseBody
        String change() {
            return "changed";
        }

        @PostMapping("/change/page")
        @ResponseBody
        String changePage() {
            invalidator.urls(URI.create("https://shop.example/page"));
            return "changed";
        }

        @PostMapping("/change/nothing")
        @ResponseBody
        String changeNothing() {
            return "unchanged";
        }
    }
}
