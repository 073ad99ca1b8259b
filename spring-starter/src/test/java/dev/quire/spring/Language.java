package dev.quire.spring;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** An application whose pages are given by the request, including tags. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Language.Pages.class, Language.Templates.class, Language.Parts.class})
class Language {

    static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    @Bean
    Clock clock() {
        return Clock.fixed(NOON, ZoneOffset.UTC);
    }

    /** Always in the middle. */
    @Bean
    RandomGenerator random() {
        return () -> Long.MAX_VALUE / 2;
    }

    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable()).build();
    }

    @RestController
    static class Pages {

        @GetMapping(path = "/page", produces = Site.HTML)
        String page(@RequestParam String body) {
            return RawTags.announced(body);
        }

        @GetMapping(path = "/json", produces = MediaType.APPLICATION_JSON_VALUE)
        String json(@RequestParam String body) {
            return RawTags.announced(body);
        }

        /** Announces itself as ESI, as an application without the starter would. */
        @GetMapping("/announced")
        void announced(@RequestParam String body, HttpServletResponse response) throws IOException {
            response.setHeader("Surrogate-Control", "max-age=60, content=\"ESI/1.0\"");
            response.setContentType(Site.HTML);
            response.getWriter().write(body);
        }

        @GetMapping(path = "/of-a-later-version", produces = Site.HTML)
        String later(HttpServletResponse response) {
            response.setHeader("Surrogate-Control", "content=\"ESI/2.0\"");
            return "<esi:vars>$(HTTP_HOST)</esi:vars>";
        }
    }

    @Controller
    static class Templates {

        @GetMapping("/template")
        String template(Model model) {
            model.addAttribute("word", "of the <model>");
            return "language";
        }

        @GetMapping("/template-without-includes")
        String withoutIncludes() {
            return "vars";
        }
    }

    @RestController
    @RequestMapping(path = "/part", produces = Site.HTML)
    static class Parts {

        @GetMapping("/word/{word}")
        String word(@PathVariable String word) {
            return word;
        }

        @GetMapping("/document")
        String document(@RequestParam String body) {
            return RawTags.announced(body);
        }

        /** Has tags without announcing them. */
        @GetMapping("/silent-document")
        String silentDocument(@RequestParam String body) {
            return body;
        }

        @GetMapping("/excluded")
        @NoEsi
        String excluded(@RequestParam String body) {
            return body;
        }

        @GetMapping("/status/{status}")
        ResponseEntity<String> status(@PathVariable int status) {
            return ResponseEntity.status(status).body("status " + status);
        }

        /** Only a status. */
        @GetMapping("/bare/{status}")
        ResponseEntity<Void> bare(@PathVariable int status) {
            return ResponseEntity.status(status).build();
        }

        @GetMapping("/throws")
        String fails() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/never")
        DeferredResult<String> never() {
            return new DeferredResult<>();
        }

        @RequestMapping("/redirect")
        ResponseEntity<Void> redirect(
                @RequestParam String to, @RequestParam(defaultValue = "302") int status) {
            return ResponseEntity.status(status).header("Location", to).build();
        }

        /** Counts down to a word, a redirect at a time. */
        @GetMapping("/redirects/{left}")
        void redirects(@PathVariable int left, HttpServletResponse response) throws IOException {
            response.sendRedirect(left == 1 ? "/part/word/arrived" : "" + (left - 1));
        }

        @RequestMapping("/request")
        String request(HttpServletRequest request) throws IOException {
            var seen = new StringBuilder();
            seen.append(request.getMethod()).append(' ').append(request.getQueryString());
            for (var name : Collections.list(request.getHeaderNames())) {
                seen.append('\n').append(name.toLowerCase(Locale.ROOT)).append(": ");
                seen.append(String.join("|", Collections.list(request.getHeaders(name))));
            }
            seen.append("\nlocale ").append(request.getLocale());
            seen.append("\nlength ").append(request.getContentLength());
            seen.append("\nparameters ");
            request.getParameterMap()
                    .forEach((name, values) ->
                            seen.append(name).append('=').append(List.of(values)).append(' '));
            seen.append("\ncookies ");
            var cookies = request.getCookies();
            Arrays.stream(cookies == null ? new Cookie[0] : cookies)
                    .forEach(each ->
                            seen.append(each.getName())
                                    .append('=')
                                    .append(each.getValue())
                                    .append(' '));
            var body = request.getInputStream().readAllBytes();
            return seen + "\nbody " + new String(body, StandardCharsets.UTF_8);
        }

        @GetMapping("/legacy")
        String legacy() {
            return "<html><body><ul><li>one<li class=it>two<b>!</b></ul><p id=é>서울</p></body></html>";
        }

        @GetMapping("/quotes")
        String quotes() {
            return "say \"hi\" \\ </script>";
        }
    }
}
