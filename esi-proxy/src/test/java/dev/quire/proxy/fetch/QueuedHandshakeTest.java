package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.TunnelEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening handshakes of WebSockets that wait for a connection, among other requests. */
class QueuedHandshakeTest {
    private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

    // The example of RFC 6455 §1.3.
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final String SWITCHING =
            """
            HTTP/1.1 101 Switching Protocols\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
            \r
            """;

    /** Also records the change of protocol. */
    private static final class Opening extends Recorder {
        @Override
        public void switched(ResponseHead head, TunnelEnd tunnel) {
            events.add("switched " + head.status());
        }
    }

    private static Opening handshake(Rig rig) {
        var plain = Rig.get("/socket");
        var request =
                new OriginRequest(
                        plain.head(),
                        null,
                        plain.client(),
                        plain.affinity(),
                        null,
                        null,
                        false,
                        FieldNames.NONE,
                        new UpgradeRequest.WebSocket(KEY));
        var opening = new Opening();
        rig.fetch(request, rig.loop, opening);
        return opening;
    }

    @Test
    void usesTheConnectionThatBecomesFreeAndKeepsItsPlace() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            rig.fetch(Rig.get("/1"));
            var opening = handshake(rig);
            var behind = rig.fetch(Rig.get("/2"));
            rig.peer().heard();

            rig.answer(OK);
            var next = rig.peer().heard();
            rig.answer(SWITCHING);
            var connections = rig.peers.size();
            rig.answer(OK);

            assertThat(next).startsWith("GET /socket ");
            assertThat(opening.events).containsExactly("switched 101");
            // The tunnel holds no permit, so the next request opens a connection.
            assertThat(connections).isEqualTo(2);
            assertThat(rig.peers.getFirst().isClosed()).isFalse();
            assertThat(behind.events).containsExactly("head 204", "end");
        }
    }

    @Test
    void usesANewConnectionWhileThereIsRoom() {
        try (var rig = new Rig(new Rig.Limits().connections(2))) {
            rig.exchange();

            var opening = handshake(rig);
            rig.answer(SWITCHING);

            assertThat(opening.events).containsExactly("switched 101");
            assertThat(rig.peers).hasSize(2);
            assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
        }
    }

    @Test
    void thatTheOriginDeclinesLeavesTheConnectionToTheNext() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            rig.fetch(Rig.get("/1"));
            var opening = handshake(rig);
            var behind = rig.fetch(Rig.get("/2"));

            rig.answer(OK);
            rig.answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
            rig.answer(OK);

            assertThat(opening.events).containsExactly("head 403", "end");
            assertThat(behind.events).containsExactly("head 204", "end");
            assertThat(rig.peers).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void areServedInTheirOrderAmongRequestsThatKeepComing(int connections) {
        try (var rig = new Rig(new Rig.Limits().connections(connections).queue(100))) {
            var all = new ArrayList<Recorder>();
            for (int i = 0; i < 6; i++) {
                all.add(rig.fetch(Rig.get("/" + i)));
            }

            for (int step = 1; step <= 60; step++) {
                // As many requests come as are answered; one in five is a handshake.
                for (int i = 0; i < connections; i++) {
                    all.add(all.size() % 5 == 0 ? handshake(rig) : rig.fetch(Rig.get("/")));
                }
                rig.pass(Duration.ofMillis(20));
                answerEach(rig);

                assertThat(all)
                        .map(each -> each.events.isEmpty() ? "" : each.events.getFirst())
                        .startsWith(expected(step * connections))
                        .filteredOn(first -> !first.isEmpty())
                        .hasSize(step * connections);
            }
            rig.pass(Duration.ofSeconds(1));
        }
    }

    private static String[] expected(int answered) {
        return IntStream.range(0, answered)
                .mapToObj(i -> i >= 6 && i % 5 == 0 ? "switched 101" : "head 204")
                .toArray(String[]::new);
    }

    /** Answers the request in flight on each connection. */
    private static void answerEach(Rig rig) {
        for (var peer : List.copyOf(rig.peers)) {
            var heard = peer.heard();
            if (!heard.isEmpty()) {
                peer.say(heard.startsWith("GET /socket ") ? SWITCHING : OK);
            }
        }
        rig.turn();
    }

    @Test
    void isSentAgainToTheSameServerIfTheConnectionWasClosing() {
        try (var rig = new Rig(new Rig.Limits().servers(2).connections(1))) {
            rig.fetch(Rig.get("/1"));
            rig.fetch(Rig.get("/2"));
            var opening = handshake(rig);
            var first = rig.peers.getFirst();
            first.heard();

            first.say(OK);
            rig.turn();
            var heard = first.heard();
            first.close();
            rig.turn();
            rig.answer(SWITCHING);

            assertThat(heard).startsWith("GET /socket ");
            assertThat(rig.peers).extracting(peer -> peer.server).containsExactly(0, 1, 0);
            assertThat(opening.events).containsExactly("switched 101");
        }
    }

    @Test
    void isNotSentAgainIfANewConnectionFails() {
        try (var rig = new Rig(new Rig.Limits().servers(2))) {
            var opening = handshake(rig);

            rig.peer().close();
            rig.turn();

            assertThat(opening.events).containsExactly("failed ORIGIN TRUNCATED");
            assertThat(rig.peers).hasSize(1);
        }
    }
}
