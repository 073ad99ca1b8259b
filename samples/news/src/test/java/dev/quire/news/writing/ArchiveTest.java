package dev.quire.news.writing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.article.Article;
import dev.quire.news.place.Atlas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ArchiveTest {
    private static final int SHORTEST_PARAGRAPH = 20;

    private static final List<Article> ARTICLES = new ArrayList<>();

    @BeforeAll
    static void write() {
        new Archive(Atlas.load()).write(ARTICLES::addAll);
    }

    @Test
    void thereAreTwentyThousandArticlesWithNamesOfTheirOwn() {
        var names = ARTICLES.stream().map(Article::id).distinct().count();

        assertThat(ARTICLES).hasSize(20_000);
        assertThat(names).isEqualTo(20_000);
    }

    @Test
    void noParagraphOccursTwice() {
        var seen = new HashSet<String>();

        var repeated =
                ARTICLES.stream()
                        .flatMap(article -> article.paragraphs().stream())
                        .filter(paragraph -> !seen.add(paragraph))
                        .toList();

        assertThat(repeated).isEmpty();
        assertThat(seen).hasSize(100_000);
    }

    @Test
    void noHeadlineStandsAboveTheSameStandfirstTwice() {
        var headlines = new HashSet<String>();

        var repeated =
                ARTICLES.stream()
                        .map(article -> article.headline() + " " + article.standfirst())
                        .filter(headline -> !headlines.add(headline))
                        .toList();

        assertThat(repeated).isEmpty();
    }

    @Test
    void everyParagraphHasSomethingToSay() {
        var tooShort =
                ARTICLES.stream()
                        .flatMap(article -> article.paragraphs().stream())
                        .filter(paragraph -> words(paragraph) < SHORTEST_PARAGRAPH)
                        .toList();

        assertThat(tooShort).isEmpty();
    }

    @Test
    void everyTextIsWholeSentencesWithAllFactsFilledIn() {
        var broken =
                ARTICLES.stream()
                        .flatMap(article -> article.paragraphs().stream())
                        .filter(paragraph ->
                                !paragraph.matches("(?s)[\\p{Lu}0-9−“].*[.”]")
                                        || paragraph.contains("  ")
                                        || paragraph.matches("(?s).*[{}\\[\\]|].*"))
                        .toList();

        assertThat(broken).isEmpty();
    }

    @Test
    void theArchiveIsTheSameEachTimeItIsWritten() {
        var again = new ArrayList<Article>();

        new Archive(Atlas.load()).write(again::addAll);

        assertThat(again).isEqualTo(ARTICLES);
    }

    private static int words(String paragraph) {
        return paragraph.split("\\s+", -1).length;
    }
}
