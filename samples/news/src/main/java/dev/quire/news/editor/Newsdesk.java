package dev.quire.news.editor;

import dev.quire.news.article.Article;
import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.place.Region;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Saves and publishes articles, each in one transaction. */
@Service
class Newsdesk {
    private final Articles articles;
    private final Revisions revisions;

    Newsdesk(Articles articles, Revisions revisions) {
        this.articles = articles;
        this.revisions = revisions;
    }

    /**
     * Replaces the text of {@code article} with {@code draft}.
     *
     * @param revision the one that the editor began with
     * @throws org.springframework.dao.DuplicateKeyException if another editor has saved since; then
     *     nothing is changed
     */
    @Transactional
    public void save(Article article, int revision, Draft draft, String editor) {
        articles.rewrite(
                new Article(
                        article.id(),
                        article.section(),
                        article.election(),
                        article.published(),
                        draft.headline(),
                        draft.standfirst(),
                        draft.paragraphs()));
        revisions.add(article.id(), revision + 1, editor);
    }

    /**
     * Publishes {@code draft} as the newest article.
     *
     * @throws org.springframework.dao.DuplicateKeyException if another was published just now; then
     *     nothing is changed
     */
    @Transactional
    public ArticleId publish(
            Region newsroom, Section section, boolean election, Draft draft, String editor) {
        var id = articles.nextId(newsroom);
        articles.publish(
                new Article(
                        id,
                        section,
                        election,
                        articles.lastPublished().plusMinutes(1),
                        draft.headline(),
                        draft.standfirst(),
                        draft.paragraphs()));
        revisions.add(id, 1, editor);
        return id;
    }
}
