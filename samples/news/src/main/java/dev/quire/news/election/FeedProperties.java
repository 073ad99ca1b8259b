package dev.quire.news.election;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the count.
 *
 * @param running whether the count advances by itself; if not, nothing on the site changes
 * @param tick time between two steps of the count
 * @param places ballot boxes opened at each step
 * @param opened ballot boxes already opened when the site first starts
 */
@ConfigurationProperties("news.feed")
record FeedProperties(
        @DefaultValue("true") boolean running,
        @DefaultValue("1s") Duration tick,
        @DefaultValue("2") int places,
        @DefaultValue("4200") int opened) {
    FeedProperties {
        require("tick", tick.isPositive(), "a duration above zero", tick);
        require("places", places > 0, "a number above 0", places);
        require("opened", opened >= 0, "0 or more", opened);
    }

    private static void require(String key, boolean holds, String expected, Object found) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "news.feed.%s: expected %s, found %s".formatted(key, expected, found));
        }
    }
}
