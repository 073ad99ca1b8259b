package dev.quire.news.article;

import dev.quire.news.place.Region;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** An article as it stands in a list: everything but its paragraphs. */
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

    /** The address of the article's page, from the root of the site. */
    public String url() {
        return "/main/read.nhn?oid=" + id.oid() + "&aid=" + id.aid();
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
