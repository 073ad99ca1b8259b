package dev.quire.news.article;

import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Counts the articles that this process sends and carries the counts to the store now and then. Any
 * thread may count; an entry leaves the map in one step, so no read is carried twice. What is not
 * yet carried when the process ends is lost.
 */
@Component
public class ReadCounter {
    private final ConcurrentHashMap<String, Long> reads = new ConcurrentHashMap<>();
    private final Articles articles;

    ReadCounter(Articles articles) {
        this.articles = articles;
    }

    /** Notes that one reader was sent the article that {@code aid} names. */
    void count(String aid) {
        reads.merge(aid, 1L, Long::sum);
    }

    /** Carries all counts to the store. */
    public synchronized void flush() {
        for (String aid : reads.keySet()) {
            Long counted = reads.remove(aid);
            if (counted != null) {
                articles.addReads(aid, counted);
            }
        }
    }

    /** Flushes on a timer, unless the news stands still: then the list of most read does too. */
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
