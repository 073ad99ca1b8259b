package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The limit of connections, and the queue for them. */
class PermitsTest {
    private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

    @Test
    void aRequestWaitsForAConnectionOfItsLoop() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            var first = rig.fetch(Rig.get("/1"));
            var second = rig.fetch(Rig.get("/2"));
            var queued = rig.fetcher.queued();

            rig.answer(OK);
            rig.answer(OK);

            assertThat(queued).isEqualTo(1);
            assertThat(first.events).containsExactly("head 204", "end");
            assertThat(second.events).containsExactly("head 204", "end");
            assertThat(rig.peers).hasSize(1);
            assertThat(rig.fetcher.queued()).isZero();
        }
    }

    @Test
    void waitersAreServedInTheOrderTheyCame() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            rig.fetch(Rig.get("/1"));
            rig.fetch(Rig.get("/2"));
            rig.fetch(Rig.get("/3"));
            rig.peer().heard();

            rig.answer(OK);
            var next = rig.peer().heard();

            assertThat(next).startsWith("GET /2 ");
            assertThat(rig.fetcher.queued()).isEqualTo(1);
            rig.answer(OK);
            rig.answer(OK);
        }
    }

    @Test
    void aFullQueueIsAnOverload() {
        try (var rig = new Rig(new Rig.Limits().connections(1).queue(1))) {
            rig.fetch(Rig.get("/1"));
            var second = rig.fetch(Rig.get("/2"), rig.otherLoop, new Recorder());
            var third = rig.fetch(Rig.get("/3"));

            assertThat(third.events).containsExactly("failed PROXY OVERLOAD");
            assertThat(second.events).isEmpty();
            assertThat(rig.fetcher.queued()).isEqualTo(1);
            second.flow().cancel();
        }
    }

    @Test
    void aWaiterGivesUpAtItsLimit() {
        var limit = Duration.ofSeconds(3);
        try (var rig = new Rig(new Rig.Limits().connections(1).queueTimeout(limit))) {
            rig.fetch(Rig.get("/1"));
            var second = rig.fetch(Rig.get("/2"));

            rig.pass(limit.minusMillis(1));
            var before = second.events.size();
            rig.pass(Duration.ofMillis(1));

            assertThat(before).isZero();
            assertThat(second.events).containsExactly("failed PROXY OVERLOAD");
            assertThat(second.failure().detail()).contains("3s");
            assertThat(rig.fetcher.queued()).isZero();
        }
    }

    @Test
    void aCancelledWaiterLeavesTheQueue() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            rig.fetch(Rig.get("/1"));
            var second = rig.fetch(Rig.get("/2"));
            var third = rig.fetch(Rig.get("/3"));

            second.flow().cancel();
            rig.answer(OK);
            rig.answer(OK);

            assertThat(second.events).isEmpty();
            assertThat(third.events).containsExactly("head 204", "end");
        }
    }

    @Test
    void aPermitGrantedToAWaiterThatLeavesIsGivenBack() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            var first = rig.fetch(Rig.get("/1"));
            var second = rig.fetch(Rig.get("/2"), rig.otherLoop, new Recorder());

            first.flow().cancel();
            rig.turn(rig.loop);
            second.flow().cancel();
            rig.turn();

            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void anIdleConnectionOfAnotherLoopMakesRoom() {
        try (var rig = new Rig(new Rig.Limits().connections(1).queue(0))) {
            rig.exchange();

            var got = rig.fetch(Rig.get("/"), rig.otherLoop, new Recorder());
            rig.answer(OK);

            assertThat(got.events).containsExactly("head 204", "end");
            assertThat(rig.peers).hasSize(2);
            assertThat(rig.peers.get(0).isClosed()).isTrue();
            assertThat(rig.fetcher.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void aFreedPermitWakesTheOldestWaiterOnItsOwnLoop() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            rig.fetch(Rig.get("/1"));
            rig.fetch(Rig.get("/2"), rig.otherLoop, new Recorder());

            rig.peer().say(OK);
            rig.turn(rig.originLoop, rig.loop);
            var withoutItsLoop = rig.peers.size();
            rig.turn();

            assertThat(withoutItsLoop).isEqualTo(1);
            assertThat(rig.peers).hasSize(2);
            assertThat(rig.peers.get(0).isClosed()).isTrue();
            assertThat(rig.peer().heard()).startsWith("GET /2 ");
        }
    }

    @Test
    void aBusyLoopPassesAnOlderWaiterOverSixteenTimesAndNoMore() {
        try (var rig = new Rig(new Rig.Limits().connections(1).queue(100))) {
            rig.fetch(Rig.get("/first"));
            var other = rig.fetch(Rig.get("/other"), rig.otherLoop, new Recorder());
            for (int i = 0; i < 20; i++) {
                rig.fetch(Rig.get("/" + i));
            }

            for (int i = 0; i < 17; i++) {
                rig.answer(OK);
            }
            var connections = rig.peers.size();
            rig.answer(OK);

            assertThat(connections).isEqualTo(2);
            assertThat(other.events).containsExactly("head 204", "end");
            assertThat(rig.fetcher.queued()).isLessThan(5);
        }
    }

    @Test
    void noMoreConnectionsAreOpenThanPermitted() {
        try (var rig = new Rig(new Rig.Limits().connections(3).queue(100))) {
            for (int i = 0; i < 20; i++) {
                rig.fetch(Rig.get("/" + i), i % 2 == 0 ? rig.loop : rig.otherLoop, new Recorder());
            }

            assertThat(rig.peers).hasSize(3);
            assertThat(rig.fetcher.openConnections()).isEqualTo(3);
            assertThat(rig.fetcher.queued()).isEqualTo(17);
            rig.pass(Duration.ofSeconds(1));
        }
    }
}
