package dev.quire.news;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.spring.EsiFragment;
import dev.quire.test.LeakCause;
import dev.quire.test.LeakFinding;
import dev.quire.test.spring.AutoConfigureEsi;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Leaks that pass the starter's guard, because filters put the reader's data into the logging
 * context: in texts, attributes, the order of a list, response fields, and by request fields.
 */
@AutoConfigureEsi
@Import({
    LeaksPastTheGuardTest.Planted.class,
    PaperWithLeaks.WhoForTheLog.class,
    LeaksPastTheGuardTest.OutsideOfTheGuard.class
})
class LeaksPastTheGuardTest extends PaperWithLeaks {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    attribute   | UNKNOWN             | the cookie JSESSIONID | ul (@data-owner)
                    points      | UNKNOWN             | the cookie JSESSIONID | text > line (text)
                    comment     | UNKNOWN             | the cookie JSESSIONID | body (comment)
                    script      | UNKNOWN             | the cookie JSESSIONID | script (script or style)
                    base64      | UNKNOWN             | the cookie JSESSIONID | p (text)
                    order       | UNKNOWN             | the cookie JSESSIONID | ul > li:nth-child(1) (text)
                    input       | UNKNOWN             | the cookie JSESSIONID | input (@value)
                    last        | USER_NAME           | reader1, reader2      | p (text)
                    rows        | USER_NAME           | reader1, reader2      | text > line (text)
                    etag        | UNKNOWN             | the cookie JSESSIONID | the field ETag
                    session     | UNKNOWN             | the cookie JSESSIONID | the field X-Debug-Session
                    download    | UNKNOWN             | the cookie JSESSIONID | the field Content-Disposition
                    experiment  | HEADER_WITHOUT_VARY | X-Experiment          | p (text)
                    country     | HEADER_WITHOUT_VARY | CF-IPCountry          | p (text)
                    address     | HEADER_WITHOUT_VARY | X-Forwarded-For       | p (text)
                    telephone   | HEADER_WITHOUT_VARY | Sec-CH-UA-Mobile      | p (text)
                    zone        | HEADER_WITHOUT_VARY | Cookie                | p (text)
                    request     | RANDOM_ID           |                       | the field X-Request-Id
                    """)
    void eachIsFoundWithItsCause(String kind, LeakCause cause, @Nullable String by, String place) {
        var findings = findings("/past/" + kind);

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by, LeakFinding::place)
                .containsExactly(tuple(cause, by == null ? "" : by, place));
        if (cause == LeakCause.USER_NAME) {
            assertThat(findings.getFirst().sides())
                    .hasEntrySatisfying("reader2", shown -> assertThat(shown).contains("reader"));
        }
    }

    @Test
    void whitespaceAloneIsNoLeak() {
        assertThat(findings("/past/blank")).isEmpty();
    }

    @Controller
    static class Planted {
        private volatile String last = "anonymousUser";

        @GetMapping("/past/{kind}")
        @EsiFragment(ttl = "30s")
        ResponseEntity<String> answer(
                @PathVariable String kind,
                @RequestHeader(name = "X-Experiment", required = false) @Nullable String experiment,
                HttpServletRequest request) {
            var name = MDC.get("reader");
            var id = Integer.toHexString(name.hashCode());
            var fields = new HttpHeaders();
            fields.setContentType(
                    List.of("points", "rows").contains(kind)
                            ? MediaType.APPLICATION_JSON
                            : new MediaType(MediaType.TEXT_HTML, UTF_8));
            var body =
                    switch (kind) {
                        case "attribute" -> "<ul data-owner=\"%s\"></ul>".formatted(id);
                        case "points" -> "{\"points\": \"%s\"}".formatted(id);
                        case "comment" -> "<!-- for %s -->".formatted(id);
                        case "script" -> "<script>show('%s')</script>".formatted(id);
                        case "base64" -> {
                            var coded = Base64.getEncoder().encodeToString(name.getBytes(UTF_8));
                            yield "<p>" + coded + "</p>";
                        }
                        case "order" ->
                                name.startsWith("reader")
                                        ? "<ul><li>b</li><li>a</li></ul>"
                                        : "<ul><li>a</li><li>b</li></ul>";
                        case "input" -> "<input name=\"q\" value=\"%s\">".formatted(id);
                        case "last" -> {
                            var shown = last;
                            last = name;
                            yield "<p>%s and %s</p>".formatted(shown, name);
                        }
                        case "rows" ->
                                "[%s{\"who\": \"%s\"}]"
                                        .formatted("{\"i\": 1}, ".repeat(4000), name);
                        case "etag" -> {
                            fields.setETag("\"" + id + "\"");
                            yield "<p>31%</p>";
                        }
                        case "download" -> {
                            fields.set("Content-Disposition", "inline; filename=" + id + ".html");
                            yield "<p>31%</p>";
                        }
                        case "experiment" -> "b".equals(experiment) ? "<p>new</p>" : "<p>old</p>";
                        case "country" -> "<p>" + request.getHeader("CF-IPCountry") + "</p>";
                        case "address" -> "<p>" + request.getHeader("X-Forwarded-For") + "</p>";
                        case "telephone" -> "<p>" + request.getHeader("Sec-CH-UA-Mobile") + "</p>";
                        case "zone" -> "<p>" + MDC.get("zone") + "</p>";
                        case "blank" -> "<p>31%</p>" + " ".repeat(name.length());
                        default -> "<p>31%</p>";
                    };
            return ResponseEntity.ok().headers(fields).body(body);
        }
    }

    /** Reads cookies and writes fields outside of all other filters. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class OutsideOfTheGuard extends OncePerRequestFilter {
        @Override
        protected boolean shouldNotFilter(HttpServletRequest request) {
            return !request.getRequestURI().startsWith("/past/");
        }

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            var zone = WebUtils.getCookie(request, "tz");
            var session = WebUtils.getCookie(request, "JSESSIONID");
            MDC.put("zone", zone == null ? "UTC" : zone.getValue());
            if (request.getRequestURI().equals("/past/session")) {
                var id = session == null ? "" : session.getValue();
                response.setHeader("X-Debug-Session", Integer.toHexString(id.hashCode()));
            }
            if (request.getRequestURI().equals("/past/request")) {
                response.setHeader("X-Request-Id", UUID.randomUUID().toString());
            }
            try {
                chain.doFilter(request, response);
            } finally {
                MDC.remove("zone");
            }
        }
    }
}
