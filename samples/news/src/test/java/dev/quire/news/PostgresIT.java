package dev.quire.news;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.test.containers.QuireContainer;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** The site as it would run in earnest: on PostgreSQL, behind the proxy in its container. */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
@NewsSiteTest
@Import(PostgresIT.Containers.class)
@DirtiesContext
class PostgresIT {
    private static final String HOME = "/main/home.nhn";
    private static final String SCRAPS = "/main/scrap/index.nhn";
    private static final Pattern REVISION = Pattern.compile("name=\"revision\" value=\"([0-9]+)\"");

    @Autowired QuireContainer quire;
    @Autowired Articles articles;
    @Autowired JdbcClient database;

    private Browser reader;
    private Browser editor;

    @TestConfiguration(proxyBeanMethods = false)
    static class Containers {

        @Bean
        @ServiceConnection
        PostgreSQLContainer postgres() {
            return new PostgreSQLContainer("postgres:15");
        }

        @Bean
        @ServiceConnection
        QuireContainer quire() {
            return new QuireContainer();
        }
    }

    @BeforeEach
    void open() {
        reader = new Browser(quire.url().getPort());
        editor = new Browser(quire.url().getPort());
    }

    @AfterEach
    void close() {
        reader.close();
        editor.close();
    }

    @Test
    void theFrontPageIsWhole() {
        assertThat(database.sql("select version()").query(String.class).single())
                .startsWith("PostgreSQL 15.");

        var page = reader.get(HOME);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("Live count", "Candidates", "Most read", "Log in")
                .doesNotContain("esi:");
    }

    @Test
    void aReaderKeepsAnArticleOnce() {
        var article = articles.latest(Section.SCIENCE, 1, 0).getFirst();
        var name = Map.of("oid", article.id().oid(), "aid", article.id().aid());
        var offer = SCRAPS + "?oid=" + article.id().oid() + "&aid=" + article.id().aid();
        reader.logIn("reader1", "paper-first");

        reader.post(offer, "/main/scrap/add.nhn", name);
        reader.post(SCRAPS, "/main/scrap/add.nhn", name);

        assertThat(reader.get("/fragment/scrap-count").body()).contains(">1<");
        assertThat(reader.get(SCRAPS).body()).contains(article.url().replace("&", "&amp;"));
        reader.post(SCRAPS, "/main/scrap/remove.nhn", name);
        assertThat(reader.get(SCRAPS).body()).contains("Nothing kept yet");
    }

    @Test
    void whatAnEditorSavesIsOnTheFrontPageAtOnceAndSavedOnlyOnce() {
        var article = articles.latest(Section.ECONOMY, 1, 0).getFirst();
        var form = "/editor/edit.nhn?oid=" + article.id().oid() + "&aid=" + article.id().aid();
        editor.logIn("editor1", "paper-night");
        var revision = REVISION.matcher(editor.get(form).body());
        assertThat(revision.find()).isTrue();
        reader.get(HOME);
        assertThat(status(reader.get(HOME))).startsWith("quire; hit");

        var saved = save(form, revision.group(1), "Prices fall at the harbour");
        var again = save(form, revision.group(1), "The second, who is too late");

        assertThat(saved.statusCode()).isEqualTo(302);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(reader.get(HOME).body()).contains("Prices fall at the harbour");
        assertThat(reader.get(article.url()).body()).contains("Prices fall at the harbour");
    }

    private HttpResponse<String> save(String form, String revision, String headline) {
        return editor.post(
                form,
                "/editor/edit.nhn",
                Map.of(
                        "oid",
                        parameter(form, "oid"),
                        "aid",
                        parameter(form, "aid"),
                        "revision",
                        revision,
                        "headline",
                        headline,
                        "standfirst",
                        "They had been rising since spring.",
                        "body",
                        "One paragraph.\r\n\r\nAnother one."));
    }

    private static String parameter(String target, String name) {
        var value = Pattern.compile("[?&]" + name + "=([0-9]+)").matcher(target);
        assertThat(value.find()).isTrue();
        return value.group(1);
    }

    private static String status(HttpResponse<String> answer) {
        return answer.headers().firstValue("Cache-Status").orElse("");
    }
}
