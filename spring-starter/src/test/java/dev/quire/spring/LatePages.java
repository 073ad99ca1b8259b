package dev.quire.spring;

import freemarker.template.Configuration;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import gg.jte.TemplateEngine;
import gg.jte.output.PrintWriterOutput;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Public handlers that read the name of the user while they write. */
@Import(LatePages.Ways.class)
class LatePages {

    /** Where bytes go. */
    interface Sink {

        void write(String text) throws IOException;

        void flush() throws IOException;
    }

    /** A row of a list; the last one is of the user. */
    record Row(int number, boolean isLast) {

        public String getWho() {
            return isLast ? Ways.user() : "nobody";
        }

        @Override
        public String toString() {
            return getWho() + "x".repeat(1020);
        }
    }

    @Controller
    @EsiFragment(ttl = "40s")
    static class Ways {

        private final Template freemarker =
                new Template(
                        "late",
                        "<#list rows as row><p>${row}</p></#list>",
                        new Configuration(Configuration.VERSION_2_3_34));
        private final TemplateEngine jte =
                Engines.jte(
                        """
                        @param java.util.List<?> rows
                        @for(Object row : rows)<p>${String.valueOf(row)}</p>@endfor
                        """);

        Ways() throws IOException {}

        static String user() {
            return Objects.requireNonNull(SecurityContextHolder.getContext().getAuthentication())
                    .getName();
        }

        private static List<Row> rows(int size) {
            var rows = new ArrayList<Row>();
            for (int i = 1; i <= size; i++) {
                rows.add(new Row(i, i == size));
            }
            return rows;
        }

        private static MediaType type(String name) {
            return switch (name) {
                case "html" -> MediaType.TEXT_HTML;
                case "json" -> MediaType.APPLICATION_JSON;
                default -> MediaType.TEXT_EVENT_STREAM;
            };
        }

        /** Writes {@code size} KiB and the name, which is read at {@code moment}. */
        private static void fill(Sink out, int size, String moment, Supplier<String> who)
                throws IOException {
            var name = moment.equals("start") ? who.get() : "nobody";
            for (int i = 0; i < size; i++) {
                out.write("x".repeat(1024));
                if (i == size / 2 && moment.equals("flushed")) {
                    out.flush();
                    name = who.get();
                }
            }
            out.write(moment.equals("end") ? who.get() : name);
        }

        private static Sink writer(HttpServletResponse response) throws IOException {
            var writer = response.getWriter();
            return new Sink() {
                @Override
                public void write(String text) {
                    writer.write(text);
                }

                @Override
                public void flush() {
                    writer.flush();
                }
            };
        }

        @GetMapping("/late/writer/{type}/{size}/{moment}")
        void writer(
                @PathVariable String type,
                @PathVariable int size,
                @PathVariable String moment,
                HttpServletResponse response)
                throws IOException {
            response.setContentType(type(type).toString());
            fill(writer(response), size, moment, Ways::user);
        }

        @GetMapping("/late/length/{type}/{size}/{moment}")
        void length(
                @PathVariable String type,
                @PathVariable int size,
                @PathVariable String moment,
                HttpServletRequest request,
                HttpServletResponse response)
                throws IOException {
            response.setContentType(type(type).toString());
            int name = moment.equals("never") ? "nobody".length() : "reader1".length();
            response.setContentLength(size * 1024 + name);
            fill(writer(response), size, moment, request::getRemoteUser);
        }

        @GetMapping("/late/stream/{type}/{size}/{moment}")
        ResponseEntity<StreamingResponseBody> stream(
                @PathVariable String type,
                @PathVariable int size,
                @PathVariable String moment,
                HttpServletRequest request) {
            StreamingResponseBody body =
                    out ->
                            fill(
                                    new Sink() {
                                        @Override
                                        public void write(String text) throws IOException {
                                            out.write(text.getBytes(StandardCharsets.US_ASCII));
                                        }

                                        @Override
                                        public void flush() throws IOException {
                                            out.flush();
                                        }
                                    },
                                    size,
                                    moment,
                                    request::getRemoteUser);
            return ResponseEntity.ok().contentType(type(type)).body(body);
        }

        /** Completes by itself, and catches everything on the way. */
        @GetMapping("/late/async/{type}/{size}/{moment}")
        void async(
                @PathVariable String type,
                @PathVariable int size,
                @PathVariable String moment,
                HttpServletRequest request,
                HttpServletResponse response) {
            var async = request.startAsync();
            var context = SecurityContextHolder.getContext();
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            response.setContentType(type(type).toString());
                            fill(
                                    writer(response),
                                    size,
                                    moment,
                                    () ->
                                            Objects.requireNonNull(context.getAuthentication())
                                                    .getName());
                        } catch (IOException gone) {
                            throw new UncheckedIOException(gone);
                        } catch (IllegalStateException ignored) {
                            // completes nevertheless
                        } finally {
                            async.complete();
                        }
                    });
        }

        @GetMapping("/late/once")
        void once(HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            fill(writer(response), 1, "flushed", Ways::user);
        }

        @GetMapping("/late/string/{size}")
        @ResponseBody
        String string(@PathVariable int size) {
            return "x".repeat(size * 1024) + user();
        }

        @GetMapping("/late/entity/{size}")
        ResponseEntity<Object> entity(@PathVariable int size) {
            return ResponseEntity.ok()
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(rows(25 * size));
        }

        /** Renders into the response, as the view of FreeMarker does. */
        @GetMapping("/late/freemarker/{size}")
        void freemarker(@PathVariable int size, HttpServletResponse response)
                throws IOException, TemplateException {
            response.setContentType(Site.HTML);
            freemarker.process(Map.of("rows", rows(size)), response.getWriter());
        }

        /** Renders into the response, as the view of jte does. */
        @GetMapping("/late/jte/{size}")
        void jte(@PathVariable int size, HttpServletResponse response) throws IOException {
            response.setContentType(Site.HTML);
            jte.render(
                    "late.jte",
                    Map.<String, Object>of("rows", rows(size)),
                    new PrintWriterOutput(response.getWriter()));
        }

        @GetMapping("/late/getter/{size}")
        @ResponseBody
        List<Row> getter(@PathVariable int size) {
            return rows(25 * size);
        }

        @GetMapping("/late/view/{size}")
        String view(@PathVariable int size, Model model) {
            model.addAttribute("rows", rows(size));
            return "late";
        }
    }
}
