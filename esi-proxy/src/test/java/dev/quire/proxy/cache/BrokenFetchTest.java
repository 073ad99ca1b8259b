package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.policy.Settings;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.route.EsiProcessing;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The memory for the document is missing; a long one is decoded on another thread. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anErrorAtTheEndOfADocumentReachesAllWhoWait(boolean isDecoded) {
        var rules =
                new RouteCacheRules(
                        Settings.DEFAULT,
                        EsiProcessing.ON,
                        CacheHouse.documents(false, 50_000),
                        50_000);
        var origin = house.origin();
        var takers = List.of(house.reader(house.here), house.reader(house.there));
        takers.forEach(taker -> house.join(rules, origin, null, taker));
        house.settle();
        house.events.breaks();

        var head = origin.attempt();
        if (isDecoded) {
            var random = new byte[10_000];
            new Random(1).nextBytes(random);
            head.head(
                            200,
                            "Content-Type",
                            "text/html",
                            "Cache-Control",
                            "max-age=60",
                            "Content-Encoding",
                            "br")
                    .data(house.bytes(Coded.brotli(HexFormat.of().formatHex(random))));
        } else {
            head.head(200, "Content-Type", "text/html", "Cache-Control", "max-age=60")
                    .data("<p>page</p>");
        }
        head.end();

        TierRest.await(() -> takers.stream().noneMatch(taker -> taker.heard().isEmpty()));
        assertThat(takers).extracting(Taker::heard).containsOnly(List.of("failed BUG"));
        assertThat(house.coalescer.waiting()).isZero();
        var next = house.reader(house.here);
        var again = house.origin();
        house.join(again, next);
        again.attempt().head(200, "Cache-Control", "max-age=60").data("page").end();
        house.settle();
        assertThat(house.textOf()).isEqualTo("page");
    }

    @Test
    void oneThatHasNoMemoryForTheResponseDoesNotAffectOthers() {
        var origin = house.origin();
        var poor = house.fragment(house.here).withoutMemory();
        var others = List.of(house.fragment(house.here), house.fragment(house.there));
        house.join(origin, poor);
        others.forEach(taker -> house.join(origin, taker));
        house.settle();

        origin.attempt().head(200, "Cache-Control", "max-age=60").data("page").end();
        house.settle();

        assertThat(poor.heard()).singleElement().asString().contains("expected no more memory");
        assertThat(others).extracting(Taker::heard).containsOnly(List.of("whole 200 page"));
        assertThat(house.coalescer.waiting()).isZero();
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

    @Test
    void oneThatFailsBeforeItIsStartedIsNotJoined() {
        var asker = house.reader(house.here);
        assertThatThrownBy(() ->
                        house.here.call(() ->
                                house.coalescer.join(
                                        CacheHouse.PAGE,
                                        house.origin(),
                                        CacheHouse.RULES,
                                        null,
                                        () -> {
                                            throw new OutOfMemoryError("expected no more memory");
                                        },
                                        asker)))
                .hasRootCauseMessage("expected no more memory");
        var next = house.fragment(house.here);
        var origin = house.origin();
        house.join(origin, next);
        house.settle();

        origin.attempt().head(200, "Cache-Control", "max-age=60").data("page").end();
        house.settle();

        assertThat(next.heard()).containsExactly("whole 200 page");
    }
}
