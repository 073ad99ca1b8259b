package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sinks that pause or cancel their response. */
class BodyFlowTest {
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final Rig rig = new Rig();

    @AfterEach
    void everythingIsReleased() {
        rig.close();
    }

    @Test
    void nothingComesAndNothingIsReadWhilePaused() {
        var got = rig.fetch(Rig.get("/"));
        rig.answer(CHUNKED + "1\r\na\r\n");

        got.flow().pause();
        rig.answer("1\r\nb\r\n");
        rig.answer("1\r\nc\r\n0\r\n\r\n");
        var whilePaused = got.events.size();
        var reading = rig.channels.getLast().config().isAutoRead();
        got.flow().resume();
        rig.turn();

        assertThat(whilePaused).isEqualTo(2);
        assertThat(reading).isFalse();
        assertThat(got.events).containsExactly("head 200", "data a", "data b", "data c", "end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @Test
    void piecesReadTogetherAreHeldBackWhenTheFirstOnePauses() {
        var got =
                new Recorder() {
                    @Override
                    public void data(ByteBuf data) {
                        super.data(data);
                        flow().pause();
                    }
                };
        rig.fetch(Rig.get("/"), rig.loop, got);

        rig.answer(CHUNKED + "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
        var afterFirst = got.events.size();
        got.flow().resume();
        var afterSecond = got.events.size();
        got.flow().resume();

        assertThat(afterFirst).isEqualTo(2);
        assertThat(afterSecond).isEqualTo(3);
        assertThat(got.events).containsExactly("head 200", "data a", "data b", "end");
    }

    @Test
    void aPieceIsNeverHandedOverWithinAnother() {
        var got =
                new Recorder() {
                    @Override
                    public void data(ByteBuf data) {
                        events.add("in");
                        flow().pause();
                        flow().resume();
                        super.data(data);
                    }
                };
        rig.fetch(Rig.get("/"), rig.loop, got);

        rig.answer(CHUNKED + "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");

        assertThat(got.events).containsExactly("head 200", "in", "data a", "in", "data b", "end");
    }

    @Test
    void aFlowPausedBeforeTheHeadGivesTheHeadOnly() {
        var got = rig.fetch(Rig.get("/"));

        got.flow().pause();
        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
        var whilePaused = got.events.toString();
        got.flow().resume();

        assertThat(whilePaused).isEqualTo("[head 200]");
        assertThat(got.events).containsExactly("head 200", "data a", "end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
        assertThat(rig.channels.getLast().config().isAutoRead()).isTrue();
    }

    @Test
    void aConnectionServesTheNextRequestWhileAWholeResponseIsStillPaused() {
        var slow = rig.fetch(Rig.get("/slow"));
        slow.flow().pause();
        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");

        rig.exchange();
        slow.flow().resume();

        assertThat(slow.events).containsExactly("head 200", "data a", "end");
        assertThat(rig.peers).hasSize(1);
    }

    @Test
    void aFailureWhilePausedFollowsTheDataBeforeIt() {
        var got = rig.fetch(Rig.get("/"));
        got.flow().pause();
        rig.answer(CHUNKED + "1\r\na\r\n");

        got.flow().resume();
        got.flow().pause();
        rig.answer("zz\r\n");
        var whilePaused = got.events.size();
        got.flow().resume();
        rig.turn();

        assertThat(whilePaused).isEqualTo(2);
        assertThat(got.events).containsExactly("head 200", "data a", "failed ORIGIN MALFORMED");
    }

    @Test
    void aFetchCancelledAtOnceSendsNothing() {
        var got = new Recorder();

        rig.fetcher.fetch(Rig.get("/"), rig.loop, got).cancel();
        rig.turn();

        assertThat(rig.peers).isEmpty();
        assertThat(got.events).isEmpty();
    }

    @Test
    void cancellingBeforeTheHeadClosesTheConnection() {
        var got = rig.fetch(Rig.get("/"));

        got.flow().cancel();
        rig.turn();

        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(got.events).isEmpty();
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @Test
    void cancellingWithinTheHeadLeavesTheBodyOut() {
        var got =
                new Recorder() {
                    @Override
                    public void head(ResponseHead received, BodyFlow given) {
                        super.head(received, given);
                        given.cancel();
                    }
                };
        rig.fetch(Rig.get("/"), rig.loop, got);

        rig.answer(CHUNKED + "1\r\na\r\n1\r\nb\r\n");

        assertThat(got.events).containsExactly("head 200");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void cancellingWhilePausedReleasesWhatIsHeld() {
        var got = rig.fetch(Rig.get("/"));
        got.flow().pause();
        rig.answer(CHUNKED + "1\r\na\r\n1\r\nb\r\n");

        got.flow().cancel();
        got.flow().resume();
        rig.turn();

        assertThat(got.events).containsExactly("head 200");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void cancellingAWholeResponseKeepsTheConnection() {
        var got = rig.fetch(Rig.get("/"));
        got.flow().pause();
        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");

        got.flow().cancel();
        rig.turn();

        assertThat(got.events).containsExactly("head 200");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingNearTheEndKeepsTheConnection(boolean isPaused) {
        var got = rig.fetch(Rig.get("/"));
        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 65540\r\n\r\n" + "a".repeat(4));
        if (isPaused) {
            got.flow().pause();
        }

        got.flow().cancel();
        rig.answer("b".repeat(60_000));
        var early = rig.fetcher.idleConnections();
        rig.answer("c".repeat(5_536));

        assertThat(early).isZero();
        assertThat(got.events).containsExactly("head 200", "data aaaa");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
        rig.exchange();
        assertThat(rig.peers).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 65537\r\n",
                "Content-Length: 2\r\nConnection: close\r\n",
                "Transfer-Encoding: chunked\r\n",
            })
    void cancellingFarFromTheEndClosesTheConnection(String field) {
        var got = rig.fetch(Rig.get("/"));
        rig.answer("HTTP/1.1 200 OK\r\n" + field + "\r\n");

        got.flow().cancel();
        rig.turn();

        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void restOfACancelledBodyMustComeSoon() {
        var got = rig.fetch(Rig.get("/"));
        rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");

        got.flow().cancel();
        rig.pass(Duration.ofMillis(900));
        rig.answer("a");
        var before = rig.peer().isClosed();
        rig.pass(Duration.ofMillis(100));

        assertThat(before).isFalse();
        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(got.events).containsExactly("head 200");
    }

    @Test
    void aSinkThatThrowsIsToldOfABugAndLeavesNothingBehind() {
        var got =
                new Recorder() {
                    @Override
                    public void data(ByteBuf data) {
                        super.data(data);
                        throw new IllegalStateException("expected nothing, found a piece");
                    }
                };
        rig.fetch(Rig.get("/"), rig.loop, got);

        rig.answer(CHUNKED + "1\r\na\r\n");

        assertThat(got.events).containsExactly("head 200", "data a", "failed PROXY BUG");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void clientsThatTakeNothingHoldHalfOfTheConnections() {
        var readers = new ArrayList<Recorder>();
        for (int i = 0; i < 6; i++) {
            var got = rig.fetch(Rig.get("/" + i));
            rig.answer(CHUNKED + "1\r\na\r\n");
            got.flow().pause();
            readers.add(got);
            rig.pass(Duration.ofMillis(10));
        }
        // Reads on now and then.
        readers.getFirst().flow().resume();
        readers.getFirst().flow().pause();
        int before = rig.fetcher.openConnections();
        rig.pass(Duration.ofMillis(950));
        rig.pass(Duration.ofMillis(50));
        int after = rig.fetcher.openConnections();

        readers.forEach(each -> each.flow().resume());
        rig.turn();

        // Of 8 connections.
        assertThat(before).isEqualTo(6);
        assertThat(after).isEqualTo(4);
        assertThat(readers.get(0).events).containsExactly("head 200", "data a");
        assertThat(readers.get(1).events).endsWith("failed PROXY OVERLOAD");
        assertThat(readers.get(2).events).endsWith("failed PROXY OVERLOAD");
        assertThat(readers.get(3).events).containsExactly("head 200", "data a");
    }

    @Test
    void aClientThatTakesNothingLosesItsOwnConnections() {
        var patient = rig.fetch(Rig.from(1, Rig.get("/patient")));
        rig.answer(CHUNKED + "1\r\na\r\n");
        patient.flow().pause();
        rig.pass(Duration.ofMillis(10));
        var readers = new ArrayList<Recorder>();
        for (int i = 0; i < 6; i++) {
            var got = rig.fetch(Rig.get("/" + i));
            rig.answer(CHUNKED + "1\r\na\r\n");
            got.flow().pause();
            readers.add(got);
            rig.pass(Duration.ofMillis(10));
        }

        rig.pass(Duration.ofSeconds(1));
        rig.pass(Duration.ofSeconds(1));
        readers.forEach(each -> each.flow().resume());
        patient.flow().resume();
        rig.turn();

        assertThat(patient.events).containsExactly("head 200", "data a");
        assertThat(readers)
                .filteredOn(each -> each.events.contains("failed PROXY OVERLOAD"))
                .hasSize(3);
    }
}
