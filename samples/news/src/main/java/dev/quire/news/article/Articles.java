package dev.quire.news.article;

import dev.quire.news.place.Region;
import dev.quire.spring.invalidate.InvalidatesFragments;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The stored articles. Lists are newest first unless stated otherwise. */
@Repository
public class Articles {
    private static final String PARAGRAPH_END = "\n\n";
    private static final int INSERT_BATCH = 500;

    private final JdbcClient client;
    private final JdbcTemplate batches;

    Articles(JdbcClient client, JdbcTemplate batches) {
        this.client = client;
        this.batches = batches;
    }

    /** Returns the number of articles. */
    public long count() {
        return client.sql("select count(*) from article").query(Long.class).single();
    }

    /** Returns the number of articles in {@code section}. */
    public long count(Section section) {
        return client.sql("select count(*) from article where sid = ?")
                .param(section.sid())
                .query(Long.class)
                .single();
    }

    public Optional<Article> find(ArticleId id) {
        return client.sql(
                        """
                        select oid, aid, sid, election, published, headline, standfirst, body
                        from article where oid = ? and aid = ?
                        """)
                .params(id.oid(), id.aid())
                .query(Articles::article)
                .optional();
    }

    /** At most {@code limit} articles of {@code section}, after leaving out {@code offset}. */
    public List<Summary> latest(Section section, int limit, int offset) {
        return client.sql(
                        """
                        select oid, aid, sid, published, headline, standfirst
                        from article where sid = ?
                        order by published desc, aid desc limit ? offset ?
                        """)
                .params(section.sid(), limit, offset)
                .query(Articles::summary)
                .list();
    }

    /** At most {@code limit} articles on the election, after leaving out {@code offset}. */
    public List<Summary> latestOnElection(int limit, int offset) {
        return client.sql(
                        """
                        select oid, aid, sid, published, headline, standfirst
                        from article where election = true
                        order by published desc, aid desc limit ? offset ?
                        """)
                .params(limit, offset)
                .query(Articles::summary)
                .list();
    }

    /** The newest election article that {@code newsroom} wrote. */
    public Optional<Summary> latestOnElection(Region newsroom) {
        return client.sql(
                        """
                        select oid, aid, sid, published, headline, standfirst
                        from article where election = true and sid = ? and oid = ?
                        order by published desc, aid desc limit 1
                        """)
                .params(Section.POLITICS.sid(), newsroom.oid())
                .query(Articles::summary)
                .optional();
    }

    /** Other articles of the same newsroom and section as {@code article}. */
    List<Summary> related(Article article, int limit) {
        return client.sql(
                        """
                        select oid, aid, sid, published, headline, standfirst
                        from article where sid = ? and oid = ? and aid <> ?
                        order by published desc, aid desc limit ?
                        """)
                .params(article.section().sid(), article.id().oid(), article.id().aid(), limit)
                .query(Articles::summary)
                .list();
    }

    /** The articles read most often, with their number of reads. */
    List<ReadArticle> mostRead(int limit) {
        return client.sql(
                        """
                        select a.oid, a.aid, a.sid, a.published, a.headline, a.standfirst, r.reads
                        from article_read r join article a on a.aid = r.aid
                        order by r.reads desc, r.aid desc limit ?
                        """)
                .param(limit)
                .query((row, number) -> new ReadArticle(summary(row, number), row.getLong("reads")))
                .list();
    }

    /** Ids of all articles, in the order they were written. */
    public List<ArticleId> ids() {
        return client.sql("select oid, aid from article order by aid")
                .query((row, number) -> new ArticleId(row.getString("oid"), row.getString("aid")))
                .list();
    }

    /**
     * Stores a new article, whose id must be new, and invalidates the lists of its section and
     * newsroom and the front page.
     */
    @InvalidatesFragments(
            tags = {
                "section-#{#article.section().sid()}",
                "newsroom-#{#article.id().oid()}-#{#article.section().sid()}",
                "home",
                "sitemap",
                "#{#article.election() ? 'election-stories' : null}"
            })
    public void publish(Article article) {
        add(List.of(article));
    }

    /**
     * Replaces the text of an article. All pages and fragments that show any of it carry its tag.
     */
    @InvalidatesFragments(tags = "article-#{#article.id().aid()}")
    public void rewrite(Article article) {
        client.sql("update article set headline = ?, standfirst = ?, body = ? where aid = ?")
                .params(
                        article.headline(),
                        article.standfirst(),
                        String.join(PARAGRAPH_END, article.paragraphs()),
                        article.id().aid())
                .update();
    }

    /** Returns the next free id for {@code newsroom}. It is not reserved. */
    public ArticleId nextId(Region newsroom) {
        var last = client.sql("select max(aid) from article").query(String.class).single();
        return new ArticleId(newsroom.oid(), "%010d".formatted(Long.parseLong(last) + 1));
    }

    /** When the newest article was published: the night has no other clock. */
    public LocalDateTime lastPublished() {
        return client.sql("select max(published) from article").query(LocalDateTime.class).single();
    }

    /** Stores {@code articles}, whose ids must be new. */
    public void add(List<Article> articles) {
        batches.batchUpdate(
                """
                insert into article
                    (oid, aid, sid, election, published, headline, standfirst, body)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                articles,
                INSERT_BATCH,
                (statement, article) -> {
                    statement.setString(1, article.id().oid());
                    statement.setString(2, article.id().aid());
                    statement.setInt(3, article.section().sid());
                    statement.setBoolean(4, article.election());
                    statement.setTimestamp(5, Timestamp.valueOf(article.published()));
                    statement.setString(6, article.headline());
                    statement.setString(7, article.standfirst());
                    statement.setString(8, String.join(PARAGRAPH_END, article.paragraphs()));
                });
    }

    /**
     * Gives every 97th article some reads, election articles more than others, so that the list of
     * most read does not start empty.
     */
    public void seedReads() {
        record Row(String aid, boolean election) {}

        var rows =
                client.sql("select aid, election from article order by aid")
                        .query((row, number) ->
                                new Row(row.getString("aid"), row.getBoolean("election")))
                        .list();
        for (int i = 0; i < rows.size(); i += 97) {
            long reads = 640 + i * 7_919L % 28_611;
            addReads(rows.get(i).aid, rows.get(i).election ? reads * 3 / 2 : reads);
        }
    }

    /** Adds {@code reads} to the reads of the article {@code aid}. */
    void addReads(String aid, long reads) {
        int changed =
                client.sql("update article_read set reads = reads + ? where aid = ?")
                        .params(reads, aid)
                        .update();
        if (changed == 0) {
            client.sql("insert into article_read (aid, reads) values (?, ?)")
                    .params(aid, reads)
                    .update();
        }
    }

    private static Article article(ResultSet row, int number) throws SQLException {
        var summary = summary(row, number);
        return new Article(
                summary.id(),
                summary.section(),
                row.getBoolean("election"),
                summary.published(),
                summary.headline(),
                summary.standfirst(),
                List.of(row.getString("body").split(PARAGRAPH_END, -1)));
    }

    /** One row of {@code oid, aid, sid, published, headline, standfirst}. */
    public static Summary summary(ResultSet row, int number) throws SQLException {
        int sid = row.getInt("sid");
        return new Summary(
                new ArticleId(row.getString("oid"), row.getString("aid")),
                Section.ofSid(sid)
                        .orElseThrow(() ->
                                new IllegalStateException("there is no section with sid " + sid)),
                row.getObject("published", LocalDateTime.class),
                row.getString("headline"),
                row.getString("standfirst"));
    }
}
