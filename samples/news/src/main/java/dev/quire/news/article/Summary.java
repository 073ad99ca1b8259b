package dev.quire.news.article;

import dev.quire.news.place.Region;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Locale;

/** An article for lists: everything but its paragraphs. */
public record Summary(
        ArticleId id,
        Section section,
        LocalDateTime published,
        String headline,
        String standfirst) {
    private static final DateTimeFormatter SHORT =
            DateTimeFormatter.ofPattern("d MMM, HH:mm", Locale.ENGLISH);
    private static final DateTimeFormatter LONG =
            DateTimeFormatter.ofPattern("EEEE d MMMM yyyy, HH:mm", Locale.ENGLISH);

    /** Returns the tag of pages and fragments that show the article {@code id}. */
    public static String tag(ArticleId id) {
        return "article-" + id.aid();
    }

    /** Returns the tags of pages and fragments that show {@code articles}. */
    public static String[] tags(Collection<Summary> articles) {
        return articles.stream().map(article -> tag(article.id())).toArray(String[]::new);
    }

    /** Returns the path and query of the article's page. */
    public String url() {
        return id.url();
    }

    public String shortTime() {
        return SHORT.format(published);
    }

    public String longTime() {
        return LONG.format(published);
    }

    /** English name of the region whose newsroom wrote it. */
    public String newsroom() {
        return Region.ofOid(id.oid()).map(Region::english).orElse("National");
    }

    /** An inline SVG picture for this article: always the same one. */
    public String illustration() {
        return Illustration.of(section, Long.parseLong(id.aid()));
    }
}
