package dev.quire.news.blog;

import java.io.Serializable;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** A stored post with its author. */
record Post(
        int number,
        String author,
        String about,
        LocalDateTime published,
        String title,
        String summary,
        List<String> paragraphs)
        implements Serializable {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("d MMMM yyyy", Locale.ENGLISH);

    /** Returns the path of its page. */
    public String url() {
        return "/blog/" + number + "/";
    }

    public String day() {
        return DAY.format(published);
    }
}
