package dev.quire.news.writing;

import dev.quire.news.article.Articles;
import dev.quire.news.place.Atlas;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/** Fills an empty store with the archive, before the first request can arrive. */
@Component
@DependsOnDatabaseInitialization
class ArchiveSeeder implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(ArchiveSeeder.class);

    private final Articles articles;
    private final Atlas atlas;
    private final TransactionOperations transaction;

    ArchiveSeeder(Articles articles, Atlas atlas, TransactionOperations transaction) {
        this.articles = articles;
        this.atlas = atlas;
        this.transaction = transaction;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (articles.count() == 0) {
            // One transaction: an interrupted start leaves the database empty for the next one.
            transaction.executeWithoutResult(status -> fill());
            log.info("wrote {} articles", articles.count());
        }
    }

    private void fill() {
        new Archive(atlas).write(articles::add);
        articles.seedReads();
    }
}
