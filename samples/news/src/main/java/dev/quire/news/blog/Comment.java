package dev.quire.news.blog;

import java.io.Serializable;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** A reader's comment on a post. */
record Comment(String name, LocalDateTime written, String text) implements Serializable {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("d MMMM yyyy 'at' HH:mm", Locale.ENGLISH);

    public String time() {
        return TIME.format(written);
    }

    public String initial() {
        return name.substring(0, 1);
    }
}
