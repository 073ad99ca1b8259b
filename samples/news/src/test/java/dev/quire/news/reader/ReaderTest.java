package dev.quire.news.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.Browser;
import dev.quire.news.NewsSiteTest;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

@NewsSiteTest
class ReaderTest {
    private static final String SCRAPS = "/main/scrap/index.nhn";
    private static final String OFFER = SCRAPS + "?oid=014&aid=0000004665";
    private static final Map<String, String> ARTICLE = Map.of("oid", "014", "aid", "0000004665");
    private static final String ARTICLE_LINK = "/main/read.nhn?oid=014&amp;aid=0000004665";

    @LocalServerPort int port;
    @Autowired ReaderProperties properties;

    private Browser first;
    private Browser second;

    @BeforeEach
    void open() {
        first = new Browser(port);
        second = new Browser(port);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @Test
    void scrapsNeedALogin() {
        var answer = first.get(SCRAPS);

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(location -> assertThat(location).endsWith("/login"));
    }

    @Test
    void theLoginPageShowsTheAccounts() {
        var page = first.get("/login").body();

        assertThat(properties.readers()).containsOnlyKeys("reader1", "reader2");
        properties.readers().forEach((name, password) -> assertThat(page).contains(name, password));
        assertThat(properties.editors()).containsOnlyKeys("editor1", "editor2");
        properties.editors().forEach((name, password) -> assertThat(page).contains(name, password));
    }

    @Test
    void aWrongPasswordIsRefused() {
        var answer = first.logIn("reader1", "nonsense");

        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(location -> assertThat(location).endsWith("/login?error"));
        assertThat(first.get("/login?error").body()).contains("do not belong together");
        assertThat(first.get(SCRAPS).statusCode()).isEqualTo(302);
    }

    @Test
    void whoWantedToKeepAnArticleIsAskedAboutItAfterTheLogin() {
        first.get(OFFER);

        var answer = first.logIn("reader1", password("reader1"));

        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(
                        location -> assertThat(location).contains("oid=014&aid=0000004665"));
    }

    @Test
    void eachReaderHasScrapsOfTheirOwn() {
        first.logIn("reader1", password("reader1"));
        second.logIn("reader2", password("reader2"));

        first.post(OFFER, "/main/scrap/add.nhn", ARTICLE);

        assertThat(first.get(SCRAPS).body()).contains(ARTICLE_LINK);
        assertThat(first.get("/fragment/scrap-count").body()).contains(">1<");
        assertThat(second.get(SCRAPS).body()).contains("Nothing kept yet");
        assertThat(second.get("/fragment/scrap-count").body()).contains(">0<");

        first.post(SCRAPS, "/main/scrap/remove.nhn", ARTICLE);

        assertThat(first.get(SCRAPS).body()).contains("Nothing kept yet");
    }

    @Test
    void keepingAnArticleTwiceKeepsItOnce() {
        first.logIn("reader2", password("reader2"));

        first.post(OFFER, "/main/scrap/add.nhn", ARTICLE);
        var again = first.post(SCRAPS, "/main/scrap/add.nhn", ARTICLE);

        assertThat(again.statusCode()).isEqualTo(302);
        assertThat(first.get("/fragment/scrap-count").body()).contains(">1<");
        first.post(SCRAPS, "/main/scrap/remove.nhn", ARTICLE);
    }

    @Test
    void anArticleThatDoesNotExistCannotBeKept() {
        first.logIn("reader1", password("reader1"));

        var answer =
                first.post(
                        SCRAPS, "/main/scrap/add.nhn", Map.of("oid", "014", "aid", "0000099999"));

        assertThat(answer.statusCode()).isEqualTo(404);
    }

    @Test
    void aFormWithoutTokenIsRefused() {
        first.logIn("reader1", password("reader1"));

        assertThat(first.post("/main/scrap/add.nhn", ARTICLE).statusCode()).isEqualTo(403);
    }

    @Test
    void onlyPrivatePartsKnowWhoReads() {
        first.logIn("reader1", password("reader1"));

        assertThat(first.getAsSurrogate("/fragment/greeting").body()).contains("reader1");
        assertThat(first.getAsSurrogate("/main/home.nhn").body()).doesNotContain("reader1");
        assertThat(first.getAsSurrogate("/fragment/live").body()).doesNotContain("reader1");
        assertThat(first.getAsSurrogate(SCRAPS).headers().firstValue("Cache-Control"))
                .hasValue("private, no-store");
    }

    @Test
    void afterLoggingOutNobodyIsGreeted() {
        first.logIn("reader1", password("reader1"));

        first.post(SCRAPS, "/logout", Map.of());

        assertThat(first.get("/fragment/greeting").body()).doesNotContain("reader1");
        assertThat(first.get(SCRAPS).statusCode()).isEqualTo(302);
    }

    private String password(String reader) {
        return Objects.requireNonNull(properties.readers().get(reader), reader);
    }
}
