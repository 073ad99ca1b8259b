package dev.quire.news.editor;

import static dev.quire.news.Paper.AN_ARTICLE;
import static dev.quire.news.Paper.EDITOR;
import static dev.quire.news.Paper.ELECTION_NEWS;
import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FOOTER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.GREETING;
import static dev.quire.news.Paper.MAP;
import static dev.quire.news.Paper.MOST_READ;
import static dev.quire.news.Paper.NEWSROOM;
import static dev.quire.news.Paper.POLITICS;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.news.Paper.THE_CANDIDATES;
import static dev.quire.news.Paper.THE_ELECTION;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.article.Summary;
import dev.quire.test.EsiSite;
import dev.quire.test.Page;
import dev.quire.test.spring.RecordingSurrogateClient;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An editor saves: pages that show the article are new on the next request, all others stay cached.
 */
public abstract class Newsroom {
    private static final String SPORT = "/main.nhn?mode=LSD&sid=107";
    private static final String OLD_ECONOMY = "/main.nhn?mode=LSD&sid=101&page=40";
    private static final Pattern LINK =
            Pattern.compile("/main/read\\.nhn\\?oid=([0-9]{3})&aid=([0-9]{10})");

    /** Pages and fragments that show nothing of an article on the economy. */
    private static final List<String> ELSEWHERE =
            List.of(
                    SPORT,
                    OLD_ECONOMY,
                    THE_ELECTION,
                    THE_CANDIDATES,
                    AN_ARTICLE,
                    FOOTER,
                    "/fragment/headline",
                    MAP,
                    "/sitemap.xml");

    @Autowired Articles articles;
    @Autowired JdbcClient database;
    @Autowired RecordingSurrogateClient invalidations;

    /** Restores the number of articles and removes all kept ones for the next test. */
    @AfterEach
    void takeBackWhatWasPublished() {
        database.sql("delete from scrap").update();
        database.sql(
                        "delete from article_revision where number = 1 and aid in (select aid from article where headline = 'The last ballot box is open')")
                .update();
        database.sql("delete from article where headline = 'The last ballot box is open'").update();
    }

    @Test
    void aSavedArticleIsNewOnTheNextRequestAndAllElseIsStillStored(EsiSite site) {
        var article = newest(Section.ECONOMY);
        var shown = List.of(article.url(), FRONT_PAGE, "/main.nhn?mode=LSD&sid=101");
        read(site, shown, ELSEWHERE, List.of(MOST_READ));

        var answer = save(site, article, "Prices fall at the fish market");

        assertThat(answer).hasStatus(302).redirectsTo(article.url());
        assertThat(invalidations).containsOnlyTags("article-" + article.id().aid());
        for (var path : shown) {
            assertThat(site.get(path))
                    .contains("Prices fall at the fish market")
                    .document()
                    .wasMiss();
        }
        assertStored(site, ELSEWHERE, List.of(MOST_READ));
    }

    @Test
    void theRankingIsNewWhenAnArticleInItIsSaved(EsiSite site) {
        var first = firstOfTheRanking(site);
        var shown = List.of(first.url(), MOST_READ);
        read(site, shown, ELSEWHERE);

        save(site, first, "The story of the night");

        for (var path : shown) {
            assertThat(site.get(path)).contains("The story of the night");
        }
        assertStored(site, List.of(SPORT, FOOTER, MAP));
    }

    @Test
    void aNewArticleLeadsItsListsOnTheNextRequest(EsiSite site) {
        var lists = List.of(FRONT_PAGE, ELECTION_NEWS, POLITICS);
        var others = List.of(SPORT, MOST_READ, FOOTER);
        read(site, lists, others);
        var editor = site.as(EDITOR);

        var answer =
                editor.submit(
                        editor.get("/editor/new.nhn"),
                        "form.sheet",
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
                                "It was unexpected.\r\n\r\nThen it was there."));

        assertThat(answer).hasStatus(302);
        for (var path : lists) {
            assertThat(site.get(path)).contains("The last ballot box is open");
        }
        assertThat(site.follow(answer))
                .contains("<p>It was unexpected.</p>", "<p>Then it was there.</p>");
        assertStored(site, others);
        assertThat(invalidations)
                .containsOnlyTags(
                        "section-100", "newsroom-001-100", "home", "sitemap", "election-stories");
    }

    @Test
    void aSaveThatIsRolledBackInvalidatesNothing(EsiSite site) {
        var article = newest(Section.SOCIETY);
        var shown = List.of(article.url(), FRONT_PAGE, "/main.nhn?mode=LSD&sid=102");
        var editor = site.as(EDITOR);
        var form = editor.get(formOf(article));
        submit(editor, form, "The first of two to save");
        read(site, shown, ELSEWHERE);
        invalidations.forget();

        var answer = submit(editor, form, "The second, who is too late");

        assertThat(answer)
                .hasStatus(409)
                .contains("Another editor has saved this article", "The second, who is too late");
        assertThat(answer.document().headers().contains("Cache-Group-Invalidation")).isFalse();
        assertThat(invalidations).sentNothing();
        assertStored(site, shown, ELSEWHERE);
        assertThat(site.get(article.url())).contains("The first of two to save");
    }

    @Test
    void whatCanBeDoneWithAnArticleIsStoredOnceForEachKindOfReader(EsiSite site) {
        var article = newest(Section.LIFE);
        var tools = article.url().replace("/main/read.nhn", "/fragment/tools");
        var reader = site.as(SECOND_READER);
        for (var somebody : List.of(site, site.as(FIRST_READER), site.as(EDITOR))) {
            assertThat(somebody.get(tools)).hasStatus(200).document().wasMiss();
        }

        for (var somebody : List.of(site, site.as(FIRST_READER), reader, site.as(EDITOR))) {
            assertThat(somebody.get(tools)).document().isPublic().wasHit();
        }
        assertThat(site.get(article.url()))
                .contains(">Keep this article</a>")
                .doesNotContain("<form", "Edit this article");
        assertThat(site.as(EDITOR).get(article.url()))
                .contains(">Keep this article</button>", formOf(article).replace("&", "&amp;"));
        assertThat(reader.get(article.url())).doesNotContain("Edit this article");

        var kept = reader.submit(reader.get(article.url()), ".tools form", Map.of());

        assertThat(kept).hasStatus(302);
        assertThat(reader.follow(kept)).contains(article.url().replace("&", "&amp;"));
    }

    @Test
    void onlyEditorsComeIntoTheNewsroom(EsiSite site) {
        assertThat(site.get(NEWSROOM)).redirectsTo("/login");
        assertThat(site.as(FIRST_READER).get(NEWSROOM)).hasStatus(403);
        assertThat(site.as(FIRST_READER).get(GREETING)).doesNotContain("Newsroom");
        assertThat(site.as(EDITOR).get(GREETING)).contains(NEWSROOM);
        assertThat(site.as(EDITOR).get(NEWSROOM)).hasStatus(200).isNotStored();
        assertThat(site.as(EDITOR).post("/editor/edit.nhn", Map.of("oid", "001"))).hasStatus(403);
    }

    static Page save(EsiSite site, Summary article, String headline) {
        var editor = site.as(EDITOR);
        return submit(editor, editor.get(formOf(article)), headline);
    }

    static String formOf(Summary article) {
        return "/editor/edit.nhn?oid=" + article.id().oid() + "&aid=" + article.id().aid();
    }

    private static Page submit(EsiSite editor, Page form, String headline) {
        return editor.submit(
                form,
                "form.sheet",
                Map.of("headline", headline, "body", "One paragraph.\r\n\r\nAnother one."));
    }

    private Summary newest(Section section) {
        return articles.latest(section, 1, 0).getFirst();
    }

    private Summary firstOfTheRanking(EsiSite site) {
        var address = URI.create(site.get(MOST_READ).dom().select("li a").attr("href"));
        var link = LINK.matcher(address.toString());
        assertThat(link.matches()).as("%s", address).isTrue();
        return articles.find(new ArticleId(link.group(1), link.group(2))).orElseThrow().summary();
    }

    /** Requests each path, so that it is stored. */
    @SafeVarargs
    static void read(EsiSite site, List<String>... paths) {
        for (var several : paths) {
            several.forEach(path -> assertThat(site.get(path)).hasStatus(200));
        }
        assertStored(site, paths);
    }

    @SafeVarargs
    static void assertStored(EsiSite site, List<String>... paths) {
        for (var several : paths) {
            several.forEach(path -> assertThat(site.get(path)).document().wasHit());
        }
    }
}
