package dev.quire.news.editor;

import static dev.quire.news.Paper.EDITOR;
import static dev.quire.news.Paper.FOOTER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.MAP;
import static dev.quire.test.EsiAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.NewsSiteTest;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.proxy.redis.RedisServer;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * The election night on two proxies with one Redis. The site sends its invalidations to one of
 * them.
 */
@NewsSiteTest
class TwoProxiesIT {
    private static final RedisServer STORE = RedisServer.redis();
    private static final Relay ADMIN = Relay.open();
    private static final String POLITICS = "/main.nhn?mode=LSD&sid=100";
    private static final List<String> ELSEWHERE =
            List.of("/main.nhn?mode=LSD&sid=107", FOOTER, MAP);
    private static final int SAVES = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Autowired ApplicationContext paper;
    @Autowired Articles articles;

    private final List<EsiSite> sites = new ArrayList<>();
    private final List<RunningProxy> proxies = new ArrayList<>();

    @DynamicPropertySource
    static void surrogate(DynamicPropertyRegistry registry) {
        registry.add("quire.surrogate.urls", ADMIN::url);
        // Otherwise the response to a save invalidates the same pages once more.
        registry.add("quire.headers.cache-groups", () -> false);
        registry.add("news.database", () -> "jdbc:h2:mem:two-proxies;DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void stop() throws Exception {
        ADMIN.close();
        STORE.close();
    }

    @BeforeEach
    void open() {
        for (var node : List.of("one", "two")) {
            var site =
                    SpringSite.over(paper, EsiMode.PROXY)
                            .assembledBy(
                                    Assembling.proxy(setup ->
                                            setup.with(
                                                            "shared",
                                                            "{ servers: [\"127.0.0.1:%d\"] }"
                                                                    .formatted(STORE.port()))
                                                    .with(
                                                            "fleet",
                                                            "{ name: news, node: %s, ack: fleet }"
                                                                    .formatted(node))
                                                    .whenStarted(proxies::add)));
            sites.add(site);
            site.as(EDITOR).get(FRONT_PAGE);
        }
        ADMIN.to(proxies.getFirst().admin());
        awaitFleet();
    }

    /** Waits until each proxy knows that the other one has applied its invalidations. */
    private void awaitFleet() {
        for (var proxy : proxies) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (purgeNothing(proxy) != 200) {
                assertThat(System.nanoTime()).as("the fleet is complete").isLessThan(end);
            }
        }
    }

    private static int purgeNothing(RunningProxy proxy) {
        try (var operator = HttpWire.to(proxy.admin())) {
            return operator.request(
                            "POST",
                            "/v1/purge",
                            "{\"tags\":[\"none\"]}".getBytes(UTF_8),
                            "Content-Type",
                            "application/json")
                    .response()
                    .status();
        }
    }

    @AfterEach
    void close() {
        sites.forEach(EsiSite::close);
    }

    @Test
    void aSaveThroughEitherProxyIsNewAtBothOnTheNextRequest() {
        for (int save = 0; save < SAVES; save++) {
            var article = articles.latest(Section.POLITICS, 1, 0).getFirst();
            var lists = List.of(FRONT_PAGE, POLITICS);
            for (var site : sites) {
                // A save invalidates the page to which it redirects once more, a second later.
                assertThat(site.get(article.url())).hasStatus(200);
                Newsroom.read(site, lists, ELSEWHERE);
            }
            var headline = "Ballot box " + save + " is open";

            var answer = Newsroom.save(sites.get(save % 2), article, headline);

            assertThat(answer).hasStatus(302);
            for (var site : sites) {
                assertThat(site.get(article.url())).contains(headline);
                lists.forEach(path -> assertThat(site.get(path)).contains(headline));
                Newsroom.assertStored(site, ELSEWHERE);
            }
            awaitFleet();
        }
    }
}
