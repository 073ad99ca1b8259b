package dev.quire.news;

import static dev.quire.news.Paper.SECOND_READER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.news.article.ArticleId;
import dev.quire.spring.EsiFragment;
import dev.quire.test.LeakCause;
import dev.quire.test.LeakFinding;
import dev.quire.test.LeaksFound;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.text.NumberFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.stereotype.Controller;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;
import org.thymeleaf.spring6.templateresolver.SpringResourceTemplateResolver;

/**
 * The paper with planted leaks of the kinds that occur in practice. The starter's guard runs with
 * its default settings and would notice a handler that reads session or user. So names and sessions
 * come through the log, a token through a cache, cookies and statuses from a filter outside of the
 * guard.
 */
@TestPropertySource(properties = "quire.variants.secret=known-to-the-paper-and-to-its-proxy")
@Import({
    PlantedLeaksTest.Planted.class,
    PaperWithLeaks.WhoForTheLog.class,
    PlantedLeaksTest.WhoForTheViews.class,
    PlantedLeaksTest.OtherViews.class,
    PlantedLeaksTest.OutsideOfTheGuard.class
})
class PlantedLeaksTest extends PaperWithLeaks {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /planted/live                                 | USER_NAME           | reader1, reader2 | section.live > p.who (text)
                    /planted/poll                                 | CSRF_TOKEN          | the one of reader2 | form > input (@value)
                    /planted/visitors                             | SESSION_COOKIE      | visitor     | the field Set-Cookie
                    /planted/session                              | SESSION_COOKIE      | JSESSIONID  | the field Set-Cookie
                    /planted/missing                              | CACHED_ERROR        | status 404  |
                    /planted/closed                               | CACHED_ERROR        | status 503  |
                    /fragment/live                                | USER_NAME           | reader1, reader2 | section.live > p.for:nth-child(3) (text)
                    /planted/links                                | SESSION_ID_IN_URL   |             | a (@href)
                    /planted/count                                | LOCALE_WITHOUT_VARY | Accept-Language | p.count (text)
                    /planted/ticker                               | NONCE               |             | script (@nonce)
                    /planted/tools?oid=014&aid=0000004665         | CACHED_ERROR        | oid=no-such-value is answered with status 200 and the text of an error, aid=no-such-value is answered with status 200 and the text of an error |
                    /planted/map                                  | HEADER_WITHOUT_VARY | User-Agent  | svg (@width)
                    """)
    void eachIsFoundAndItsCauseNamed(
            String path, LeakCause cause, @Nullable String by, @Nullable String place) {
        site.as(SECOND_READER).get("/planted/poll");

        var findings = findings(path);

        assertThat(findings)
                .first()
                .satisfies(finding -> {
                    assertThat(finding.cause()).isEqualTo(cause);
                    assertThat(finding.by()).isEqualTo(by == null ? "" : by);
                    assertThat(finding.place()).isEqualTo(place == null ? "" : place);
                    assertThat(finding.handler().orElseThrow().handler())
                            .contains(
                                    path.startsWith("/planted/")
                                            ? "Planted#"
                                            : "ElectionFragments#live");
                });
        assertThat(findings).extracting(LeakFinding::cause).containsOnly(cause);
    }

    @Test
    void allOfThemStandInOneReport() {
        site.as(SECOND_READER).get("/planted/poll");

        var failure =
                catchThrowableOfType(
                        LeaksFound.class,
                        () ->
                                detector()
                                        .example(
                                                "Planted#tools",
                                                "/planted/tools?oid=014&aid=0000004665")
                                        .example(
                                                "ArticlePage#read",
                                                "/main/read.nhn?oid=014&aid=0000004665")
                                        .example(
                                                "ArticleTools#tools",
                                                "/fragment/tools?oid=014&aid=0000004665")
                                        .example(
                                                "SectionPage#section", "/main.nhn?mode=LSD&sid=100")
                                        .allPublicFragments());

        assertThat(failure.report().findings())
                .extracting(LeakFinding::target)
                .allMatch(
                        target -> target.startsWith("/planted/") || target.equals("/fragment/live"))
                .contains("/fragment/live", "/planted/session", "/planted/closed");
        assertThat(failure.report().findings())
                .extracting(LeakFinding::cause)
                .contains(
                        LeakCause.USER_NAME,
                        LeakCause.CSRF_TOKEN,
                        LeakCause.SESSION_COOKIE,
                        LeakCause.SESSION_ID_IN_URL,
                        LeakCause.LOCALE_WITHOUT_VARY,
                        LeakCause.HEADER_WITHOUT_VARY,
                        LeakCause.NONCE,
                        LeakCause.CACHED_ERROR);
    }

    /** Handlers like those of the paper, each with a typical mistake. */
    @Controller
    @ResponseBody
    static class Planted {
        private final Map<String, String> rendered = new ConcurrentHashMap<>();

        /** The name comes from the logging context, not from Spring Security. */
        @GetMapping(path = "/planted/live", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "3s", tags = "election")
        String live() {
            return "<section class=\"live\"><h2>Live count</h2><p class=\"who\">for "
                    + MDC.get("reader")
                    + "</p></section>";
        }

        /**
         * A form that is rendered once and cached, as by @Cacheable, with the token of its first
         * reader.
         */
        @GetMapping(path = "/planted/poll", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "60s", tags = "election")
        String poll(HttpServletRequest request) {
            return rendered.computeIfAbsent(
                    "poll",
                    form -> {
                        var token = (CsrfToken) request.getAttribute(CsrfToken.class.getName());
                        return "<form method=\"post\" action=\"/poll\"><input type=\"hidden\" name=\"%s\" value=\"%s\"></form>"
                                .formatted(token.getParameterName(), token.getToken());
                    });
        }

        /** Harmless by itself; a filter counts visitors. */
        @GetMapping(path = "/planted/visitors", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "60s")
        String visitors() {
            return "<p>Welcome.</p>";
        }

        /** Harmless by itself; a filter begins a session. */
        @GetMapping(path = "/planted/session", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "60s")
        String session() {
            return "<p>Welcome.</p>";
        }

        /** A filter answers 404 and leaves the lifetime as it is. */
        @GetMapping(path = "/planted/missing", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String missing() {
            return "<p>No such poll.</p>";
        }

        /** A filter answers 503 and leaves the lifetime as it is. */
        @GetMapping(path = "/planted/closed", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String closed() {
            return "<p>Back soon.</p>";
        }

        /** The session id from the logging context is put into a URL by hand. */
        @GetMapping(path = "/planted/links", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String links() {
            var session = MDC.get("session");
            return "<a href=\"/main/scrap/index.nhn"
                    + (session == null ? "" : ";jsessionid=" + session)
                    + "\">Scraps</a>";
        }

        /** Figures in the format of the reader's locale. */
        @GetMapping(path = "/planted/count", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "30s", tags = "election")
        String count(HttpServletRequest request) {
            return "<p class=\"count\">"
                    + NumberFormat.getInstance(request.getLocale()).format(4_512_004)
                    + "</p>";
        }

        /** A script for a content security policy with nonces. */
        @GetMapping(path = "/planted/ticker", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "3s", tags = "election")
        String ticker() {
            return "<script nonce=\"" + UUID.randomUUID() + "\">tick()</script>";
        }

        /** Errors are caught and reported with status 200. */
        @GetMapping(path = "/planted/tools", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String tools(@RequestParam String oid, @RequestParam String aid) {
            return ArticleId.isValid(oid, aid)
                    ? "<p class=\"tools\">keep it</p>"
                    : "<p class=\"error\">something went wrong</p>";
        }

        /** A smaller picture for telephones. */
        @GetMapping(path = "/planted/map", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "30s", tags = "election")
        String map(HttpServletRequest request) {
            boolean isSmall = String.valueOf(request.getHeader("User-Agent")).contains("Mobile");
            return "<svg width=\"%d\"></svg>".formatted(isSmall ? 320 : 960);
        }
    }

    /** Puts the user's name into each model, as for the head of the page. */
    @ControllerAdvice
    static class WhoForTheViews {
        @ModelAttribute("asking")
        String asking() {
            return MDC.get("reader");
        }
    }

    /** The paper's own views, except those with a planted line. */
    @TestConfiguration
    static class OtherViews {
        @Bean
        SpringResourceTemplateResolver plantedViews() {
            var views = new SpringResourceTemplateResolver();
            views.setPrefix("classpath:/planted/");
            views.setSuffix(".html");
            views.setCheckExistence(true);
            views.setOrder(0);
            return views;
        }
    }

    /** Changes the finished response, outside of all other filters. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class OutsideOfTheGuard extends OncePerRequestFilter {
        @Override
        protected boolean shouldNotFilter(HttpServletRequest request) {
            return !request.getRequestURI().startsWith("/planted/");
        }

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            var held = new ContentCachingResponseWrapper(response);
            chain.doFilter(request, held);
            switch (request.getRequestURI()) {
                case "/planted/visitors" ->
                        response.addCookie(new Cookie("visitor", UUID.randomUUID().toString()));
                case "/planted/session" -> {
                    if (!response.isCommitted()) {
                        request.getSession();
                    }
                }
                case "/planted/missing" -> response.setStatus(HttpServletResponse.SC_NOT_FOUND);
                case "/planted/closed" ->
                        response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
                default -> {}
            }
            held.copyBodyToResponse();
        }
    }
}
