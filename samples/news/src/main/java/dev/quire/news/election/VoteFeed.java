package dev.quire.news.election;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Opens ballot boxes, a few at each step, until all are counted. The next step depends only on how
 * many are counted, so an interrupted night continues where it stopped. Steps run one at a time,
 * under this object's lock.
 */
@Component
@DependsOnDatabaseInitialization
public class VoteFeed implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(VoteFeed.class);

    /** Polling places between two points of the chart. */
    private static final int CHART_STEP = 100;

    private final Counts counts;
    private final TransactionOperations transaction;
    private final FeedProperties properties;
    private final Night night = Night.draw();

    VoteFeed(Counts counts, TransactionOperations transaction, FeedProperties properties) {
        this.counts = counts;
        this.transaction = transaction;
        this.properties = properties;
    }

    /** Opens the boxes that are open at the start, before the first request. */
    @Override
    public void afterSingletonsInstantiated() {
        if (!counts.hasBegun()) {
            transaction.executeWithoutResult(status -> {
                counts.begin(night);
                open(properties.opened());
            });
            log.info("opened {} of {} ballot boxes", properties.opened(), night.size());
        }
    }

    /** Opens the next boxes. Does nothing once all are open. */
    public synchronized void advance() {
        transaction.executeWithoutResult(status -> open(properties.places()));
    }

    private void open(int places) {
        var before = counts.current().national();
        List<PollingPlace> opened = night.open(before.places(), places);
        if (!opened.isEmpty()) {
            counts.add(opened);
            counts.remember(chartPoints(before, opened));
        }
    }

    private List<Tally> chartPoints(Tally before, List<PollingPlace> opened) {
        var points = new ArrayList<Tally>();
        var standing = before;
        for (PollingPlace place : opened) {
            standing = standing.plus(place.tally());
            if (standing.places() % CHART_STEP == 0 || standing.places() == night.size()) {
                points.add(standing);
            }
        }
        return points;
    }

    /** Advances the count on a timer. */
    @Component
    @ConditionalOnBooleanProperty(name = "news.feed.running", matchIfMissing = true)
    static class Timer {
        private final VoteFeed feed;

        Timer(VoteFeed feed) {
            this.feed = feed;
        }

        @Scheduled(fixedRateString = "${news.feed.tick:1s}")
        void tick() {
            feed.advance();
        }
    }
}
