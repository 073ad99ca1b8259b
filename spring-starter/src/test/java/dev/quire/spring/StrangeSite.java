package dev.quire.spring;

import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** An application whose pages have tags, in charsets in which they cannot be found. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(StrangeSite.Pages.class)
class StrangeSite {

    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable()).build();
    }

    @Controller
    static class Pages {

        private static String page() {
            return "<p>" + Esi.include("/part").toHtml() + "</p>";
        }

        /** In the client's preferred charset. */
        @GetMapping({"/text", "/polite"})
        @ResponseBody
        String text() {
            return page();
        }

        @GetMapping("/entity")
        ResponseEntity<String> entity() {
            return ResponseEntity.ok(page());
        }

        @GetMapping("/view")
        @EsiPage(ttl = "60s")
        String view(Model model) {
            model.addAttribute("text", "");
            model.addAttribute("numbers", new int[0]);
            return "stamped";
        }

        /** In a charset chosen by the handler. */
        @GetMapping("/chosen/entity")
        ResponseEntity<String> chosen(@RequestParam String charset) {
            return ResponseEntity.ok()
                    .contentType(new MediaType("text", "html", Charset.forName(charset)))
                    .body(page());
        }

        @GetMapping("/chosen/writer")
        void writer(
                HttpServletRequest request,
                HttpServletResponse response,
                @RequestParam String charset)
                throws IOException {
            response.setContentType("text/html;charset=" + charset);
            response.getWriter()
                    .write(TagWriter.of(request).empty("include", Map.of("src", "/part")));
        }

        @GetMapping("/chosen/late")
        void late(
                HttpServletRequest request,
                HttpServletResponse response,
                @RequestParam String charset)
                throws IOException {
            response.setContentType("text/html;charset=" + charset);
            response.getWriter().write("begun");
            response.flushBuffer();
            response.getWriter().write(TagWriter.of(request).empty("include", Map.of()));
        }

        /** Output rendered for another request, one byte at a time. */
        @GetMapping("/chosen/kept")
        void kept(HttpServletResponse response, @RequestParam String charset) throws IOException {
            response.setContentType("text/html;charset=" + charset);
            var kept = "<esi:" + StampTest.SECRET + ":include src=\"/part\"/>";
            for (var each : kept.getBytes(Charset.forName(charset))) {
                response.getOutputStream().write(each);
                response.flushBuffer();
            }
        }

        /** Declares no charset. */
        @GetMapping("/chosen/silent")
        void silent(HttpServletResponse response, @RequestParam String charset) throws IOException {
            response.setContentType("text/html");
            response.getOutputStream().write(page().getBytes(Charset.forName(charset)));
        }

        @GetMapping("/chosen/plain")
        ResponseEntity<String> plain(@RequestParam String charset) {
            return ResponseEntity.ok()
                    .contentType(new MediaType("text", "html", Charset.forName(charset)))
                    .body("no tags");
        }

        @GetMapping(path = "/around", produces = Site.HTML)
        @ResponseBody
        String around(@RequestParam String src) {
            return "[" + Esi.include(src).onError(OnError.CONTINUE).toHtml() + "]";
        }

        @GetMapping(
                path = {"/part", "/without-tags"},
                produces = Site.HTML)
        @ResponseBody
        byte[] part() {
            return "part".getBytes(StandardCharsets.UTF_8);
        }
    }
}
