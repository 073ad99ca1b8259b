package dev.quire.news.election;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FeedPropertiesTest {
    @Test
    void aWrongValueIsNamedWithWhatWasExpected() {
        assertThatThrownBy(() -> new FeedProperties(true, Duration.ZERO, 1, 0))
                .hasMessage("news.feed.tick: expected a duration above zero, found PT0S");
        assertThatThrownBy(() -> new FeedProperties(true, Duration.ofSeconds(1), 0, 0))
                .hasMessage("news.feed.places: expected a number above 0, found 0");
        assertThatThrownBy(() -> new FeedProperties(true, Duration.ofSeconds(1), 1, -1))
                .hasMessage("news.feed.opened: expected 0 or more, found -1");
    }
}
