package dev.quire.news.writing;

import dev.quire.news.article.Article;
import dev.quire.news.article.ArticleId;
import dev.quire.news.place.Atlas;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Generates the 20,000 articles of the paper, the same each time. */
public final class Archive {
    private final Atlas atlas;

    public Archive(Atlas atlas) {
        this.atlas = atlas;
    }

    /** How many articles there are. */
    public static int size() {
        return Arrays.stream(Story.values()).mapToInt(Story::articles).sum();
    }

    /** Writes all articles and passes them on in batches, one kind of story at a time. */
    public void write(Consumer<List<Article>> printer) {
        int aid = 1;
        for (Story story : Story.values()) {
            var writer = new Writer(story.name(), story.file(), atlas);
            var batch = new ArrayList<Article>(story.articles());
            for (int number = 0; number < story.articles(); number++) {
                batch.add(article(story, writer.text(number), aid++));
            }
            printer.accept(batch);
        }
    }

    private static Article article(Story story, Writer.Text text, int aid) {
        return new Article(
                new ArticleId(text.town().region().oid(), "%010d".formatted(aid)),
                story.section(),
                story.isOnElection(),
                text.facts().value("published", LocalDateTime.class),
                text.headline(),
                text.standfirst(),
                text.paragraphs());
    }
}
