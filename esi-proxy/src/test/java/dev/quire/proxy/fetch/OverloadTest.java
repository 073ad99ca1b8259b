package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Far more requests than the origin can answer. */
class OverloadTest {
    private static final Duration STEP = Duration.ofMillis(10);
    private static final int STEPS_PER_SECOND = 100;
    private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

    /** Answers requests in order, at a limited rate. */
    private static final class BusyOrigin {
        private final Rig rig;
        private final double perStep;
        private final Queue<Rig.Peer> line = new ArrayDeque<>();
        private final Set<Rig.Peer> waiting = new HashSet<>();
        private double work;

        BusyOrigin(Rig rig, int perSecond) {
            this.rig = rig;
            this.perStep = (double) perSecond / STEPS_PER_SECOND;
        }

        void step() {
            for (var peer : rig.peers) {
                if (!peer.heard().isEmpty() && waiting.add(peer)) {
                    line.add(peer);
                }
            }
            work = Math.min(1, work) + perStep;
            while (work >= 1 && !line.isEmpty()) {
                work--;
                var peer = line.remove();
                waiting.remove(peer);
                // A cancelled request has used the same capacity.
                if (!peer.isClosed()) {
                    peer.say(OK);
                }
            }
            rig.peers.removeIf(peer -> peer.isClosed() && !waiting.contains(peer));
        }
    }

    private record Outcome(int answered, int overloaded, int failed) {}

    /** The outcomes of the requests of {@code seconds}, five times as many as can be answered. */
    private static Outcome overload(Rig rig, int perSecond, int seconds) {
        var origin = new BusyOrigin(rig, perSecond);
        var open = new ArrayList<Recorder>();
        int answered = 0;
        int overloaded = 0;
        int failed = 0;
        double due = 0;
        for (int step = 0; step < seconds * STEPS_PER_SECOND; step++) {
            for (due += 5.0 * perSecond / STEPS_PER_SECOND; due >= 1; due--) {
                open.add(rig.fetch(Rig.get("/")));
            }
            origin.step();
            rig.pass(STEP);
            for (var each : List.copyOf(open)) {
                if (!each.events.isEmpty()) {
                    open.remove(each);
                    switch (each.events.getLast()) {
                        case "end" -> answered++;
                        case "failed PROXY OVERLOAD" -> overloaded++;
                        default -> failed++;
                    }
                }
            }
        }
        open.forEach(each -> each.flow().cancel());
        rig.turn();
        return new Outcome(answered, overloaded, failed);
    }

    @ParameterizedTest
    @CsvSource({"100, 16", "100, 256", "40, 256", "10, 128"})
    void atFiveTimesItsCapacityTheOriginGoesOnAnsweringAllItCan(int perSecond, int connections) {
        var limits = new Rig.Limits().connections(connections).queue(256);
        try (var rig = new Rig(limits)) {
            var outcome = overload(rig, perSecond, 20);

            assertThat(outcome.answered()).isGreaterThanOrEqualTo(perSecond * 20 * 9 / 10);
            assertThat(outcome.failed()).isZero();
            assertThat(outcome.overloaded()).isGreaterThan(outcome.answered());
        }
    }

    @Test
    void aRequestWaitsForAConnectionForASecondAtMost() {
        try (var rig = new Rig(new Rig.Limits().connections(1).queue(1))) {
            rig.fetch(Rig.get("/"));
            var waiting = rig.fetch(Rig.get("/"));
            var tooMany = rig.fetch(Rig.get("/"));

            rig.pass(Duration.ofSeconds(1));

            assertThat(tooMany.events).containsExactly("failed PROXY OVERLOAD");
            assertThat(waiting.events).containsExactly("failed PROXY OVERLOAD");
        }
    }
}
