package dev.quire.news.article;

import java.time.LocalDateTime;
import java.util.List;

/**
 * An article as it is stored and printed.
 *
 * @param published in Korean time
 * @param election true if it belongs to the election pages too
 * @param paragraphs in order, plain text
 */
public record Article(
        ArticleId id,
        Section section,
        boolean election,
        LocalDateTime published,
        String headline,
        String standfirst,
        List<String> paragraphs) {
    public Article {
        paragraphs = List.copyOf(paragraphs);
    }

    /** Returns the summary of this article for lists. */
    public Summary summary() {
        return new Summary(id, section, published, headline, standfirst);
    }
}
