package dev.quire.news.reader;

import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Summary;
import java.util.List;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The kept articles of each reader. */
@Repository
class Scraps {
    private final JdbcClient client;

    Scraps(JdbcClient client) {
        this.client = client;
    }

    /** Last kept first. */
    List<Summary> of(String reader) {
        return client.sql(
                        """
                        select a.oid, a.aid, a.sid, a.published, a.headline, a.standfirst
                        from scrap s join article a on a.aid = s.aid
                        where s.reader = ?
                        order by s.added desc, s.aid desc
                        """)
                .param(reader)
                .query(Articles::summary)
                .list();
    }

    long count(String reader) {
        return client.sql("select count(*) from scrap where reader = ?")
                .param(reader)
                .query(Long.class)
                .single();
    }

    boolean has(String reader, ArticleId article) {
        return client.sql("select count(*) from scrap where reader = ? and aid = ?")
                        .params(reader, article.aid())
                        .query(Long.class)
                        .single()
                > 0;
    }

    /** Keeps an existing article; does nothing if it is already kept. */
    void add(String reader, ArticleId article) {
        try {
            client.sql("insert into scrap (reader, aid) values (?, ?)")
                    .params(reader, article.aid())
                    .update();
        } catch (DuplicateKeyException keptAlready) {
            // Two clicks at once: the first one kept it.
        }
    }

    void remove(String reader, ArticleId article) {
        client.sql("delete from scrap where reader = ? and aid = ?")
                .params(reader, article.aid())
                .update();
    }
}
