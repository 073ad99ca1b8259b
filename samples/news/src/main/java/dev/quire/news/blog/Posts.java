package dev.quire.news.blog;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The stored posts. Each public method that reads is one statement, whose result the object cache
 * keeps. The counter {@code news.blog.statements} has the number of executed statements.
 */
@Repository
class Posts {
    static final String PARAGRAPH_END = "\n\n";

    private final JdbcClient client;
    private final Counter statements;

    Posts(JdbcClient client, MeterRegistry registry) {
        this.client = client;
        this.statements =
                Counter.builder("news.blog.statements")
                        .description("Statements for pages of the blog")
                        .register(registry);
    }

    /** Numbers of {@code limit} posts: the one asked for, the older ones, then the newest. */
    @Cacheable("blog-numbers")
    public List<Integer> from(int number, int limit) {
        return read("""
        select number from blog_post
        order by case when number <= ? then 0 else 1 end, number desc limit ?
        """)
                .params(number, limit)
                .query((row, index) -> row.getInt("number"))
                .list();
    }

    @Cacheable("blog-posts")
    public Post post(int number) {
        return read("""
        select p.number, a.name, a.about, p.published, p.title, p.summary, p.body
        from blog_post p join blog_author a on a.name = p.author
        where p.number = ?
        """)
                .param(number)
                .query((row, index) ->
                        new Post(
                                row.getInt("number"),
                                row.getString("name"),
                                row.getString("about"),
                                row.getObject("published", LocalDateTime.class),
                                row.getString("title"),
                                row.getString("summary"),
                                List.of(row.getString("body").split(PARAGRAPH_END, -1))))
                .single();
    }

    @Cacheable("blog-terms")
    public Terms terms(int post) {
        record Term(String kind, String name) {}

        var terms =
                read("select kind, name from blog_term where post = ? order by kind, name")
                        .param(post)
                        .query((row, index) ->
                                new Term(row.getString("kind"), row.getString("name")))
                        .list();
        var byKind =
                terms.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Term::kind,
                                        Collectors.mapping(Term::name, Collectors.toList())));
        return new Terms(
                byKind.getOrDefault("category", List.of("")).getFirst(),
                new ArrayList<>(byKind.getOrDefault("tag", List.of())));
    }

    /** Returns the settings of a post by name. */
    @Cacheable("blog-meta")
    public Map<String, String> meta(int post) {
        return read("select name, content from blog_meta where post = ?")
                .param(post)
                .query((row, index) -> Map.entry(row.getString("name"), row.getString("content")))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Returns the comments on a post, the oldest first. */
    @Cacheable("blog-comments")
    public List<Comment> comments(int post) {
        return read("""
        select name, written, content from blog_comment
        where post = ? order by written
        """)
                .param(post)
                .query((row, index) ->
                        new Comment(
                                row.getString("name"),
                                row.getObject("written", LocalDateTime.class),
                                row.getString("content")))
                .list();
    }

    @Cacheable("blog-comment-counts")
    public long countComments(int post) {
        return read("select count(*) from blog_comment where post = ?")
                .param(post)
                .query(Long.class)
                .single();
    }

    private JdbcClient.StatementSpec read(String statement) {
        statements.increment();
        return client.sql(statement);
    }

    /** Whether there are no posts. */
    boolean isEmpty() {
        return client.sql("select count(*) from blog_post").query(Long.class).single() == 0;
    }
}
