package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.exchange.PreparedFetch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A fetch that cannot be started. */
class BrokenFetchTest {
    private final CacheHouse house = new CacheHouse();
    private final PreparedFetch broken =
            (conditions, sink) -> {
                throw new IllegalStateException("expected no such thing");
            };

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void itFailsWhoeverWaitsAndTheNextOneAsksAnew() {
        var asker = house.reader(house.here);
        house.join(broken, asker);
        house.settle();
        var next = house.reader(house.here);
        var origin = house.origin();
        house.join(origin, next);
        house.settle();

        origin.attempt().head(200, "Cache-Control", "max-age=60").data("page").end();
        house.settle();

        assertThat(asker.heard()).containsExactly("failed BUG");
        assertThat(house.events.seen()).contains("bug expected no such thing");
        assertThat(house.textOf()).isEqualTo("page");
        assertThat(house.coalescer.waiting()).isZero();
    }
}
