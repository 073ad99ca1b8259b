package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins that are silent for longer than their timeouts: streams of events and long polls. */
class SilencesIT {
    private static final String EVENT = "data: 1\n\n";
    private static final String SHORT =
            "first-byte-timeout: 300ms, between-bytes-timeout: 300ms, retries: 0";

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    private RunningProxy proxy(String route) {
        return RunningProxy.inFrontOf(origin)
                .origin(SHORT)
                .with(
                        "routes",
                        "[ { path: \"/own/**\", origin: tested, "
                                + route
                                + " },"
                                + " { path: \"/**\", origin: tested } ]")
                .start();
    }

    private static Answer events(String type) {
        return Answer.status(200)
                .field("Content-Type", type)
                .repeating(EVENT, 2L * EVENT.length())
                .inChunksOf(EVENT.length());
    }

    private static void waitLongerThanTimeouts() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/event-stream", "Text/Event-Stream; charset=utf-8"})
    void eventArrivesAtOnceAndTheNextAfterAnySilence(String type) throws Exception {
        origin.on("/events", events(type));
        var held = origin.holdAfter("/events", EVENT.length());

        try (var proxy = proxy("esi: off");
                var client = proxy.connect()) {
            var arriving = client.request("GET", "/events").begin();
            arriving.awaitText(EVENT);
            waitLongerThanTimeouts();
            held.release();

            assertThat(arriving.finish().text()).isEqualTo(EVENT + EVENT);
        }
    }

    @Test
    void anyOtherResponseIsCutByTheSameSilence() {
        origin.on("/text", events("text/plain"));
        origin.holdAfter("/text", EVENT.length());

        try (var proxy = proxy("esi: off");
                var client = proxy.connect()) {
            assertThat(client.request("GET", "/text").begin().awaitCut().text()).isEqualTo(EVENT);
        }
    }

    @Test
    void streamOfEventsIsSilentForTheIdleTimeoutOfItsRouteAtMost() {
        origin.on("/own/events", events("text/event-stream"));
        origin.holdAfter("/own/events", EVENT.length());

        try (var proxy = proxy("idle-timeout: 200ms");
                var client = proxy.connect()) {
            var arriving = client.request("GET", "/own/events").begin();

            assertThat(arriving.awaitCut().text()).isEqualTo(EVENT);
        }
    }

    @Test
    void storableStreamOfEventsIsNotSharedNorStored() {
        origin.on("/events", events("text/event-stream").field("Cache-Control", "max-age=60"));
        var held = origin.holdAfter("/events", EVENT.length());

        try (var proxy = proxy("esi: off");
                var one = proxy.connect();
                var other = proxy.connect()) {
            var first = one.request("GET", "/events").begin();
            first.awaitText(EVENT);
            var second = other.request("GET", "/events").begin();
            second.awaitText(EVENT);
            held.release();

            assertThat(first.finish().text()).isEqualTo(EVENT + EVENT);
            assertThat(second.finish().text()).isEqualTo(EVENT + EVENT);
            assertThat(proxy.stored()).isEmpty();
        }
    }

    @Test
    void clientThatClosedItsSideKeepsASilentStreamForTheTimeoutOfOtherResponses() {
        origin.on("/events", events("text/event-stream"));
        var held = origin.holdAfter("/events", EVENT.length());

        try (var proxy = proxy("esi: off");
                var client = proxy.connect();
                var waiting = proxy.connect()) {
            var kept = waiting.request("GET", "/events").begin();
            kept.awaitText(EVENT);
            var arriving = client.request("GET", "/events").begin();
            arriving.awaitText(EVENT);
            client.halfClose();

            assertThat(arriving.awaitCut().text()).isEqualTo(EVENT);
            held.release();
            assertThat(kept.finish().text()).isEqualTo(EVENT + EVENT);
            proxy.awaitNoFetch();
        }
    }

    @Test
    void longPollWaitsForTheFirstByteAsLongAsItsRouteSays() throws Exception {
        origin.on("/own/poll", Answer.html("news"));
        origin.on("/poll", Answer.html("news"));
        var held = origin.hold("/own/poll");
        origin.hold("/poll");

        try (var proxy = proxy("first-byte-timeout: 60s");
                var client = proxy.connect();
                var other = proxy.connect()) {
            client.request("GET", "/own/poll");
            assertThat(other.get("/poll").status()).isEqualTo(504);
            waitLongerThanTimeouts();
            held.release();

            assertThat(client.response().text()).isEqualTo("news");
        }
    }

    @Test
    void slowBodyArrivesAsSlowlyAsItsRouteSays() throws Exception {
        origin.on("/own/text", events("text/plain"));
        var held = origin.holdAfter("/own/text", EVENT.length());

        try (var proxy = proxy("between-bytes-timeout: 60s");
                var client = proxy.connect()) {
            var arriving = client.request("GET", "/own/text").begin();
            arriving.awaitText(EVENT);
            waitLongerThanTimeouts();
            held.release();

            assertThat(arriving.finish().text()).isEqualTo(EVENT + EVENT);
        }
    }

    @Test
    void streamOfEventsEndsWithAReset() {
        origin.on("/events", events("text/event-stream"));
        origin.holdAfter("/events", EVENT.length());

        try (var proxy = proxy("esi: off")) {
            HttpWire client = proxy.connect();
            client.request("GET", "/events").begin().awaitText(EVENT);

            client.reset();

            proxy.awaitMetric("quire_requests_total", 1);
            proxy.awaitNoFetch();
        }
    }
}
