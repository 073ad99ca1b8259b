package dev.quire.news.writing;

import dev.quire.news.article.Article;
import dev.quire.news.article.ArticleId;
import dev.quire.news.place.Atlas;
import dev.quire.news.place.District;
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
            var manuscript = Manuscript.read(story.file());
            var research = new Research(manuscript, atlas, Dice.of(story, 0));
            var batch = new ArrayList<Article>(story.articles());
            for (int number = 0; number < story.articles(); number++) {
                batch.add(write(story, manuscript, research, number, aid++));
            }
            printer.accept(batch);
        }
    }

    private static Article write(
            Story story, Manuscript manuscript, Research research, int number, int aid) {
        var dice = Dice.of(story, number);
        var facts = research.facts(number, dice);
        var district = facts.value("town", District.class);
        facts.with("district", district.name()).with("region", district.region().english());
        return new Article(
                new ArticleId(district.region().oid(), "%010d".formatted(aid)),
                story.section(),
                story.isOnElection(),
                facts.value("published", LocalDateTime.class),
                dice.oneOf(manuscript.headline()).tell(facts, dice),
                dice.oneOf(manuscript.standfirst()).tell(facts, dice),
                manuscript.paragraphs().stream()
                        .map(paragraph -> dice.oneOf(paragraph).tell(facts, dice))
                        .toList());
    }
}
