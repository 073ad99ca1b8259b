package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.HttpDate;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine's clock is set an hour forward or back; the origin's clock is right. */
class ClockJumpIT {
    private static final int STORED = 300;

    private final TestClock clock = TestClock.handSet();
    private final Instant start = clock.instant();
    private final Origin origin = Origin.start(() -> start);
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).clock(clock).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    /** A response that is fresh for a minute, expressed in one of three ways. */
    private Answer answer(int number) {
        var answer = Answer.html("body " + number);
        return switch (number % 3) {
            case 0 -> answer.field("Cache-Control", "max-age=60, stale-while-revalidate=0");
            case 1 ->
                    answer.field("Cache-Control", "stale-while-revalidate=0")
                            .field("Expires", HttpDate.format(start.plusSeconds(60)));
            default ->
                    answer.field("Cache-Control", "stale-while-revalidate=0")
                            .field("Last-Modified", HttpDate.format(start.minusSeconds(600)));
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void nothingThatIsStoredExpiresOrAges(int hours) {
        for (int i = 0; i < STORED; i++) {
            origin.on("/" + i, answer(i));
            proxy.get("/" + i);
        }
        origin.forget();
        clock.advance(Duration.ofSeconds(59));

        clock.jumpWallClock(Duration.ofHours(hours));

        assertThat(IntStream.range(0, STORED).mapToObj(i -> proxy.get("/" + i)))
                .allSatisfy(hit -> assertThat(hit.fields().all("Age")).containsExactly("59"));
        assertThat(origin.paths()).isEmpty();

        clock.advance(Duration.ofSeconds(1));
        IntStream.range(0, STORED).forEach(i -> proxy.get("/" + i));
        assertThat(origin.paths()).hasSize(STORED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void whatArrivesAfterwardsIsAsYoungAsItsOriginSays(int hours) {
        origin.on("/x", Answer.html("x").field("Cache-Control", "max-age=60"));

        clock.jumpWallClock(Duration.ofHours(hours));
        proxy.get("/x");

        assertThat(age(proxy.get("/x"))).isZero();
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void nobodyWhoWaitsIsSentAway(int hours) {
        origin.on("/slow", Answer.html("slow").field("Cache-Control", "max-age=60"));
        try (var held = origin.hold("/slow");
                var idle = proxy.connect();
                var waiting = proxy.connect()) {
            assertThat(idle.get("/other").status()).isEqualTo(404);
            waiting.request("GET", "/slow");
            held.awaitWaiting(1);

            clock.jumpWallClock(Duration.ofHours(hours));

            // All timers of the loops have run once another request is answered.
            assertThat(idle.get("/other").status()).isEqualTo(404);
            held.release();
            assertThat(waiting.response().text()).isEqualTo("slow");
        }
    }

    private static long age(Response response) {
        var ages = response.fields().all("Age");
        assertThat(ages).hasSize(1);
        return Long.parseLong(ages.getFirst());
    }
}
