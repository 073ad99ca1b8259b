package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.User.user;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SiteBeginsAnewTest {

    /** Accepts every login, and redirects to its front page. */
    private record Door() implements Application {
        @Override
        public String authority() {
            return "door.example";
        }

        @Override
        public Reply answer(Request request) {
            boolean isLogin = request.method().equals("POST");
            return new Reply.Whole(
                    new Response(
                            "HTTP/1.1",
                            isLogin ? 302 : 200,
                            isLogin
                                    ? Fields.of("Location", "/", "Cache-Control", "no-store")
                                    : Fields.of(
                                            "Content-Type",
                                            "text/html;charset=utf-8",
                                            "Surrogate-Control",
                                            "max-age=60"),
                            Content.of(new byte[0]),
                            List.of(),
                            true));
        }
    }

    static Stream<Assembling> assembling() {
        return Stream.of(Assembling.PROXY, Assembling.proxy(setup -> setup));
    }

    @ParameterizedTest
    @MethodSource("assembling")
    void timeGoneByIsForgottenWithTheRest(Assembling assembling) {
        try (var site = EsiSite.over(new Door()).assembledBy(assembling)) {
            site.get("/");
            site.clock().advance(Duration.ofDays(2));
            assertThat(site.get("/")).document().wasMiss();

            site.reset();
            site.get("/");

            var now = InstantSource.system().instant();
            assertThat(site.clock().instant())
                    .isBetween(now.minus(1, ChronoUnit.HOURS), now.plus(1, ChronoUnit.HOURS));
        }
    }

    @ParameterizedTest
    @MethodSource("assembling")
    void loginThatHasBeenDoneDropsNothingLater(Assembling assembling) {
        User.Login knock = site -> site.post("/login", Map.of());
        try (var site = EsiSite.over(new Door()).assembledBy(assembling)) {
            var first = site.as(user("first").logsIn(knock)).loggedIn();
            var second = site.as(user("second").logsIn(knock)).loggedIn();
            var third = site.as(user("third").logsIn(knock));

            first.get("/");

            assertThat(second.get("/")).document().wasHit();
            // One URL is invalidated by redirects to it at most once a second.
            site.clock().advance(Duration.ofSeconds(1));
            assertThat(third.get("/")).document().wasMiss();
        }
    }

    @Test
    void proxyShowsItselfOnceItRuns() {
        var started = new AtomicReference<RunningProxy>();
        var how = Assembling.proxy(setup -> setup.whenStarted(started::set));
        try (var site = EsiSite.over(new Door()).assembledBy(how)) {
            assertThat(started).hasNullValue();

            site.get("/");

            assertThat(started.get().stored()).hasSize(1);
        }
    }
}
