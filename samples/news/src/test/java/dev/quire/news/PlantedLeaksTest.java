package dev.quire.news;

import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.User.anonymous;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.news.article.ArticleId;
import dev.quire.spring.EsiFragment;
import dev.quire.test.EsiSite;
import dev.quire.test.LeakCause;
import dev.quire.test.LeakDetector;
import dev.quire.test.LeakFinding;
import dev.quire.test.LeaksFound;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.text.NumberFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * The paper with eight leaks in it, as they are made in earnest. The starter's guard is at work
 * with its usual settings: what a handler reads of session and user it would notice, so names and
 * sessions come by way of the log, a token by way of a cache, and a cookie from outside of it.
 */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.LIVE)
@Import({
    PlantedLeaksTest.Planted.class,
    PlantedLeaksTest.WhoForTheLog.class,
    PlantedLeaksTest.VisitorCookie.class
})
class PlantedLeaksTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /planted/live                                 | USER_NAME           | reader1, reader2 | section.live > p.who (text)
                    /planted/poll                                 | CSRF_TOKEN          | the one of reader2 | form > input (@value)
                    /planted/visitors                             | SESSION_COOKIE      | visitor     | the field Set-Cookie
                    /planted/links                                | SESSION_ID_IN_URL   |             | a (@href)
                    /planted/count                                | LOCALE_WITHOUT_VARY | Accept-Language | p.count (text)
                    /planted/ticker                               | NONCE               |             | script (@nonce)
                    /planted/tools?oid=014&aid=0000004665         | CACHED_ERROR        | oid=no-such-value is answered with status 200 and the text of an error, aid=no-such-value is answered with status 200 and the text of an error |
                    /planted/map                                  | HEADER_WITHOUT_VARY | User-Agent  | svg (@width)
                    """)
    void eachIsFoundAndItsCauseNamed(
            String path,
            LeakCause cause,
            @Nullable String by,
            @Nullable String place,
            EsiSite site) {
        site.as(SECOND_READER).get("/planted/poll");

        var findings = findings(site, path);

        assertThat(findings)
                .first()
                .satisfies(finding -> {
                    assertThat(finding.cause()).isEqualTo(cause);
                    assertThat(finding.by()).isEqualTo(by == null ? "" : by);
                    assertThat(finding.place()).isEqualTo(place == null ? "" : place);
                    assertThat(finding.handler().orElseThrow().handler()).contains("Planted#");
                });
        assertThat(findings).extracting(LeakFinding::cause).containsOnly(cause);
    }

    @Test
    void allOfThemStandInOneReport(EsiSite site) {
        site.as(SECOND_READER).get("/planted/poll");

        var failure =
                catchThrowableOfType(
                        LeaksFound.class,
                        () ->
                                LeakDetector.check(site)
                                        .users(anonymous(), FIRST_READER, SECOND_READER)
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
                .allSatisfy(finding -> assertThat(finding.target()).startsWith("/planted/"));
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

    private List<LeakFinding> findings(EsiSite site, String path) {
        var failure =
                catchThrowableOfType(
                        LeaksFound.class,
                        () ->
                                LeakDetector.check(site)
                                        .users(anonymous(), FIRST_READER, SECOND_READER)
                                        .paths(path));
        assertThat(failure).as("what is found at " + path).isNotNull();
        return failure.report().findings();
    }

    /** Handlers like those of the paper, and what went wrong as somebody wrote them. */
    @Controller
    @ResponseBody
    static class Planted {
        private final Map<String, String> rendered = new ConcurrentHashMap<>();

        /** The name comes from where the log has it: nobody asked Spring Security for it. */
        @GetMapping(path = "/planted/live", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "3s", tags = "election")
        String live() {
            return "<section class=\"live\"><h2>Live count</h2><p class=\"who\">for "
                    + MDC.get("reader")
                    + "</p></section>";
        }

        /** A form that is rendered once and kept, as by @Cacheable, with the token of its first. */
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

        /** The session is put into the address by hand, from where the log has it. */
        @GetMapping(path = "/planted/links", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String links() {
            var session = MDC.get("session");
            return "<a href=\"/main/scrap/index.nhn"
                    + (session == null ? "" : ";jsessionid=" + session)
                    + "\">Scraps</a>";
        }

        /** Figures as the reader's browser would write them. */
        @GetMapping(path = "/planted/count", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "30s", tags = "election")
        String count(HttpServletRequest request) {
            return "<p class=\"count\">"
                    + NumberFormat.getInstance(request.getLocale()).format(4_512_004)
                    + "</p>";
        }

        /** A script that a policy with nonces is to let through. */
        @GetMapping(path = "/planted/ticker", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "3s", tags = "election")
        String ticker() {
            return "<script nonce=\"" + UUID.randomUUID() + "\">tick()</script>";
        }

        /** What fails is caught, and told with 200. */
        @GetMapping(path = "/planted/tools", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "1d", tags = "frame")
        String tools(@RequestParam String oid, @RequestParam String aid) {
            return ArticleId.isValid(oid, aid)
                    ? "<p class=\"tools\">keep it</p>"
                    : "<p class=\"error\">something went wrong</p>";
        }

        /** Smaller for telephones. */
        @GetMapping(path = "/planted/map", produces = MediaType.TEXT_HTML_VALUE)
        @EsiFragment(ttl = "30s", tags = "election")
        String map(HttpServletRequest request) {
            boolean isSmall = String.valueOf(request.getHeader("User-Agent")).contains("Mobile");
            return "<svg width=\"%d\"></svg>".formatted(isSmall ? 320 : 960);
        }
    }

    /** Has each line of the log say who asks. Behind Spring Security's filters. */
    static class WhoForTheLog extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            var reader = SecurityContextHolder.getContext().getAuthentication();
            MDC.put("reader", reader == null ? "nobody" : reader.getName());
            MDC.put("session", request.getRequestedSessionId());
            try {
                chain.doFilter(request, response);
            } finally {
                MDC.clear();
            }
        }
    }

    /** Gives each visitor a number, once the page is ready: outside of all else. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class VisitorCookie extends OncePerRequestFilter {
        @Override
        protected boolean shouldNotFilter(HttpServletRequest request) {
            return !request.getRequestURI().equals("/planted/visitors");
        }

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            var held = new ContentCachingResponseWrapper(response);
            chain.doFilter(request, held);
            response.addCookie(new Cookie("visitor", UUID.randomUUID().toString()));
            held.copyBodyToResponse();
        }
    }
}
