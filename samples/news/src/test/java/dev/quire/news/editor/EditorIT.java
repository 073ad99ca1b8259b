package dev.quire.news.editor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.Browser;
import dev.quire.news.NewsSiteTest;
import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.article.Summary;
import dev.quire.spring.InvalidationHistory;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.test.RunningProxy;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An editor saves through the real proxy: what shows the article is new, all else is as stored. */
@NewsSiteTest
@ExtendWith(OutputCaptureExtension.class)
class EditorIT {
    private static final Relay ADMIN = Relay.open();
    private static final String SECRET = "known to the paper and its surrogate";
    private static final String HOME = "/main/home.nhn";
    private static final String RANKING = "/fragment/most-read";
    private static final String ELECTION_NEWS = "/president2012/news/index.nhn";
    private static final Pattern LINK =
            Pattern.compile("/main/read\\.nhn\\?oid=([0-9]{3})&amp;aid=([0-9]{10})");

    /** Pages and fragments that show nothing of an article on the economy. */
    private static final List<String> ELSEWHERE =
            List.of(
                    "/main.nhn?mode=LSD&sid=107",
                    "/main.nhn?mode=LSD&sid=101&page=40",
                    "/president2012/index.nhn",
                    "/president2012/candidate/index.nhn",
                    "/main/read.nhn?oid=014&aid=0000004665",
                    "/fragment/footer",
                    "/fragment/headline",
                    "/fragment/map",
                    "/sitemap.xml");

    @LocalServerPort int port;
    @Autowired Articles articles;
    @Autowired EsiInvalidator invalidator;
    @Autowired InvalidationHistory history;
    @Autowired MeterRegistry meters;

    private RunningProxy proxy;
    private Browser editor;
    private Browser reader;

    @DynamicPropertySource
    static void surrogate(DynamicPropertyRegistry registry) {
        registry.add("quire.surrogate.urls", ADMIN::url);
        registry.add("quire.variants.secret", () -> SECRET);
        registry.add("quire.invalidation.retry-after", () -> "20ms");
        // so that nothing but the wait of the response can end it
        registry.add("quire.surrogate.timeout", () -> "2m");
        registry.add("news.database", () -> "jdbc:h2:mem:newsroom;DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void stop() throws Exception {
        ADMIN.close();
    }

    @BeforeEach
    void open() {
        proxy =
                RunningProxy.inFrontOf(URI.create("http://127.0.0.1:" + port))
                        .with("variants", "{ secret: \"%s\" }".formatted(SECRET))
                        .start();
        ADMIN.to(proxy.admin());
        editor = new Browser(proxy.http().getPort());
        reader = new Browser(proxy.http().getPort());
        editor.logIn("editor1", "paper-night");
    }

    @AfterEach
    void close() {
        editor.close();
        reader.close();
        proxy.close();
    }

    @Test
    void aSavedArticleIsNewOnTheNextRequestAndAllElseIsStillStored() {
        var article = articles.latest(Section.ECONOMY, 1, 0).getFirst();
        var shown = List.of(article.url(), HOME, "/main.nhn?mode=LSD&sid=101");
        ask(shown);
        ask(ELSEWHERE);
        ask(List.of(RANKING));

        var answer = save(article, "Prices fall at the fish market");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(place -> assertThat(place).endsWith(article.url()));
        for (var path : shown) {
            var page = reader.get(path);
            assertThat(page.body()).as(path).contains("Prices fall at the fish market");
            assertThat(status(page)).as(path).contains("fwd=");
        }
        assertStored(ELSEWHERE);
        assertStored(List.of(RANKING));
    }

    @Test
    void theRankingIsNewWhenAnArticleInItIsSaved() {
        var first = inRanking();
        ask(List.of(first.url(), RANKING));
        ask(ELSEWHERE);

        save(first, "What everybody reads tonight");

        for (var path : List.of(first.url(), RANKING)) {
            assertThat(reader.get(path).body()).as(path).contains("What everybody reads tonight");
        }
        assertStored(List.of("/main.nhn?mode=LSD&sid=107", "/fragment/footer", "/fragment/map"));
    }

    @Test
    void aNewArticleLeadsItsListsOnTheNextRequest() {
        var sections = List.of(HOME, ELECTION_NEWS, "/main.nhn?mode=LSD&sid=100");
        ask(sections);
        var others = List.of("/main.nhn?mode=LSD&sid=107", RANKING, "/fragment/footer");
        ask(others);

        var answer =
                editor.post(
                        "/editor/new.nhn",
                        "/editor/new.nhn",
                        Map.of(
                                "oid",
                                "001",
                                "sid",
                                "100",
                                "election",
                                "true",
                                "headline",
                                "The last ballot box is open",
                                "standfirst",
                                "It came by boat.",
                                "body",
                                "Nobody had expected it.\r\n\r\nThen it was there."));

        assertThat(answer.statusCode()).isEqualTo(302);
        for (var path : sections) {
            assertThat(reader.get(path).body()).as(path).contains("The last ballot box is open");
        }
        assertThat(reader.get(location(answer)).body())
                .contains("<p>Nobody had expected it.</p>", "<p>Then it was there.</p>");
        assertStored(others);
    }

    @Test
    void aSaveThatIsRolledBackInvalidatesNothing() {
        var article = articles.latest(Section.SOCIETY, 1, 0).getFirst();
        var form = editor.get(formOf(article)).body();
        save(article, "The first of two to save");
        var shown = List.of(article.url(), HOME, "/main.nhn?mode=LSD&sid=102");
        ask(shown);
        ask(ELSEWHERE);
        flush();
        double purges = proxy.metric("quire_invalidations_total");
        int told = history.latest().size();

        var answer = save(article, "The second, who is too late", revision(form));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body())
                .contains("Somebody else has saved this article", "The second, who is too late");
        assertThat(answer.headers().map()).doesNotContainKey("cache-group-invalidation");
        flush();
        assertThat(proxy.metric("quire_invalidations_total")).isEqualTo(purges);
        assertThat(history.latest()).hasSize(told);
        assertStored(shown);
        assertStored(ELSEWHERE);
        assertThat(reader.get(article.url()).body()).contains("The first of two to save");
    }

    /** The answer to the save names what has changed: no other way is open. */
    @Test
    void whileTheAdminEndpointIsDownTheAnswerItselfTellsTheProxyItPasses(CapturedOutput log) {
        var article = articles.latest(Section.SPORT, 1, 0).getFirst();
        var shown = List.of(article.url(), HOME, "/main.nhn?mode=LSD&sid=107");
        ask(shown);
        ask(List.of("/main.nhn?mode=LSD&sid=101&page=40", "/fragment/footer", "/fragment/map"));
        ADMIN.refuse();

        var answer = save(article, "A match without a purge");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(log).contains("cannot be told what has changed");
        assertThat(count("failed")).isPositive();
        assertThat(proxy.metric("quire_invalidations_total")).isZero();
        for (var path : shown) {
            assertThat(reader.get(path).body()).as(path).contains("A match without a purge");
        }
        assertStored(
                List.of("/main.nhn?mode=LSD&sid=101&page=40", "/fragment/footer", "/fragment/map"));

        ADMIN.to(proxy.admin());
        flush();

        assertThat(log).contains("can be told again what has changed");
        assertThat(proxy.metric("quire_invalidations_total")).isPositive();
    }

    /** One save by somebody whose answer does not pass the proxy. */
    @Test
    void whatIsSavedElsewhereIsToldOnceTheAdminEndpointIsBack() {
        var article = articles.latest(Section.SPORT, 2, 0).getLast();
        var section = "/main.nhn?mode=LSD&sid=107";
        ask(List.of(section));
        ADMIN.refuse();
        editor.moveTo(port);

        var answer = save(article, "A match told of late");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(reader.get(section).body()).doesNotContain("A match told of late");

        ADMIN.to(proxy.admin());
        flush();

        assertThat(reader.get(section).body()).contains("A match told of late");
    }

    @Test
    void whatCanBeDoneWithAnArticleIsStoredOnceForEachKindOfReader() {
        var article = articles.latest(Section.LIFE, 1, 0).getFirst();
        var tools = article.url().replace("/main/read.nhn", "/fragment/tools");
        try (var other = new Browser(proxy.http().getPort());
                var second = new Browser(proxy.http().getPort())) {
            other.logIn("reader1", "paper-first");
            second.logIn("reader2", "paper-second");
            for (var somebody : List.of(reader, other, editor)) {
                assertThat(somebody.get(tools).statusCode()).isEqualTo(200);
            }

            for (var somebody : List.of(reader, other, second, editor)) {
                assertThat(status(somebody.get(tools))).contains("quire; hit");
            }
            assertThat(reader.get(article.url()).body())
                    .contains(">Keep this article</a>")
                    .doesNotContain("<form", "Edit this article");
            assertThat(editor.get(article.url()).body())
                    .contains(">Keep this article</button>", formOf(article).replace("&", "&amp;"));
            assertThat(second.get(article.url()).body()).doesNotContain("Edit this article");

            var kept =
                    second.post(
                            article.url(),
                            "/main/scrap/add.nhn",
                            Map.of("oid", article.id().oid(), "aid", article.id().aid()));

            assertThat(kept.statusCode()).isEqualTo(302);
            assertThat(second.get("/main/scrap/index.nhn").body())
                    .contains(article.url().replace("&", "&amp;"));
        }
    }

    @Test
    void anEndpointThatNeverAnswersHoldsNobodyUpForLong() {
        var article = articles.latest(Section.SCIENCE, 1, 0).getFirst();
        ADMIN.hush();

        var answer = save(article, "Air without an answer");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(count("failed") + count("done")).isEqualTo(seen);
        ADMIN.to(proxy.admin());
        flush();
    }

    @Test
    void onlyEditorsComeIntoTheNewsroom() {
        assertThat(reader.get("/editor/index.nhn").headers().firstValue("Location"))
                .hasValueSatisfying(place -> assertThat(place).endsWith("/login"));
        reader.logIn("reader1", "paper-first");
        assertThat(reader.get("/editor/index.nhn").statusCode()).isEqualTo(403);
        assertThat(reader.get("/fragment/greeting").body()).doesNotContain("Newsroom");
        assertThat(editor.get("/fragment/greeting").body()).contains("/editor/index.nhn");
        assertThat(editor.post("/editor/edit.nhn", Map.of("oid", "001")).statusCode())
                .isEqualTo(403);
    }

    private double seen;

    private HttpResponse<String> save(Summary article, String headline) {
        return save(article, headline, revision(editor.get(formOf(article)).body()));
    }

    private HttpResponse<String> save(Summary article, String headline, String revision) {
        seen = count("failed") + count("done");
        return editor.post(
                formOf(article),
                "/editor/edit.nhn",
                Map.of(
                        "oid",
                        article.id().oid(),
                        "aid",
                        article.id().aid(),
                        "revision",
                        revision,
                        "headline",
                        headline,
                        "standfirst",
                        article.standfirst(),
                        "body",
                        "One paragraph.\r\n\r\nAnother one."));
    }

    /** Asks for each until it comes from the store. */
    private void ask(List<String> paths) {
        for (var path : paths) {
            assertThat(reader.get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertStored(paths);
    }

    private void assertStored(List<String> paths) {
        for (var path : paths) {
            assertThat(status(reader.get(path))).as(path).contains("quire; hit");
        }
    }

    private void flush() {
        var report =
                invalidator.flush().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(report.isComplete()).isTrue();
    }

    private Summary inRanking() {
        var link = LINK.matcher(reader.get(RANKING).body());
        assertThat(link.find()).isTrue();
        return articles.find(new ArticleId(link.group(1), link.group(2))).orElseThrow().summary();
    }

    private double count(String outcome) {
        var timer = meters.find("quire.invalidate").tag("outcome", outcome).timer();
        return timer == null ? 0 : timer.count();
    }

    private static String status(HttpResponse<String> answer) {
        return String.join(", ", answer.headers().allValues("Cache-Status"));
    }

    private static String formOf(Summary article) {
        return "/editor/edit.nhn?oid=" + article.id().oid() + "&aid=" + article.id().aid();
    }

    private static String revision(String form) {
        var field = Pattern.compile("name=\"revision\" value=\"([0-9]+)\"").matcher(form);
        assertThat(field.find()).as(form).isTrue();
        return field.group(1);
    }

    private static String location(HttpResponse<String> answer) {
        var place = URI.create(answer.headers().firstValue("Location").orElseThrow());
        return place.getRawPath() + "?" + place.getRawQuery();
    }
}
