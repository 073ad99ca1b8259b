package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.route.OriginSettings;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Periodic health checks; unhealthy servers receive no requests. */
class HealthCheckTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(6);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static Rig.Limits limits(int threshold, int window) {
        return new Rig.Limits()
                .retries(0)
                .health(
                        new OriginSettings.Health(
                                Optional.of("/health"),
                                INTERVAL,
                                TIMEOUT,
                                threshold,
                                window,
                                Duration.ofSeconds(10)));
    }

    private static Rig checked(Rig.Limits limits) {
        var rig = new Rig(limits);
        rig.fetcher.check(rig.loop);
        rig.turn();
        return rig;
    }

    /** Waits for the next check and answers it. */
    private static void check(Rig rig, String answer) {
        int before = rig.peers.size();
        rig.pass(LONGEST_INTERVAL.minusSeconds(2));
        if (rig.peers.size() == before) {
            rig.pass(Duration.ofSeconds(2));
        }
        assertThat(rig.peers).hasSize(before + 1);
        rig.answer(answer);
    }

    private static ServerState.Health health(Rig rig) {
        return rig.fetcher.servers().getFirst().health();
    }

    @Test
    void aCheckIsARequestOfItsOwnOnAConnectionOfItsOwn() {
        try (var rig = checked(limits(2, 2))) {
            var heard = rig.peer().heard();
            var before = health(rig);

            rig.answer(OK);
            check(rig, OK);

            assertThat(heard)
                    .startsWith("GET /health HTTP/1.1\r\n")
                    .contains("host: origin.test:8081\r\n", "connection: close\r\n")
                    .endsWith("\r\n\r\n");
            assertThat(before).isEqualTo(ServerState.Health.UNCHECKED);
            assertThat(health(rig)).isEqualTo(ServerState.Health.UP);
            assertThat(rig.peers).hasSize(2).allMatch(Rig.Peer::isClosed);
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void twoFailuresInARowAreTheEndAndTwoSuccessesABeginning() {
        try (var rig = checked(limits(2, 2))) {
            rig.answer(OK);
            check(rig, "HTTP/1.1 500 Oops\r\n\r\n");
            check(rig, OK);
            check(rig, "HTTP/1.1 404 Not Found\r\n\r\n");
            var single = rig.ejections;
            check(rig, "SSH-2.0\r\n");
            var down = health(rig);
            var refused = rig.fetch(Rig.get("/"));
            check(rig, OK);
            var afterOne = health(rig);
            check(rig, "HTTP/1.1 302 Found\r\n\r\n");

            assertThat(single).isZero();
            assertThat(down).isEqualTo(ServerState.Health.DOWN);
            assertThat(refused.events).containsExactly("failed ORIGIN CIRCUIT_OPEN");
            assertThat(afterOne).isEqualTo(ServerState.Health.DOWN);
            assertThat(health(rig)).isEqualTo(ServerState.Health.UP);
            rig.exchange();
        }
    }

    @Test
    void deathIsSeenWithinFifteenSecondsAndLifeWithinThirteen() {
        try (var rig = checked(limits(2, 2))) {
            rig.answer(OK);

            rig.goDown(0);
            long died = rig.ticker.nanoTime();
            while (health(rig) != ServerState.Health.DOWN) {
                rig.pass(Duration.ofMillis(100));
            }
            long seen = rig.ticker.nanoTime();
            rig.goUp(0);
            int heard = rig.peers.size();
            while (health(rig) != ServerState.Health.UP) {
                rig.pass(Duration.ofMillis(100));
                if (rig.peers.size() > heard) {
                    heard = rig.peers.size();
                    rig.answer(OK);
                }
            }
            long lived = rig.ticker.nanoTime();

            assertThat(Duration.ofNanos(seen - died)).isLessThan(Duration.ofSeconds(15));
            assertThat(Duration.ofNanos(lived - seen)).isLessThan(Duration.ofSeconds(13));
        }
    }

    @Test
    void aServerThatDoesNotAnswerTheCheckIsSick() {
        try (var rig = checked(limits(1, 1))) {
            rig.pass(TIMEOUT.minusMillis(1));
            var before = health(rig);
            rig.pass(Duration.ofMillis(1));

            assertThat(before).isEqualTo(ServerState.Health.UNCHECKED);
            assertThat(health(rig)).isEqualTo(ServerState.Health.DOWN);
            assertThat(rig.peer().isClosed()).isTrue();
        }
    }

    @Test
    void threeOfTheLastFiveDecideWhereTheWindowIsWider() {
        var fault = "HTTP/1.1 503 No\r\n\r\n";
        try (var rig = checked(limits(3, 5))) {
            rig.answer(fault);
            check(rig, OK);
            check(rig, fault);
            check(rig, OK);
            var before = health(rig);
            check(rig, fault);

            assertThat(before).isEqualTo(ServerState.Health.UNCHECKED);
            assertThat(health(rig)).isEqualTo(ServerState.Health.DOWN);
        }
    }

    @Test
    void noCheckFollowsTheEnd() {
        var rig = checked(limits(2, 2));
        rig.answer(OK);

        rig.close();
        rig.pass(Duration.ofMinutes(1));

        assertThat(rig.peers).hasSize(1);
    }

    @Test
    void aSocketThatCannotBeOpenedIsAFailedCheck() {
        try (var rig = new Rig(limits(1, 1))) {
            rig.unopened = 1;
            rig.fetcher.check(rig.loop);
            rig.turn();
            rig.turnWithoutSockets();
            var without = health(rig);
            check(rig, OK);

            assertThat(without).isEqualTo(ServerState.Health.DOWN);
            assertThat(health(rig)).isEqualTo(ServerState.Health.UP);
        }
    }
}
