package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.ClientNetwork;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.route.OriginSettings.Balance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several servers of one origin: the choice of a server, and failover. */
class ServersTest {
    private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

    private static OriginRequest from(int client, int key) {
        return new OriginRequest(
                Rig.get("/").head(),
                null,
                new ClientNetwork(false, client),
                new Affinity(client, key));
    }

    /** The server that receives {@code request}, which is answered. */
    private static int served(Rig rig, OriginRequest request) {
        var got = rig.fetch(request);
        var peer = asked(rig);
        peer.say(OK);
        rig.turn();
        assertThat(got.events).containsExactly("head 204", "end");
        return peer.server;
    }

    /** The connection that has just received a request. */
    private static Rig.Peer asked(Rig rig) {
        var asked = rig.peers.stream().filter(peer -> !peer.heard().isEmpty()).toList();
        assertThat(asked).hasSize(1);
        return asked.getFirst();
    }

    private static Map<Integer, Integer> served(Rig rig, int requests) {
        var counts = new HashMap<Integer, Integer>();
        for (int i = 0; i < requests; i++) {
            counts.merge(served(rig, from(i, i)), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void turnsAreTakenByWeightAndSpreadEvenly() {
        var limits = new Rig.Limits().balance(Balance.ROUND_ROBIN);
        try (var rig = new Rig(limits.server(1, false).server(2, false).server(1, false))) {
            var order = new ArrayList<Integer>();
            for (int i = 0; i < 8; i++) {
                order.add(served(rig, Rig.get("/")));
            }

            assertThat(order).containsExactly(1, 0, 2, 1, 1, 0, 2, 1);
        }
    }

    @Test
    void theServerWithTheFewestRequestsForItsWeightIsAsked() {
        try (var rig = new Rig(new Rig.Limits().server(1, false).server(3, false))) {
            for (int i = 0; i < 8; i++) {
                rig.fetch(Rig.get("/"));
            }

            assertThat(rig.peers.stream().filter(peer -> peer.server == 0)).hasSize(2);
            assertThat(rig.peers.stream().filter(peer -> peer.server == 1)).hasSize(6);
        }
    }

    @Test
    void aServerWithoutRequestsIsAskedBeforeABusyOne() {
        try (var rig = new Rig(new Rig.Limits().servers(2))) {
            rig.fetch(Rig.get("/slow"));
            var busy = asked(rig).server;

            var others = served(rig, 10);

            assertThat(others).containsOnly(Map.entry(1 - busy, 10));
        }
    }

    @Test
    void chanceFollowsWeights() {
        var random = new Rig.Limits().balance(Balance.RANDOM);
        try (var rig = new Rig(random.server(1, false).server(4, false))) {
            var counts = served(rig, 2000);

            // The expected value is 400, the standard deviation is 18.
            assertThat(counts.get(0)).isBetween(300, 500);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT", "KEY"})
    void likeRequestsGoToOneServerAndAllServersHaveTheirShare(Balance balance) {
        try (var rig = new Rig(new Rig.Limits().balance(balance).servers(4))) {
            var counts = new HashMap<Integer, Integer>();
            for (int i = 0; i < 400; i++) {
                var request = balance == Balance.CLIENT ? from(i, -1) : from(-1, i);
                var other = balance == Balance.CLIENT ? from(i, -2) : from(-2, i);
                int server = served(rig, request);
                counts.merge(server, 1, Integer::sum);
                assertThat(served(rig, other)).isEqualTo(server);
            }

            assertThat(counts.values()).hasSize(4).allMatch(count -> count > 60 && count < 140);
        }
    }

    @Test
    void aDeadServerMovesNoShareButItsOwnAndGetsItBack() {
        var limits = new Rig.Limits().balance(Balance.KEY);
        try (var rig = new Rig(limits.servers(3))) {
            var before = new ArrayList<Integer>();
            for (int i = 0; i < 60; i++) {
                before.add(served(rig, from(0, i)));
            }

            rig.goDown(1);
            for (int i = 0; i < 60; i++) {
                int server = served(rig, from(0, i));
                assertThat(server).isNotEqualTo(1);
                if (before.get(i) != 1) {
                    assertThat(server).isEqualTo(before.get(i));
                }
            }
            rig.goUp(1);
            rig.pass(Circuit.OPEN);
            for (int i = 0; i < 60; i++) {
                served(rig, from(0, i));
            }
            rig.pass(Duration.ofSeconds(10));

            for (int i = 0; i < 60; i++) {
                assertThat(served(rig, from(0, i))).isEqualTo(before.get(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theDeathOfOneOfTwoServersIsNobodysError(Balance balance) {
        try (var rig = new Rig(new Rig.Limits().balance(balance).servers(2))) {
            served(rig, 10);

            rig.goDown(0);
            var counts = served(rig, 50);

            assertThat(counts).containsOnly(Map.entry(1, 50));
            assertThat(rig.retries).isLessThanOrEqualTo(5);
            assertThat(rig.ejections).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void whatWasUnderWayAtTheServerThatDiesIsSentToTheOther() {
        try (var rig = new Rig(new Rig.Limits().servers(2))) {
            var got = rig.fetch(Rig.get("/a"));
            var first = asked(rig);

            rig.goDown(first.server);
            var second = asked(rig);
            second.say(OK);
            rig.turn();

            assertThat(second.server).isNotEqualTo(first.server);
            assertThat(got.events).containsExactly("head 204", "end");
            assertThat(rig.retries).isEqualTo(1);
        }
    }

    @Test
    void whatMayCountTwiceIsNotSentToTheOther() {
        try (var rig = new Rig(new Rig.Limits().servers(2))) {
            var got = rig.fetch(Rig.request("POST", "/vote", null));

            rig.goDown(asked(rig).server);

            assertThat(got.events).containsExactly("failed ORIGIN TRUNCATED");
            assertThat(rig.peers).hasSize(1);
        }
    }

    @Test
    void aFallbackIsAskedOnlyWhenNoOtherCanBe() {
        try (var rig = new Rig(new Rig.Limits().server(1, false).server(1, true))) {
            var before = served(rig, 20);
            rig.goDown(0);
            var meanwhile = served(rig, 20);
            rig.goUp(0);
            rig.pass(Circuit.OPEN);
            served(rig, 20);
            rig.pass(Duration.ofSeconds(10));
            var afterwards = served(rig, 20);

            assertThat(before).containsOnly(Map.entry(0, 20));
            assertThat(meanwhile).containsOnly(Map.entry(1, 20));
            assertThat(afterwards).containsOnly(Map.entry(0, 20));
        }
    }

    @Test
    void aServerThatIsFullLeavesRequestsToTheOthers() {
        var limits = new Rig.Limits().balance(Balance.KEY).connections(1).queue(0);
        try (var rig = new Rig(limits.servers(2))) {
            rig.fetch(from(0, 7));
            int first = asked(rig).server;
            rig.fetch(from(0, 7));
            int second = asked(rig).server;

            var third = rig.fetch(from(0, 7));

            assertThat(second).isNotEqualTo(first);
            assertThat(third.events).containsExactly("failed PROXY OVERLOAD");
        }
    }

    @Test
    void anOriginThatIsNotAskedFailsAtOnceAndIsTriedAfterFiveSeconds() {
        try (var rig = new Rig(new Rig.Limits().retries(0))) {
            rig.goDown(0);
            for (int i = 0; i < 5; i++) {
                rig.fetch(Rig.get("/"));
            }
            int channels = rig.channels.size();

            var refused = rig.fetch(Rig.get("/"));
            rig.goUp(0);
            rig.pass(Circuit.OPEN);
            rig.exchange();

            assertThat(channels).isEqualTo(5);
            assertThat(refused.events).containsExactly("failed ORIGIN CIRCUIT_OPEN");
            assertThat(rig.refused).isEqualTo(1);
            assertThat(rig.ejections).isEqualTo(1);
        }
    }

    @Test
    void aCancelledTrialLeavesItsPlaceToTheNext() {
        try (var rig = new Rig(new Rig.Limits().retries(0))) {
            rig.goDown(0);
            for (int i = 0; i < 5; i++) {
                rig.fetch(Rig.get("/"));
            }
            rig.goUp(0);
            rig.pass(Circuit.OPEN);
            var trial = rig.fetch(Rig.get("/"));
            var meanwhile = rig.fetch(Rig.get("/"));

            trial.flow().cancel();
            rig.turn();
            rig.exchange();

            assertThat(meanwhile.events).containsExactly("failed ORIGIN CIRCUIT_OPEN");
            assertThat(trial.events).isEmpty();
        }
    }

    @Test
    void gatewayErrorsAreTheServersFaultAnd500IsThePages() {
        try (var rig = new Rig(new Rig.Limits().servers(2).retries(0))) {
            for (int i = 0; i < 30; i++) {
                rig.fetch(Rig.get("/"));
                asked(rig).say("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
                rig.turn();
            }
            var after500 = rig.fetcher.servers().getFirst().circuit();
            for (int i = 0; i < 30; i++) {
                rig.fetch(Rig.get("/" + i));
                asked(rig).say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
                rig.turn();
            }

            assertThat(after500).isEqualTo(ServerState.Circuit.CLOSED);
            assertThat(rig.fetcher.servers())
                    .extracting(ServerState::circuit)
                    .containsExactlyInAnyOrder(
                            ServerState.Circuit.OPEN, ServerState.Circuit.CLOSED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
            })
    void oneBadPathOpensNothing(String answer) {
        try (var rig = new Rig(new Rig.Limits().retries(0))) {
            for (int i = 0; i < 100; i++) {
                rig.fetch(Rig.get("/bad?" + i));
                var peer = asked(rig);
                peer.say(answer);
                rig.turn();
                if (answer.contains("200")) {
                    peer.close();
                    rig.turn();
                }
            }

            assertThat(rig.ejections).isZero();
        }
    }

    @Test
    void aServerWithAnOpenCircuitGetsNothingWhileAnotherIsClosed() {
        try (var rig = new Rig(new Rig.Limits().servers(2).retries(0).connections(40))) {
            rig.goDown(0);
            for (int i = 0; i < 20; i++) {
                rig.fetch(Rig.get("/" + i));
            }
            rig.pass(Duration.ofSeconds(2));
            var opened = rig.fetcher.servers().getFirst().circuit();

            var later = new ArrayList<Recorder>();
            for (int i = 0; i < 20; i++) {
                later.add(rig.fetch(Rig.get("/" + i)));
            }

            assertThat(opened).isEqualTo(ServerState.Circuit.OPEN);
            assertThat(later).allSatisfy(each -> assertThat(each.events).isEmpty());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
                "SSH-2.0\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "",
            })
    void brokenMalformedAndLateAnswersOpenTheCircuit(String answer) {
        try (var rig = new Rig(new Rig.Limits().connections(20))) {
            for (int i = 0; i < 20; i++) {
                rig.fetch(Rig.get("/" + i));
            }
            var before = rig.ejections;

            for (var peer : answer.isEmpty() ? List.<Rig.Peer>of() : List.copyOf(rig.peers)) {
                peer.say(answer);
                rig.turn();
                peer.close();
                rig.turn();
            }
            rig.pass(Rig.FIRST_BYTE);

            assertThat(before).isZero();
            assertThat(rig.ejections).isEqualTo(1);
        }
    }

    @Test
    void underTotalFailureAFifthMoreIsSentAndThreeASecond() {
        try (var rig = new Rig(new Rig.Limits().servers(2))) {
            int requests = 0;
            // Answered now and then, so that no circuit opens.
            for (int i = 0; i < 400; i++) {
                var got = rig.fetch(Rig.get("/" + i));
                requests++;
                var peer = asked(rig);
                if (i % 2 == 0) {
                    peer.say(OK);
                } else {
                    peer.close();
                }
                rig.turn();
                for (var again : rig.peers) {
                    if (!again.heard().isEmpty()) {
                        requests++;
                        again.say(OK);
                    }
                }
                rig.turn();
                assertThat(got.events).hasSizeBetween(1, 2);
                rig.pass(Duration.ofMillis(10));
            }

            assertThat(requests).isEqualTo(400 + rig.retries);
            assertThat(rig.retries).isBetween(80, 80 + 6 + 4 * 3);
            assertThat(rig.retriesRefused).isEqualTo(200 - rig.retries);
        }
    }
}
