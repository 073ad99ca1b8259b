package dev.quire.news;

import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.User.anonymous;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.test.EsiSite;
import dev.quire.test.LeakDetector;
import dev.quire.test.LeakFinding;
import dev.quire.test.LeaksFound;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The paper with leaks that subclasses plant. Handlers find the reader in the logging context,
 * which the starter's guard does not watch.
 */
@NewsSiteTest
@ParameterizedClass
@EnumSource(names = {"LIVE", "MOCK_MVC"})
abstract class PaperWithLeaks {
    @Parameter EsiMode mode = EsiMode.LIVE;

    @Autowired ApplicationContext paper;

    EsiSite site;

    @BeforeEach
    void open() {
        site = SpringSite.over(paper, mode);
    }

    @AfterEach
    void close() {
        site.close();
    }

    LeakDetector detector() {
        return LeakDetector.check(site).users(anonymous(), FIRST_READER, SECOND_READER);
    }

    /** Returns the leaks at {@code path}. */
    List<LeakFinding> findings(String path) {
        var failure = catchThrowableOfType(LeaksFound.class, () -> detector().paths(path));
        return failure == null ? List.of() : failure.report().findings();
    }

    /** Puts user name and session id into the logging context, after Spring Security's filters. */
    static class WhoForTheLog extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            var reader = SecurityContextHolder.getContext().getAuthentication();
            MDC.put("reader", reader == null ? "anonymous" : reader.getName());
            MDC.put("session", request.getRequestedSessionId());
            try {
                chain.doFilter(request, response);
            } finally {
                MDC.clear();
            }
        }
    }
}
