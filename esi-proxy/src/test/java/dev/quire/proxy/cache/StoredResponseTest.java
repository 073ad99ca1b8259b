package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoredResponseTest {
    private static final ResponseHead HEAD = new ResponseHead(200, "", Fields.EMPTY);

    @Test
    void responseWhoseLastReferenceIsGoneCannotBeRetained() {
        var body = Unpooled.directBuffer(4).writeInt(1);
        var response = ofOneClient(body);
        assertThat(response.tryRetain()).isTrue();

        response.release();
        assertThat(body.refCnt()).isEqualTo(1);
        response.release();

        assertThat(body.refCnt()).isZero();
        assertThat(response.tryRetain()).isFalse();
        assertThatThrownBy(response::release)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/page");
    }

    @Test
    void readersAndAnEvictionOnManyThreadsNeverSeeReleasedMemory() throws Exception {
        for (int round = 0; round < 200; round++) {
            var body = Unpooled.directBuffer(4).writeInt(7);
            var response = ofOneClient(body);
            List<Future<?>> readers = new ArrayList<>();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 4; i++) {
                    readers.add(
                            threads.submit(() -> {
                                if (response.tryRetain()) {
                                    assertThat(response.body().getInt(0)).isEqualTo(7);
                                    response.release();
                                }
                            }));
                }
                readers.add(threads.submit(response::release));
                for (var reader : readers) {
                    reader.get(30, TimeUnit.SECONDS);
                }
            }
            assertThat(body.refCnt()).isZero();
        }
    }

    @Test
    void fragmentOfOneClientIsCountedUntilItIsGone() {
        var transit = new InFlightBudget(100);
        transit.charge(10);
        var pieces = new ArrayDeque<ByteBuf>();
        pieces.add(Unpooled.copiedBuffer("one ", StandardCharsets.US_ASCII));
        pieces.add(Unpooled.copiedBuffer("client", StandardCharsets.US_ASCII));

        var response = StoredResponse.ofOneClient(PAGE, HEAD, pieces, transit);

        assertThat(transit.usedBytes()).isEqualTo(10);
        response.release();
        assertThat(transit.usedBytes()).isZero();
    }

    @Test
    void fragmentOfOneClientJoinsItsPiecesAndIsShownToNobodyElse() {
        var pieces = new ArrayDeque<ByteBuf>();
        pieces.add(Unpooled.copiedBuffer("one ", StandardCharsets.US_ASCII));
        pieces.add(Unpooled.buffer());
        pieces.add(Unpooled.copiedBuffer("client", StandardCharsets.US_ASCII));
        var all = List.copyOf(pieces);

        var response = StoredResponse.ofOneClient(PAGE, HEAD, pieces, new InFlightBudget(100));

        assertThat(response.body().toString(StandardCharsets.US_ASCII)).isEqualTo("one client");
        assertThat(response.isShared()).isFalse();
        assertThat(pieces).isEmpty();
        response.release();
        assertThat(all).allMatch(piece -> piece.refCnt() == 0);
    }

    @Test
    void clocksOfWhatIsOneClientsOwnStandInEveryCentury() {
        var head = new ResponseHead(200, "", Fields.of("Cache-Control", "private, max-age=60"));
        var response =
                StoredResponse.ofOneClient(PAGE, head, new ArrayDeque<>(), new InFlightBudget(0));

        var lifetime = response.clientLifetimeAt(Instant.parse("2126-01-01T00:00:00Z"));

        assertThat(lifetime.isReusable()).isTrue();
        response.release();
    }

    @Test
    void lifetimeForTheClientRunsDownWithTheAge() {
        try (var house = new CacheHouse()) {
            house.stored(RULES, "page", "Cache-Control", "max-age=60", "Age", "20");
            var found = house.found();

            assertThat(found.clientLifetimeAt(house.time.now().plusSeconds(10)).reusableFor())
                    .hasSeconds(30);
            assertThat(found.clientLifetimeAt(house.time.now().plusSeconds(90)).reusableFor())
                    .isZero();
            found.release();
        }
    }

    private static StoredResponse ofOneClient(ByteBuf body) {
        var pieces = new ArrayDeque<ByteBuf>();
        pieces.add(body);
        return StoredResponse.ofOneClient(PAGE, HEAD, pieces, new InFlightBudget(100));
    }
}
