package dev.quire.news;

import static dev.quire.news.Paper.EDITOR;
import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.KEPT_ARTICLES;
import static dev.quire.news.Paper.SCRAP_COUNT;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.containers.QuireContainer;
import java.time.Instant;
import java.util.Map;
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

/** The site as in production: on PostgreSQL, behind the proxy in its container. */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
@NewsSiteTest
@Import(PostgresIT.Containers.class)
@DirtiesContext
class PostgresIT {
    @Autowired QuireContainer quire;
    @Autowired Articles articles;
    @Autowired JdbcClient database;

    private EsiSite site;

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

    /** Opens the site at the proxy's address. */
    @BeforeEach
    void open() {
        site = EsiSite.over(quire.url()).assembledBy(Assembling.APPLICATION);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void theFrontPageIsWhole() {
        assertThat(database.sql("select version()").query(String.class).single())
                .startsWith("PostgreSQL 15.");

        assertThat(site.get(FRONT_PAGE))
                .hasStatus(200)
                .contains("Live count", "Candidates", "Most read", "Log in")
                .hasNoEsiMarkup();
    }

    @Test
    void aReaderKeepsAnArticleOnce() {
        var article = articles.latest(Section.SCIENCE, 1, 0).getFirst();
        var reader = site.as(FIRST_READER);
        var offer =
                reader.get(
                        "%s?oid=%s&aid=%s"
                                .formatted(KEPT_ARTICLES, article.id().oid(), article.id().aid()));

        reader.submit(offer, ".offer form", Map.of());
        reader.submit(offer, ".offer form", Map.of());

        assertThat(reader.get(SCRAP_COUNT)).hasText(".badge", "1");
        assertThat(reader.get(KEPT_ARTICLES)).contains(article.url().replace("&", "&amp;"));
        reader.submit(reader.get(KEPT_ARTICLES), ".stories form", Map.of());
        assertThat(reader.get(KEPT_ARTICLES)).contains("Nothing kept yet");
    }

    /** The forms before it may have invalidated the front page for up to a second. */
    private void awaitFrontPageStored() {
        var end = Instant.now().plusSeconds(10);
        while (!String.valueOf(site.get(FRONT_PAGE).headers().first("Cache-Status"))
                .startsWith("quire; hit")) {
            assertThat(Instant.now()).isBefore(end);
        }
    }

    @Test
    void whatAnEditorSavesIsOnTheFrontPageAtOnceAndSavedOnlyOnce() {
        var article = articles.latest(Section.ECONOMY, 1, 0).getFirst();
        var editor = site.as(EDITOR);
        var form =
                editor.get(
                        "/editor/edit.nhn?oid=%s&aid=%s"
                                .formatted(article.id().oid(), article.id().aid()));
        awaitFrontPageStored();

        var saved =
                editor.submit(form, "form.sheet", Map.of("headline", "Prices fall at the harbour"));
        var again =
                editor.submit(
                        form, "form.sheet", Map.of("headline", "The second, who is too late"));

        assertThat(saved).hasStatus(302);
        assertThat(again).hasStatus(409);
        assertThat(site.get(FRONT_PAGE)).contains("Prices fall at the harbour");
        assertThat(site.get(article.url())).contains("Prices fall at the harbour");
    }
}
