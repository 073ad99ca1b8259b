package dev.quire.spring;

import freemarker.core.HTMLOutputFormat;
import freemarker.template.Configuration;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import gg.jte.CodeResolver;
import gg.jte.Content;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** An application with template engines that the starter supports only by {@link Esi}. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Engines.Pages.class)
class Engines {

    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable()).build();
    }

    /** Returns an engine whose templates all have the text {@code template}. */
    static TemplateEngine jte(String template) throws IOException {
        return TemplateEngine.create(
                new CodeResolver() {
                    @Override
                    public String resolve(String name) {
                        return template;
                    }

                    @Override
                    public long getLastModified(String name) {
                        return 0;
                    }
                },
                Files.createTempDirectory("jte"),
                ContentType.Html);
    }

    @Controller
    static class Pages {

        private static final String FREEMARKER = "<p>${text}</p>${part?no_esc}<i>${part}</i>";

        private static final String JTE =
                "@param String text\n@param gg.jte.Content part\n@param String raw\n<p>${text}</p>${part}<i>${raw}</i>";

        private final Template freemarker;
        private final TemplateEngine jte;

        Pages() throws IOException {
            var configuration = new Configuration(Configuration.VERSION_2_3_34);
            configuration.setOutputFormat(HTMLOutputFormat.INSTANCE);
            freemarker = new Template("page", FREEMARKER, configuration);
            jte = Engines.jte(JTE);
        }

        @GetMapping(path = "/freemarker", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String freemarker(@RequestParam String text) throws IOException, TemplateException {
            var page = new StringWriter();
            freemarker.process(Map.of("text", text, "part", part()), page);
            return page.toString();
        }

        @GetMapping(path = "/jte", produces = Site.HTML)
        @EsiFragment(ttl = "60s")
        @ResponseBody
        String jte(@RequestParam String text) {
            var page = new StringOutput();
            var part = part();
            Content content = out -> out.writeContent(part);
            jte.render("page.jte", Map.of("text", text, "part", content, "raw", part), page);
            return page.toString();
        }

        private static String part() {
            return Esi.include(Pages.class, c -> c.part("1")).toHtml();
        }

        @GetMapping(path = "/part", produces = Site.HTML)
        @ResponseBody
        String part(@RequestParam String n) {
            return "part " + n + " on a virtual thread: " + Thread.currentThread().isVirtual();
        }

        @GetMapping(path = "/including")
        @EsiFragment(ttl = "60s", tags = "page-#{#id}")
        void including(
                @RequestParam String id,
                @RequestParam String what,
                HttpServletRequest request,
                HttpServletResponse response)
                throws ServletException, IOException {
            response.setContentType(Site.HTML);
            response.getOutputStream().print("[");
            request.getRequestDispatcher("/included/" + what + "?id=7").include(request, response);
            response.getOutputStream().print("]");
            if (what.equals("before-read")) {
                response.getOutputStream().print(request.getRemoteUser() + "");
            }
        }

        @GetMapping(path = "/included/tags", produces = Site.HTML)
        @EsiFragment(ttl = "9s", tags = "part-#{#id}")
        @ResponseBody
        String includedTags(@RequestParam String id) {
            return part();
        }

        @GetMapping(path = "/included/private", produces = Site.HTML)
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String includedPrivate() {
            return "mine";
        }

        @GetMapping(path = "/included/before-read", produces = Site.HTML)
        @ResponseBody
        String includedBeforeRead() {
            return "all";
        }
    }
}
