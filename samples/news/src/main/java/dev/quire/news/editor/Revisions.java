package dev.quire.news.editor;

import dev.quire.news.article.ArticleId;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The revisions of articles: who saved which, and how often. */
@Repository
class Revisions {
    private final JdbcClient client;

    Revisions(JdbcClient client) {
        this.client = client;
    }

    /** Returns the number of the last revision, 0 if the article was never changed. */
    int last(ArticleId article) {
        return client.sql("select coalesce(max(number), 0) from article_revision where aid = ?")
                .param(article.aid())
                .query(Integer.class)
                .single();
    }

    /**
     * Adds a revision.
     *
     * @throws org.springframework.dao.DuplicateKeyException if that revision exists already
     */
    void add(ArticleId article, int number, String editor) {
        client.sql("insert into article_revision (aid, number, editor) values (?, ?, ?)")
                .params(article.aid(), number, editor)
                .update();
    }
}
