package dev.quire.news.article;

import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Counts the articles this process sends and adds the counts to the database from time to time.
 * Thread-safe; an entry leaves the map atomically, so no read is written twice. Counts that are not
 * yet written when the process ends are lost.
 */
@Component
public class ReadCounter {
    private final ConcurrentHashMap<String, Long> reads = new ConcurrentHashMap<>();
    private final Articles articles;

    ReadCounter(Articles articles) {
        this.articles = articles;
    }

    /** Counts one read of the article {@code aid}. */
    void count(String aid) {
        reads.merge(aid, 1L, Long::sum);
    }

    /** Writes all counts to the database. */
    public synchronized void flush() {
        for (String aid : reads.keySet()) {
            Long counted = reads.remove(aid);
            if (counted != null) {
                articles.addReads(aid, counted);
            }
        }
    }

    /**
     * Flushes on a timer, unless the feed is off: then the list of most read must not change
     * either.
     */
    @Component
    @ConditionalOnBooleanProperty(name = "news.feed.running", matchIfMissing = true)
    static class Timer {
        private final ReadCounter counter;

        Timer(ReadCounter counter) {
            this.counter = counter;
        }

        @Scheduled(fixedDelayString = "${news.reads.flush:5s}")
        void flush() {
            counter.flush();
        }
    }
}
