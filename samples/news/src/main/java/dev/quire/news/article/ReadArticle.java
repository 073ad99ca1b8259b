package dev.quire.news.article;

import java.util.Locale;

/**
 * An article and how often it was read.
 *
 * @param reads counted by the site itself; cache hits are not included
 */
record ReadArticle(Summary article, long reads) {
    public String printedReads() {
        return String.format(Locale.ROOT, "%,d", reads);
    }
}
