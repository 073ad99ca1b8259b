package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/** Generates the 500 posts of the blog with their comments, the same each time. */
public final class Notebook {
    /** How many posts there are; they are numbered from 1, the oldest. */
    public static final int POSTS = 500;

    private static final LocalDate FIRST_DAY = LocalDate.of(2011, 8, 1);
    private static final int FEWEST_COMMENTS = 12;
    private static final int MOST_COMMENTS = 30;

    private final Atlas atlas;

    /**
     * A post.
     *
     * @param author a first name
     */
    public record Note(
            int number,
            String category,
            String author,
            LocalDateTime published,
            String title,
            String summary,
            List<String> paragraphs,
            List<String> tags,
            List<Remark> remarks) {}

    /** A comment. */
    public record Remark(String name, LocalDateTime written, String text) {}

    /** A subject of posts, with the file of its wordings. */
    private enum Topic {
        MILLS("Mills", "blog-mill", "fibre", "Haneul"),
        BINDING("Binding", "blog-binding", "thread", "Minji"),
        INK("Ink", "blog-ink", "ink", "Jun"),
        TYPE("Type", "blog-type", "used", "Sora"),
        FOUND("Found", "blog-found", "thing", "Ines");

        final String title;
        final String file;

        /** The fact that is a tag. */
        final String subject;

        final String author;

        Topic(String title, String file, String subject, String author) {
            this.title = title;
            this.file = file;
            this.subject = subject;
            this.author = author;
        }
    }

    public Notebook(Atlas atlas) {
        this.atlas = atlas;
    }

    /** Writes all posts, the oldest first. */
    public List<Note> write() {
        var writers = new ArrayList<Writer>();
        for (var topic : Topic.values()) {
            writers.add(new Writer(topic.name(), topic.file, atlas));
        }
        var readers = new Writer("COMMENT", "blog-comment", atlas);
        var notes = new ArrayList<Note>(POSTS);
        int written = 0;
        for (int number = 1; number <= POSTS; number++) {
            int topic = number % writers.size();
            var note =
                    note(
                            number,
                            Topic.values()[topic],
                            writers.get(topic).text(number / writers.size()),
                            readers,
                            written);
            written += note.remarks().size();
            notes.add(note);
        }
        return notes;
    }

    private static Note note(
            int number, Topic topic, Writer.Text text, Writer readers, int written) {
        var dice = Dice.of("POST", number);
        var published =
                FIRST_DAY.plusDays(number - 1L).atTime(dice.between(7, 22), dice.between(0, 59));
        var remarks = new ArrayList<Remark>();
        int count = dice.between(FEWEST_COMMENTS, MOST_COMMENTS);
        var when = published;
        for (int remark = 0; remark < count; remark++) {
            when = when.plusMinutes(dice.between(11, 700));
            var words = readers.text(written + remark);
            remarks.add(new Remark(words.headline(), when, dice.oneOf(words.paragraphs())));
        }
        return new Note(
                number,
                topic.title,
                topic.author,
                published,
                text.headline(),
                text.standfirst(),
                text.paragraphs(),
                List.of(
                        text.facts().value(topic.subject, String.class),
                        text.town().region().english()),
                remarks);
    }
}
