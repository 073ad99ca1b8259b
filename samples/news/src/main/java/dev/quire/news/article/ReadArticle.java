package dev.quire.news.article;

import java.util.Locale;

/**
 * An article and how often it was read.
 *
 * @param reads seen by the site itself: a page that a cache answers is not among them
 */
record ReadArticle(Summary article, long reads) {
    public String printedReads() {
        return String.format(Locale.ROOT, "%,d", reads);
    }
}
