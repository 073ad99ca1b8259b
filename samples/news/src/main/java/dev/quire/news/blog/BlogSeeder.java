package dev.quire.news.blog;

import dev.quire.news.place.Atlas;
import dev.quire.news.writing.Notebook;
import dev.quire.news.writing.Notebook.Note;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/** Fills an empty blog with the posts of {@link Notebook}, before the first request can arrive. */
@Component
@DependsOnDatabaseInitialization
class BlogSeeder implements SmartInitializingSingleton {
    private static final int WORDS_PER_MINUTE = 180;
    private static final Map<String, String> AUTHORS =
            Map.of(
                    "Haneul", "runs the small press in the basement and owns more boots than shoes",
                    "Minji",
                            "binds books, other people's first and her own when there is time left",
                    "Jun", "mixes inks, and has given up on white shirts",
                    "Sora", "looks after the type, and knows which letters are missing",
                    "Ines", "reads old books for what other readers left in them");

    private final Posts posts;
    private final JdbcTemplate database;
    private final Atlas atlas;
    private final TransactionOperations transaction;

    BlogSeeder(Posts posts, JdbcTemplate database, Atlas atlas, TransactionOperations transaction) {
        this.posts = posts;
        this.database = database;
        this.atlas = atlas;
        this.transaction = transaction;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (posts.isEmpty()) {
            transaction.executeWithoutResult(status -> fill(new Notebook(atlas).write()));
        }
    }

    private void fill(List<Note> notes) {
        database.batchUpdate(
                "insert into blog_author (name, about) values (?, ?)",
                AUTHORS.entrySet().stream()
                        .map(author -> new Object[] {author.getKey(), author.getValue()})
                        .toList());
        insert(
                """
                insert into blog_post (number, author, published, title, summary, body)
                values (?, ?, ?, ?, ?, ?)
                """,
                notes,
                note -> Stream.of(post(note)));
        insert(
                "insert into blog_term (post, kind, name) values (?, ?, ?)",
                notes,
                note ->
                        Stream.concat(
                                Stream.of(List.of(note.number(), "category", note.category())),
                                note.tags().stream()
                                        .map(tag -> List.of(note.number(), "tag", tag))));
        insert(
                "insert into blog_meta (post, name, content) values (?, ?, ?)",
                notes,
                note ->
                        Stream.of(
                                List.of(note.number(), "cover", Integer.toString(note.number())),
                                List.of(
                                        note.number(),
                                        "minutes",
                                        Integer.toString(minutes(note)))));
        insert(
                """
                insert into blog_comment (post, name, written, content) values (?, ?, ?, ?)
                """,
                notes,
                note ->
                        note.remarks().stream()
                                .map(remark ->
                                        List.of(
                                                note.number(),
                                                remark.name(),
                                                Timestamp.valueOf(remark.written()),
                                                remark.text())));
    }

    private static List<?> post(Note note) {
        return List.of(
                note.number(),
                note.author(),
                Timestamp.valueOf(note.published()),
                note.title(),
                note.summary(),
                String.join(Posts.PARAGRAPH_END, note.paragraphs()));
    }

    private static int minutes(Note note) {
        int words = String.join(" ", note.paragraphs()).split(" ", -1).length;
        return Math.max(1, Math.round((float) words / WORDS_PER_MINUTE));
    }

    private void insert(String statement, List<Note> notes, Function<Note, Stream<List<?>>> rows) {
        database.batchUpdate(statement, notes.stream().flatMap(rows).map(List::toArray).toList());
    }
}
