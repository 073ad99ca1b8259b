package dev.quire.news.editor;

import static dev.quire.news.Paper.EDITOR;
import static dev.quire.news.Paper.FOOTER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.MAP;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.NewsSiteTest;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.RunningProxy;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An editor saves while the proxy in front does not accept purges. */
@NewsSiteTest
@ExtendWith(OutputCaptureExtension.class)
class SurrogateOutOfReachIT {
    private static final Relay ADMIN = Relay.open();
    private static final String SPORT = "/main.nhn?mode=LSD&sid=107";
    private static final List<String> ELSEWHERE =
            List.of("/main.nhn?mode=LSD&sid=101&page=40", FOOTER, MAP);

    @Autowired ApplicationContext paper;
    @Autowired Articles articles;
    @Autowired EsiInvalidator invalidator;
    @Autowired MeterRegistry meters;

    private EsiSite site;
    private @Nullable RunningProxy started;

    @DynamicPropertySource
    static void surrogate(DynamicPropertyRegistry registry) {
        registry.add("quire.surrogate.urls", ADMIN::url);
        registry.add("quire.invalidation.retry-after", () -> "20ms");
        // so that only the response's own limit can end the wait
        registry.add("quire.surrogate.timeout", () -> "2m");
        registry.add("news.database", () -> "jdbc:h2:mem:newsroom;DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void stop() throws Exception {
        ADMIN.close();
    }

    @BeforeEach
    void open() {
        site =
                SpringSite.over(paper, EsiMode.PROXY)
                        .assembledBy(Assembling.proxy(setup -> setup.whenStarted(this::startedAs)));
        site.as(EDITOR).get(FRONT_PAGE);
    }

    @AfterEach
    void close() {
        site.close();
    }

    /** The response to the save invalidates the changed pages; purges fail. */
    @Test
    void theAnswerItselfTellsTheProxyItPasses(CapturedOutput log) {
        var article = articles.latest(Section.SPORT, 1, 0).getFirst();
        var shown = List.of(article.url(), FRONT_PAGE, SPORT);
        Newsroom.read(site, shown, ELSEWHERE);
        ADMIN.refuse();

        var answer = Newsroom.save(site, article, "A match without a purge");

        assertThat(answer).hasStatus(302);
        assertThat(log).contains("does not accept invalidations");
        assertThat(count("failed")).isPositive();
        assertThat(proxy().metric("quire_invalidations_total")).isZero();
        for (var path : shown) {
            assertThat(site.get(path)).contains("A match without a purge");
        }
        Newsroom.assertStored(site, ELSEWHERE);

        ADMIN.to(proxy().admin());
        flush();

        assertThat(log).contains("accepts invalidations again");
        assertThat(proxy().metric("quire_invalidations_total")).isPositive();
    }

    /** A save whose response does not pass the proxy. */
    @Test
    void whatIsSavedElsewhereIsToldOnceItIsBack() {
        var article = articles.latest(Section.SPORT, 2, 0).getLast();
        Newsroom.read(site, List.of(SPORT));
        ADMIN.refuse();

        try (var elsewhere = SpringSite.over(paper, EsiMode.IN_APPLICATION)) {
            var answer = Newsroom.save(elsewhere, article, "A late match report");

            assertThat(answer).hasStatus(302);
        }
        assertThat(site.get(SPORT)).doesNotContain("A late match report");

        ADMIN.to(proxy().admin());
        flush();

        assertThat(site.get(SPORT)).contains("A late match report");
    }

    @Test
    void oneThatNeverAnswersHoldsNobodyUpForLong() {
        var article = articles.latest(Section.SCIENCE, 1, 0).getFirst();
        ADMIN.hush();
        double told = count("failed") + count("done");

        var answer = Newsroom.save(site, article, "Air without an answer");

        assertThat(answer).hasStatus(302);
        assertThat(count("failed") + count("done")).isEqualTo(told);
        ADMIN.to(proxy().admin());
        flush();
    }

    private void startedAs(RunningProxy proxy) {
        started = proxy;
        ADMIN.to(proxy.admin());
    }

    private RunningProxy proxy() {
        return Objects.requireNonNull(started, "a page was requested");
    }

    private void flush() {
        var report =
                invalidator.flush().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(report.isComplete()).isTrue();
    }

    private double count(String outcome) {
        var timer = meters.find("quire.invalidate").tag("outcome", outcome).timer();
        return timer == null ? 0 : timer.count();
    }
}
