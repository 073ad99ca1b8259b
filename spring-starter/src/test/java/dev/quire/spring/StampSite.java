package dev.quire.spring;

import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** An application whose pages hold its own tags next to users' input. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({StampSite.Pages.class, StampSite.Errors.class})
class StampSite {

    /** Attackers' input. */
    static final String ATTACK =
            "<esi:include src=\"/part?n=evil\"/><!--esi <esi:include src=\"/part?n=evil\"/> --></esi:attempt></esi:try>-->$(HTTP_HOST)$url_encode('x')<esi:abcdefghijklmnopqrstuv:include src=\"/part?n=evil\"/><!--<![CDATA[";

    /** More bytes than the starter holds back. */
    static final int LARGE = 9_000_000;

    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable()).build();
    }

    @Bean
    FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
        var registration = new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        registration.addUrlPatterns("/hashed");
        return registration;
    }

    /** Uses the container directly, without Spring. */
    @Bean
    ServletRegistrationBean<Bare> bare() {
        var registration = new ServletRegistrationBean<>(new Bare(), "/bare/*");
        registration.setAsyncSupported(true);
        return registration;
    }

    @Controller
    static class Pages {

        private final Map<String, String> rendered = new ConcurrentHashMap<>();

        private static String page(String text) {
            return "<p>"
                    + text
                    + "</p>"
                    + Esi.include("/part").param("n", 1).toHtml()
                    + Esi.variable("REQUEST_METHOD").toHtml();
        }

        @GetMapping(path = "/string", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String string(@RequestParam(defaultValue = "") String text) {
            return page(text);
        }

        @GetMapping(path = "/hashed", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String hashed() {
            return page("");
        }

        @GetMapping("/template")
        @EsiFragment(ttl = "60s")
        String template(Model model, @RequestParam(defaultValue = ATTACK) String text) {
            model.addAttribute("text", text);
            model.addAttribute("numbers", List.of(7, 8));
            return "stamped";
        }

        @GetMapping("/by-attribute")
        @EsiFragment(ttl = "60s")
        String byAttribute(
                Model model,
                @RequestParam String text,
                @RequestParam(defaultValue = "1s") String wait) {
            model.addAttribute("text", text);
            model.addAttribute("wait", wait);
            return "by-attribute";
        }

        @GetMapping(path = "/rendered-once", produces = Site.HTML)
        @ResponseBody
        String renderedOnce() {
            return rendered.computeIfAbsent("page", name -> page(""));
        }

        @GetMapping(path = "/deferred", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        DeferredResult<String> deferred(HttpServletRequest request) {
            var result = new DeferredResult<String>();
            var include = Esi.include("/part?n=1");
            Thread.ofVirtual().start(() -> result.setResult(include.toHtml(request)));
            return result;
        }

        @GetMapping("/streamed")
        @EsiFragment(ttl = "60s")
        ResponseEntity<StreamingResponseBody> streamed(HttpServletRequest request) {
            var include = Esi.include("/part?n=1").toHtml();
            return ResponseEntity.ok()
                    .contentType(MediaType.TEXT_HTML)
                    .body(out -> {
                        for (var each : include.getBytes(StandardCharsets.UTF_8)) {
                            out.write(each);
                            out.flush();
                        }
                        // ends with a possible start of a placeholder
                        out.write(
                                TagWriter.of(request)
                                        .mark()
                                        .substring(0, 5)
                                        .getBytes(StandardCharsets.UTF_8));
                    });
        }

        /** Nested pages, surrounded by users' input. */
        @GetMapping(path = "/outer", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String outer(@RequestParam(defaultValue = ATTACK) String text) {
            return text
                    + Esi.include("/string").param("text", ATTACK).toHtml()
                    + text
                    + Esi.include("/template").param("text", ATTACK).toHtml();
        }

        @GetMapping("/forward")
        String forward() {
            return "forward:/string";
        }

        @GetMapping("/fails")
        @ResponseBody
        String fails() {
            throw new IllegalStateException(Esi.include("/part?n=1").toHtml());
        }

        @GetMapping("/raw")
        void raw(HttpServletResponse response, @RequestParam String text) throws IOException {
            response.setHeader("Surrogate-Control", "max-age=60, content=\"ESI/1.0\"");
            response.setContentType(Site.HTML);
            response.getWriter().write("line 1\n" + text);
        }

        @GetMapping(path = "/json", produces = "application/json")
        @ResponseBody
        Map<String, String> json() {
            return Map.of("html", Esi.include("/part?n=1").toHtml());
        }

        @GetMapping(path = "/by-method", produces = Site.HTML)
        @ResponseBody
        String byMethod(@RequestParam String text) {
            return Esi.include(Pages.class, c -> c.part(text)).toHtml();
        }

        @GetMapping(path = "/by-method-with-timeout", produces = Site.HTML)
        @ResponseBody
        String byMethodWithTimeout() {
            var slow = Esi.include(Pages.class, c -> c.slow());
            return slow.toHtml() + slow.timeout(Duration.ofMillis(20)).toHtml();
        }

        @GetMapping(path = "/slow", produces = Site.HTML)
        @EsiFragment(timeout = "1500ms")
        @ResponseBody
        String slow() {
            return "slow";
        }

        @GetMapping(path = "/never", produces = Site.HTML)
        @NoEsi
        @ResponseBody
        String never() {
            return page("");
        }

        @GetMapping(path = "/around-never", produces = Site.HTML)
        @ResponseBody
        String aroundNever() {
            return "[" + Esi.include("/never").toHtml() + "]";
        }

        /** Ends with its tags, rendered earlier unless announced. */
        @GetMapping("/large")
        @EsiFragment(ttl = "60s")
        void large(
                HttpServletResponse response,
                @RequestParam(defaultValue = "false") boolean announced)
                throws IOException {
            var page = announced ? page("") : rendered.computeIfAbsent("page", name -> page(""));
            var tags = page.substring("<p></p>".length()).getBytes(StandardCharsets.UTF_8);
            response.setContentType(Site.HTML);
            response.setContentLength(LARGE + tags.length);
            response.getOutputStream().write(new byte[LARGE]);
            response.getOutputStream().write(tags);
        }

        @GetMapping("/large.bin")
        void largeFile(HttpServletResponse response) throws IOException {
            response.setContentType("application/zip");
            response.setContentLength(LARGE);
            response.getOutputStream().write(new byte[LARGE]);
        }

        @GetMapping("/by-wrong-method")
        @ResponseBody
        String byWrongMethod(@RequestParam int which) {
            return switch (which) {
                case 0 -> Esi.include(Pages.class, c -> c.posted()).toHtml();
                case 1 -> Esi.include(Pages.class, c -> c.unmapped()).toHtml();
                default -> Esi.include(Pages.class, c -> "none").toHtml();
            };
        }

        @PostMapping("/posted")
        @ResponseBody
        String posted() {
            return "posted";
        }

        String unmapped() {
            return "unmapped";
        }

        @GetMapping(path = "/part", produces = Site.HTML)
        @ResponseBody
        String part(@RequestParam String n) {
            return "part " + n.replace("<", "&lt;");
        }

        /** Text with tags that are not announced. */
        @GetMapping(path = "/file.csv", produces = "text/csv")
        @ResponseBody
        String csv() {
            return Esi.include("/part?n=1").toHtml();
        }

        @GetMapping("/seen")
        @ResponseBody
        String seen(HttpServletRequest request) {
            var all = new TreeMap<String, Object>();
            Collections.list(request.getHeaderNames())
                    .forEach(name -> all.put(name, Collections.list(request.getHeaders(name))));
            Collections.list(request.getAttributeNames())
                    .forEach(name -> all.put(name, String.valueOf(request.getAttribute(name))));
            return all + request.getHeader("surrogate-capability");
        }
    }

    @Controller
    static class Errors implements ErrorController {

        @RequestMapping(path = "/error", produces = Site.HTML)
        @ResponseBody
        String error() {
            return "error " + Esi.include("/part?n=2").toHtml();
        }
    }

    static final class Bare extends HttpServlet {

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType(Site.HTML);
            var tags = TagWriter.of(request);
            var body = "<p>서울" + tags.empty("include", Map.of("src", "/part?n=1")) + "</p>";
            switch (request.getPathInfo()) {
                case "/writer" -> {
                    response.getWriter().write(body);
                    response.getWriter().write(tags.mark().substring(0, 3));
                }
                case "/async" -> {
                    var async = request.startAsync();
                    async.start(() -> {
                        try {
                            async.getResponse().getWriter().write(body);
                        } catch (IOException gone) {
                            throw new IllegalStateException(gone);
                        }
                        async.complete();
                    });
                }
                case "/unblocked" -> {
                    var rest = body + tags.mark().substring(0, 3);
                    unblocked(request.startAsync(), rest.getBytes(StandardCharsets.UTF_8));
                }
                case "/length" -> {
                    var bytes = body.getBytes(StandardCharsets.UTF_8);
                    response.setContentLength(bytes.length);
                    response.getOutputStream().write(bytes);
                    response.flushBuffer();
                }
                default -> response.sendError(404);
            }
        }

        /** Writes few bytes at a time, when the container is ready. */
        private static void unblocked(AsyncContext async, byte[] body) throws IOException {
            var out = async.getResponse().getOutputStream();
            out.setWriteListener(
                    new WriteListener() {
                        private int written;

                        @Override
                        public void onWritePossible() throws IOException {
                            while (written < body.length) {
                                if (!out.isReady()) {
                                    return;
                                }
                                int many = Math.min(5, body.length - written);
                                out.write(body, written, many);
                                written += many;
                            }
                            async.complete();
                        }

                        @Override
                        public void onError(Throwable fault) {
                            async.complete();
                        }
                    });
        }
    }
}
