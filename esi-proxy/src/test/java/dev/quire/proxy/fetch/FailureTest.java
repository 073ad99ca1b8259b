package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.local.LocalAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlines, refused and lost connections, and retries. */
class FailureTest {
    private static final Duration TICK = Duration.ofMillis(1);
    private static final LocalAddress NOBODY = new LocalAddress("nobody-listens-here");

    private static Addresses addresses(SocketAddress... addresses) {
        return (loop, answer) -> answer.found(List.of(addresses));
    }

    @Test
    void aRefusedConnectionIsTriedOnceMore() {
        try (var rig = new Rig(new Rig.Limits().retries(1), addresses(NOBODY))) {
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(got.failure().detail()).contains("cannot connect to", "nobody-listens");
            assertThat(rig.channels).hasSize(2);
            assertThat(rig.retries).isEqualTo(1);
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void withoutRetriesARefusedConnectionIsFinal() {
        try (var rig = new Rig(new Rig.Limits().retries(0), addresses(NOBODY))) {
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(rig.channels).hasSize(1);
        }
    }

    @Test
    void anOriginWithoutAddressIsUnreachable() {
        try (var rig =
                new Rig(
                        new Rig.Limits().retries(0),
                        (loop, answer) -> answer.notFound("cannot resolve origin.test"))) {
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(got.failure().detail()).isEqualTo("cannot resolve origin.test");
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void aNameThatIsNeverResolvedEndsAtTheConnectTimeOut() {
        try (var rig = new Rig(new Rig.Limits().retries(0), (loop, answer) -> {})) {
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.CONNECT.minus(TICK));
            var before = got.events.size();
            rig.pass(TICK);

            assertThat(before).isZero();
            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void anOriginThatDoesNotAcceptIsUnreachableAtTheConnectTimeOut() {
        try (var rig = new Rig(new Rig.Limits().retries(0), addresses(Rig.ABYSS))) {
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.CONNECT.minus(TICK));
            var before = got.events.size();
            rig.pass(TICK);

            assertThat(before).isZero();
            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(rig.channels).hasSize(1).noneMatch(Channel::isOpen);
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void anAddressThatDoesNotAnswerLeavesTimeForTheNext() {
        var known = new SocketAddress[] {Rig.ABYSS, NOBODY};
        try (var rig = new Rig(new Rig.Limits().retries(0), (loop, a) -> a.found(List.of(known)))) {
            known[1] = rig.address();
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.CONNECT.dividedBy(2));
            rig.answer("HTTP/1.1 204 No Content\r\n\r\n");

            assertThat(got.events).containsExactly("head 204", "end");
            assertThat(rig.fetcher.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void aFetchCancelledWhileConnectingGivesItsPermitBack() {
        try (var rig = new Rig(new Rig.Limits(), addresses(Rig.ABYSS))) {
            var got = rig.fetch(Rig.get("/"));
            var open = rig.fetcher.openConnections();

            got.flow().cancel();
            rig.pass(Rig.CONNECT);

            assertThat(open).isEqualTo(1);
            assertThat(rig.fetcher.openConnections()).isZero();
            assertThat(rig.channels).hasSize(1).noneMatch(Channel::isOpen);
            assertThat(got.events).isEmpty();
        }
    }

    @Test
    void theNextAddressIsTriedWhenOneRefuses() {
        var known = new SocketAddress[] {NOBODY, NOBODY};
        try (var rig = new Rig(new Rig.Limits().retries(0), (loop, a) -> a.found(List.of(known)))) {
            known[1] = rig.address();

            rig.exchange();

            assertThat(rig.channels).hasSize(2);
            assertThat(rig.fetcher.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void aSilentOriginTimesOut() {
        try (var rig = new Rig()) {
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.FIRST_BYTE.minus(TICK));
            var before = got.events.size();
            rig.pass(TICK);

            assertThat(before).isZero();
            assertThat(got.events).containsExactly("failed ORIGIN TIMEOUT");
            assertThat(rig.peers).hasSize(1);
            assertThat(rig.peer().isClosed()).isTrue();
        }
    }

    @Test
    void anUnfinishedHeadDoesNotHoldTheDeadlineUp() {
        try (var rig = new Rig()) {
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.FIRST_BYTE.minus(TICK));
            rig.answer("HTTP/1.1 200 OK\r\nX-");
            rig.pass(TICK);

            assertThat(got.events).containsExactly("failed ORIGIN TIMEOUT");
        }
    }

    @Test
    void aBodyThatStopsTimesOutButASlowOneDoesNot() {
        try (var rig = new Rig()) {
            var got = rig.fetch(Rig.get("/"));
            rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na");

            rig.pass(Rig.BETWEEN_BYTES.minus(TICK));
            rig.answer("b");
            rig.pass(Rig.BETWEEN_BYTES.minus(TICK));
            var before = List.copyOf(got.events);
            rig.pass(TICK);

            assertThat(before).containsExactly("head 200", "data a", "data b");
            assertThat(got.events).endsWith("failed ORIGIN TIMEOUT");
            assertThat(rig.peer().isClosed()).isTrue();
        }
    }

    @Test
    void deadlinesStandStillWhilePaused() {
        try (var rig = new Rig()) {
            var got = rig.fetch(Rig.get("/"));
            rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na");

            got.flow().pause();
            rig.pass(Rig.BETWEEN_BYTES.multipliedBy(5));
            got.flow().resume();
            rig.pass(Rig.BETWEEN_BYTES.minus(TICK));
            var before = got.events.size();
            rig.pass(TICK);

            assertThat(before).isEqualTo(2);
            assertThat(got.events).endsWith("failed ORIGIN TIMEOUT");
        }
    }

    @Test
    void anIdleConnectionIsDroppedAfterHalfAMinute() {
        try (var rig = new Rig()) {
            rig.exchange();

            rig.pass(Duration.ofSeconds(30).minus(TICK));
            var before = rig.fetcher.idleConnections();
            rig.pass(TICK);

            assertThat(before).isEqualTo(1);
            assertThat(rig.fetcher.idleConnections()).isZero();
            assertThat(rig.fetcher.openConnections()).isZero();
            assertThat(rig.peer().isClosed()).isTrue();
        }
    }

    @Test
    void anIdleConnectionThatTheOriginClosesIsForgotten() {
        try (var rig = new Rig()) {
            rig.exchange();

            rig.peer().close();
            rig.turn();

            assertThat(rig.fetcher.idleConnections()).isZero();
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
    void aRepeatableRequestLostOnAKeptConnectionIsSentOnceMoreOnANewOne(String method) {
        try (var rig = new Rig()) {
            rig.fetch(Rig.get("/a"));
            rig.fetch(Rig.get("/b"));
            rig.peers.forEach(peer -> peer.say("HTTP/1.1 204 No Content\r\n\r\n"));
            rig.turn();
            var got = rig.fetch(Rig.request(method, "/", null));

            var busy = rig.peers.stream().filter(p -> p.heard().contains(method + " / ")).toList();
            busy.forEach(Rig.Peer::close);
            rig.turn();
            rig.answer("HTTP/1.1 204 No Content\r\n\r\n");

            assertThat(busy).hasSize(1);
            assertThat(rig.peers).hasSize(3);
            assertThat(rig.retries).isEqualTo(1);
            assertThat(got.events).containsExactly("head 204", "end");
        }
    }

    @Test
    void aSecondAttemptThatIsLostTooIsFinal() {
        try (var rig = new Rig()) {
            rig.exchange();
            var got = rig.fetch(Rig.get("/"));

            rig.peer().close();
            rig.turn();
            rig.peer().close();
            rig.turn();

            assertThat(rig.peers).hasSize(2);
            assertThat(got.events).containsExactly("failed ORIGIN TRUNCATED");
        }
    }

    @Test
    void aRequestLostOnANewConnectionIsNotRepeated() {
        try (var rig = new Rig()) {
            var got = rig.fetch(Rig.get("/"));

            rig.peer().close();
            rig.turn();

            assertThat(rig.peers).hasSize(1);
            assertThat(got.events).containsExactly("failed ORIGIN TRUNCATED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "VOTE"})
    void aRequestThatMayCountTwiceIsNotRepeated(String method) {
        try (var rig = new Rig()) {
            rig.exchange();
            var got = rig.fetch(Rig.request(method, "/", null));

            rig.peer().close();
            rig.turn();

            assertThat(rig.peers).hasSize(1);
            assertThat(got.events).containsExactly("failed ORIGIN TRUNCATED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"H", "HTTP/1.1 103 Early Hints\r\n\r\n"})
    void aRequestWhoseAnswerHasBegunIsNotRepeated(String begun) {
        try (var rig = new Rig()) {
            rig.exchange();
            var got = rig.fetch(Rig.get("/"));

            rig.answer(begun);
            rig.peer().close();
            rig.turn();

            assertThat(rig.peers).hasSize(1);
            assertThat(got.events).endsWith("failed ORIGIN TRUNCATED");
        }
    }

    @Test
    void aTimeOutIsNotRepeated() {
        try (var rig = new Rig()) {
            rig.exchange();
            var got = rig.fetch(Rig.get("/"));

            rig.pass(Rig.FIRST_BYTE);

            assertThat(rig.peers).hasSize(1);
            assertThat(got.events).containsExactly("failed ORIGIN TIMEOUT");
        }
    }

    @Test
    void aRetryGetsItsConnectionFromAnIdleOneWhenAllArePermitted() {
        try (var rig = new Rig(new Rig.Limits().connections(2).queue(0))) {
            rig.fetch(Rig.get("/a"));
            rig.fetch(Rig.get("/b"));
            rig.peers.forEach(peer -> peer.say("HTTP/1.1 204 No Content\r\n\r\n"));
            rig.turn();
            var got = rig.fetch(Rig.get("/c"));

            rig.peers.stream()
                    .filter(peer -> peer.heard().contains("GET /c"))
                    .toList()
                    .forEach(Rig.Peer::close);
            rig.turn();
            rig.answer("HTTP/1.1 204 No Content\r\n\r\n");

            assertThat(rig.peers).hasSize(3);
            assertThat(got.events).containsExactly("head 204", "end");
        }
    }
}
