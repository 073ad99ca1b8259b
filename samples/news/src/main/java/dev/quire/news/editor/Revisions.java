package dev.quire.news.editor;

import dev.quire.news.article.ArticleId;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Who changed which article how often. */
@Repository
class Revisions {
    private final JdbcClient client;

    Revisions(JdbcClient client) {
        this.client = client;
    }

    /** The number of the last revision; 0 for an article as it was first written. */
    int last(ArticleId article) {
        return client.sql("select coalesce(max(number), 0) from article_revision where aid = ?")
                .param(article.aid())
                .query(Integer.class)
                .single();
    }

    /**
     * Notes one more.
     *
     * @throws org.springframework.dao.DuplicateKeyException if somebody else has made that revision
     */
    void add(ArticleId article, int number, String editor) {
        client.sql("insert into article_revision (aid, number, editor) values (?, ?, ?)")
                .params(article.aid(), number, editor)
                .update();
    }
}
