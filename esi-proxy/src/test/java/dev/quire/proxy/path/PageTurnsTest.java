package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A page of many tags shares its loop with other clients. */
class PageTurnsTest {
    private static final int TAGS = 20_000;
    private static final String LONG =
            page("<esi:vars>$(QUERY_STRING{q})</esi:vars>.".repeat(TAGS));

    @Test
    void hitOfAnotherClientIsAnsweredBeforeALongPageIsComplete() {
        try (var proxy = new OneThread()) {
            proxy.stored("/long?q=a", LONG);
            proxy.stored("/hit", ok("hit", "Cache-Control: max-age=60"));
            var reader = proxy.client();
            var other = proxy.client();

            reader.post(request("GET", "/long?q=a"));
            other.post(request("GET", "/hit"));
            while (!other.hasReceived()) {
                proxy.loop.runNow();
                proxy.deliver();
            }
            assertThat(other.received()).endsWith("\r\n\r\nhit");
            assertThat(proxy.finished).hasSize(1);
            proxy.turn();

            assertThat(reader.received())
                    .contains("\r\nContent-Length: " + 2 * TAGS + "\r\n")
                    .endsWith("\r\n\r\n" + "a.".repeat(TAGS));
            assertThat(proxy.finished).hasSize(2);
        }
    }

    @Test
    void longPageOfAClientThatLeavesIsPlannedNoFurther() {
        try (var proxy = new OneThread()) {
            proxy.stored("/long?q=a", LONG);
            var reader = proxy.client();
            reader.post(request("GET", "/long?q=a"));
            proxy.loop.runNow();
            assertThat(proxy.finished).isEmpty();
            int timers = proxy.loop.timers;

            reader.hangUp();

            assertThat(proxy.finished).hasSize(1);
            assertThat(proxy.loop.timers - timers).isLessThan(5);
            assertThat(proxy.open()).isZero();
        }
    }
}
