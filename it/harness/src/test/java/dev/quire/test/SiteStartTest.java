package dev.quire.test;

import static dev.quire.test.InMemoryApplication.fragment;
import static dev.quire.test.InMemoryApplication.include;
import static dev.quire.test.InMemoryApplication.page;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/**
 * The time from opening a site to its first page, and for the same page again, including the close.
 */
class SiteStartTest {
    private static final int STARTS = 50;

    /** The goal is 50 ms; the rest is a margin for a busy machine. */
    private static final Duration MOST = Duration.ofMillis(500);

    @Test
    void siteAfterTheFirstStartsAtOnce() {
        timeOfOne();
        var times = new ArrayList<Duration>();
        for (int i = 0; i < STARTS; i++) {
            times.add(timeOfOne());
        }

        times.sort(Comparator.naturalOrder());
        System.out.printf(
                "start, page and end of a site: median %.1f ms of %d, %.1f to %.1f ms%n",
                millis(times.get(STARTS / 2)),
                STARTS,
                millis(times.getFirst()),
                millis(times.getLast()));
        assertThat(times.get(STARTS / 2)).isLessThan(MOST);
    }

    private static Duration timeOfOne() {
        long begun = System.nanoTime();
        var application =
                new InMemoryApplication()
                        .on("/page", page(include("/live")))
                        .on("/live", fragment("max-age=60", "live"));
        try (var site = EsiSite.over(application)) {
            assertThat(site.get("/page").html()).isEqualTo("live");
        }
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static double millis(Duration time) {
        return time.toNanos() / 1e6;
    }
}
