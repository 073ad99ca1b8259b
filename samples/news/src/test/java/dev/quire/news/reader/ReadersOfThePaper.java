package dev.quire.news.reader;

import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.GREETING;
import static dev.quire.news.Paper.KEPT_ARTICLES;
import static dev.quire.news.Paper.LIVE_COUNT;
import static dev.quire.news.Paper.SCRAP_COUNT;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.test.EsiSite;
import dev.quire.test.Page;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of logged-in readers and their private pages. */
public abstract class ReadersOfThePaper {
    private static final String OFFER = KEPT_ARTICLES + "?oid=014&aid=0000004665";
    private static final Map<String, String> ARTICLE = Map.of("oid", "014", "aid", "0000004665");
    private static final String KEPT = "a[href='/main/read.nhn?oid=014&aid=0000004665']";
    private static final String KEEP_IT = "form[action='/main/scrap/add.nhn']";
    private static final String REMOVE = "form[action='/main/scrap/remove.nhn']";
    private static final String LOG_OUT = "form[action='/logout']";

    @Autowired ReaderProperties properties;
    @Autowired JdbcClient database;

    @AfterEach
    void throwAwayWhatIsKept() {
        database.sql("delete from scrap").update();
    }

    @Test
    void keptArticlesNeedALogin(EsiSite site) {
        assertThat(site.get(KEPT_ARTICLES)).hasStatus(302).redirectsTo("/login");
    }

    @Test
    void theLoginPageShowsTheAccounts(EsiSite site) {
        var page = site.get("/login");

        assertThat(properties.readers()).containsOnlyKeys("reader1", "reader2");
        properties.readers().forEach((name, password) -> assertThat(page).contains(name, password));
        assertThat(properties.editors()).containsOnlyKeys("editor1", "editor2");
        properties.editors().forEach((name, password) -> assertThat(page).contains(name, password));
    }

    @Test
    void aWrongPasswordIsRefused(EsiSite site) {
        var answer = logIn(site, "reader1", "nonsense");

        assertThat(answer).redirectsTo("/login?error");
        assertThat(site.follow(answer)).contains("Wrong name or password");
        assertThat(site.get(KEPT_ARTICLES)).redirectsTo("/login");
    }

    @Test
    void whoWantedToKeepAnArticleIsAskedAboutItAfterTheLogin(EsiSite site) {
        site.get(OFFER);

        var answer = logIn(site, "reader1", "paper-first");

        assertThat(answer.headers().first("Location")).contains("oid=014&aid=0000004665");
        assertThat(site.follow(answer)).hasElement(KEEP_IT);
    }

    @Test
    void eachReaderKeepsArticlesOfTheirOwn(EsiSite site) {
        var first = site.as(FIRST_READER);
        var second = site.as(SECOND_READER);

        first.submit(first.get(OFFER), KEEP_IT, Map.of());

        assertThat(first.get(KEPT_ARTICLES)).hasElement(KEPT);
        assertThat(first.get(SCRAP_COUNT)).hasText(".badge", "1");
        assertThat(second.get(KEPT_ARTICLES)).contains("Nothing kept yet");
        assertThat(second.get(SCRAP_COUNT)).hasText(".badge", "0");

        first.submit(first.get(KEPT_ARTICLES), REMOVE, Map.of());

        assertThat(first.get(KEPT_ARTICLES)).contains("Nothing kept yet");
    }

    @Test
    void keepingAnArticleTwiceKeepsItOnce(EsiSite site) {
        var reader = site.as(SECOND_READER);
        var offer = reader.get(OFFER);

        reader.submit(offer, KEEP_IT, Map.of());
        var again = reader.submit(offer, KEEP_IT, Map.of());

        assertThat(again).hasStatus(302).redirectsTo(KEPT_ARTICLES);
        assertThat(reader.get(SCRAP_COUNT)).hasText(".badge", "1");
    }

    @Test
    void anArticleThatDoesNotExistCannotBeKept(EsiSite site) {
        var reader = site.as(FIRST_READER);

        var answer = reader.submit(reader.get(OFFER), KEEP_IT, Map.of("aid", "0000099999"));

        assertThat(answer).hasStatus(404);
    }

    @Test
    void aFormWithoutTokenIsRefused(EsiSite site) {
        assertThat(site.as(FIRST_READER).post("/main/scrap/add.nhn", ARTICLE)).hasStatus(403);
    }

    @Test
    void onlyPrivatePartsKnowWhoReads(EsiSite site) {
        var reader = site.as(FIRST_READER);

        assertThat(reader.ask(GREETING).text()).contains("reader1");
        assertThat(reader.ask(FRONT_PAGE).text()).doesNotContain("reader1");
        assertThat(reader.ask(LIVE_COUNT).text()).doesNotContain("reader1");
        assertThat(reader.ask(KEPT_ARTICLES).field("Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void nobodySeesAnythingOfAnother(EsiSite site) {
        assertThat(site)
                .keepsApart(FRONT_PAGE, FIRST_READER, SECOND_READER)
                .keepsApart(KEPT_ARTICLES, FIRST_READER, SECOND_READER);
    }

    @Test
    void afterLoggingOutNobodyIsGreeted(EsiSite site) {
        var reader = site.as(FIRST_READER);

        reader.submit(reader.get(KEPT_ARTICLES), LOG_OUT, Map.of());

        assertThat(reader.get(GREETING)).contains("Log in").doesNotContain("reader1");
        assertThat(reader.get(KEPT_ARTICLES)).redirectsTo("/login");
    }

    private static Page logIn(EsiSite site, String name, String password) {
        return site.submit(
                site.get("/login"), "form", Map.of("username", name, "password", password));
    }
}
