package dev.quire.spring;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** A small application with correct and faulty handlers. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Site.Pages.class, Site.Fragments.class, Site.Careless.class})
class Site {

    static final String HTML = MediaType.TEXT_HTML_VALUE + ";charset=UTF-8";

    @Controller
    static class Pages {

        @GetMapping("/page")
        @EsiFragment(
                ttl = "60s",
                stale = "30s",
                staleIfError = "1h",
                tags = {"page", "front"})
        String page(Model model) {
            model.addAttribute("title", "Election <night>");
            model.addAttribute("region", "서울 1&2");
            return "page";
        }

        @GetMapping("/silent-page")
        String silentPage(Model model, HttpServletResponse response) {
            for (var name : List.of("Repr-Digest", "Content-Digest", "Accept-Ranges")) {
                response.setHeader(name, "of the page with its tags");
            }
            return page(model);
        }

        @GetMapping("/home")
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String home() {
            return "before "
                    + Esi.include("/fragments/greeting").toHtml()
                    + Esi.include("/members/scraps").onError(OnError.CONTINUE).toHtml()
                    + " after";
        }

        @GetMapping(path = "/one", produces = HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String one(@RequestParam String src) {
            return "[" + Esi.include(src).toHtml() + "]";
        }

        @GetMapping("/entity/{aid}")
        @EsiFragment(ttl = "5m", tags = "article-#{#aid}", browser = "max-age=10")
        ResponseEntity<String> entity(@PathVariable long aid) {
            return ResponseEntity.ok().eTag("v" + aid).body("article " + aid);
        }

        @GetMapping("/own-cache-control")
        @EsiFragment(ttl = "5m")
        ResponseEntity<String> own() {
            return ResponseEntity.ok()
                    .cacheControl(CacheControl.maxAge(Duration.ofSeconds(7)))
                    .body("own");
        }

        @GetMapping("/says-private")
        @EsiFragment(ttl = "5m")
        ResponseEntity<String> saysPrivate() {
            return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body("mine");
        }

        @GetMapping("/plain")
        @ResponseBody
        String plain() {
            return "plain";
        }

        @GetMapping("/deferred")
        @EsiFragment(ttl = "9s")
        @ResponseBody
        DeferredResult<String> deferred() {
            var result = new DeferredResult<String>();
            Thread.ofVirtual().start(() -> result.setResult("deferred"));
            return result;
        }

        @GetMapping("/deferred-page")
        @EsiFragment(ttl = "9s")
        Callable<String> deferredPage(Model model) {
            return () -> page(model);
        }

        @GetMapping("/deferred-failure")
        @EsiFragment(ttl = "9s")
        @ResponseBody
        DeferredResult<String> deferredFailure() {
            var result = new DeferredResult<String>();
            Thread.ofVirtual().start(() -> result.setErrorResult(new IllegalStateException("no")));
            return result;
        }

        @GetMapping("/streamed")
        @EsiFragment(ttl = "9s")
        ResponseEntity<StreamingResponseBody> streamed() {
            return ResponseEntity.ok()
                    .contentType(MediaType.TEXT_HTML)
                    .body(out -> {
                        for (int i = 0; i < 20_000; i++) {
                            out.write("0123456789".getBytes(StandardCharsets.US_ASCII));
                            if (i == 100) {
                                out.flush();
                            }
                        }
                    });
        }

        @GetMapping("/forward")
        @EsiFragment(ttl = "8s")
        String forward() {
            return "forward:/fragments/live?region=forwarded";
        }

        @GetMapping("/redirect")
        @EsiFragment(ttl = "8s")
        String redirect() {
            return "redirect:/page";
        }

        @GetMapping("/large-page")
        @ResponseBody
        String largePage(@RequestParam int bytes) {
            return Esi.include("/fragments/spare").toHtml() + "x".repeat(bytes);
        }

        @GetMapping("/wrong-attribute")
        String wrongAttribute() {
            return "wrong-attribute";
        }

        @GetMapping("/links")
        @EsiFragment(ttl = "8s")
        String links(@RequestParam boolean link, Model model) {
            model.addAttribute("link", link);
            return "links";
        }

        @GetMapping(path = "/page-with-session", produces = HTML)
        @EsiPage(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String pageWithSession(HttpSession session) {
            return "[" + Esi.include("/fragments/spare").toHtml() + "]";
        }

        @GetMapping("/start-session")
        @ResponseBody
        String startSession(HttpSession session) {
            return session.getId();
        }
    }

    @Controller
    @RequestMapping("/fragments")
    @EsiFragment(ttl = "30s")
    static class Fragments {

        @GetMapping(path = "/live", produces = HTML)
        @EsiFragment(ttl = "3s", stale = "0s", tags = "live")
        @ResponseBody
        String live(@RequestParam String region, HttpServletRequest request) {
            return "<b>live %s %s</b>"
                    .formatted(region.replace("&", "&amp;"), request.getParameter("page"));
        }

        @GetMapping("/outer")
        String outer() {
            return "outer";
        }

        @GetMapping("/inner")
        @ResponseBody
        String inner(@RequestParam int x, HttpServletResponse response) {
            response.addHeader("X-Of-Fragment", "must not leave");
            response.addCookie(new Cookie("fragment", "must-not-leave"));
            return "inner " + x;
        }

        @GetMapping("/broken")
        @ResponseBody
        String broken() {
            throw new IllegalStateException("broken");
        }

        @GetMapping("/missing")
        @ResponseBody
        String missing() {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND);
        }

        @GetMapping("/spare")
        @ResponseBody
        String spare() {
            return "spare";
        }

        @GetMapping("/greeting")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String greeting(Principal reader) {
            return "hello " + (reader == null ? "you" : reader.getName());
        }

        @GetMapping("/loop")
        @ResponseBody
        String loop() {
            return "loop" + Esi.include("/fragments/loop").toHtml();
        }

        @GetMapping("/deferred")
        @ResponseBody
        DeferredResult<String> deferred() {
            var result = new DeferredResult<String>();
            Thread.ofVirtual().start(() -> result.setResult("deferred fragment"));
            return result;
        }

        @GetMapping("/never-answers")
        @ResponseBody
        DeferredResult<String> neverAnswers() {
            return new DeferredResult<>(50L);
        }

        @GetMapping("/forward")
        String forward() {
            return "forward:/fragments/live?region=again";
        }

        @GetMapping("/mark")
        @ResponseBody
        byte[] mark() {
            return "\ufeffmarked".getBytes(StandardCharsets.UTF_8);
        }

        @GetMapping("/request")
        @ResponseBody
        String request(HttpServletRequest request) {
            var seen = new StringBuilder(request.getMethod());
            seen.append(' ').append(request.getRequestURI());
            seen.append(' ').append(request.getQueryString());
            for (var name : Collections.list(request.getHeaderNames())) {
                seen.append('\n').append(name).append(": ").append(request.getHeader(name));
            }
            seen.append('\n').append(request.getAttribute("of-page"));
            seen.append('\n').append(request.getParameter("page"));
            return seen.toString();
        }
    }

    /** Handlers that are wrongly declared public. */
    @Controller
    @EsiFragment(ttl = "30s", tags = "careless")
    static class Careless {

        @GetMapping("/members/scraps")
        @ResponseBody
        String scraps() {
            return "scraps of a member";
        }

        @GetMapping("/throws")
        @ResponseBody
        String fails(HttpServletResponse response) {
            response.setHeader("Cache-Control", "public, max-age=30");
            response.setHeader("Surrogate-Control", "max-age=30");
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/error-status")
        ResponseEntity<String> status() {
            return ResponseEntity.status(404).body("nothing here");
        }

        @GetMapping("/send-error")
        void sendError(HttpServletResponse response) throws IOException {
            response.setHeader("Cache-Control", "public, max-age=30");
            response.sendError(410);
        }

        @GetMapping("/cookie")
        @ResponseBody
        String cookie(HttpServletResponse response) {
            response.addCookie(new Cookie("seen", "1"));
            return "cookie";
        }

        @GetMapping("/session")
        @ResponseBody
        String session(HttpServletRequest request) {
            request.getSession().setAttribute("a", "b");
            return "session";
        }

        @GetMapping("/form")
        String form() {
            return "form";
        }

        @GetMapping("/principal")
        @ResponseBody
        String principal(HttpServletRequest request) {
            return "you are " + request.getRemoteUser();
        }

        @GetMapping("/security-context")
        @ResponseBody
        String context() {
            return "you are " + SecurityContextHolder.getContext().getAuthentication();
        }

        @GetMapping("/bad-tag")
        @EsiFragment(ttl = "30s", tags = "named-#{#name}")
        @ResponseBody
        String badTag(@RequestParam String name) {
            return name;
        }
    }
}
