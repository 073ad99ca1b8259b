package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cache-Status for trusted clients (RFC 9211). */
class CacheStatusIT {
    private static final String FIELD = "Cache-Status";

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).clock(clock).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void answerIsFollowedFromTheMissThroughTheHitToTheOutage() {
        origin.on(
                "/a", Answer.html("a").field("Cache-Control", "max-age=60").field("ETag", "\"1\""));

        var miss = proxy.get("/a");
        clock.advance(Duration.ofSeconds(20));
        var hit = proxy.get("/a");
        clock.advance(Duration.ofSeconds(60));
        origin.on("/a", Answer.status(304).field("ETag", "\"1\""));
        var validated = proxy.get("/a");
        clock.advance(Duration.ofSeconds(100));
        origin.goDown();
        var outage = proxy.get("/a");

        assertThat(miss.field(FIELD)).isEqualTo("quire; fwd=uri-miss; fwd-status=200; stored");
        assertThat(withoutTier(hit.field(FIELD))).isEqualTo("quire; hit; ttl=40");
        assertThat(validated.field(FIELD)).isEqualTo("quire; fwd=stale; fwd-status=304; stored");
        assertThat(outage.field(FIELD)).isEqualTo("quire; fwd=stale; ttl=-40");
    }

    @Test
    void pageSpeaksOfItsDocumentAndBehindTheOriginsSide() {
        origin.on("/page", page(include("/part")).field(FIELD, "app; fwd=miss"));
        origin.on("/part", fragment("max-age=5+0", "part"));
        proxy.get("/page");
        clock.advance(Duration.ofSeconds(10));

        var response = proxy.get("/page", "Quire-Debug", "1");

        assertThat(response.text()).isEqualTo("part");
        assertThat(response.fields().all(FIELD))
                .map(CacheStatusIT::withoutTier)
                .containsExactly(
                        "app; fwd=miss",
                        "quire; hit; ttl=50; key=\"" + proxy.url("/page") + "\"; detail=\"fresh\"");
    }

    @Test
    void strangersAreToldNothing() {
        try (var shy = RunningProxy.inFrontOf(origin).with("diagnostics", "[]").start()) {
            origin.on("/a", Answer.html("a").field("Cache-Control", "max-age=60"));
            shy.get("/a");

            assertThat(shy.get("/a", "Quire-Debug", "1").field(FIELD)).isNull();
        }
    }

    /** Returns a member without the disk, which a proxy without memory may name. */
    private static @Nullable String withoutTier(@Nullable String member) {
        return member == null
                ? null
                : member.replace("; detail=disk", "").replace("\"disk, ", "\"");
    }
}
