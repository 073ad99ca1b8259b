package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The Host that an origin gets. */
class OriginHostIT {
    private final Origin origin =
            Origin.start()
                    .on("/up", request -> Answer.status(204))
                    .otherwise(request ->
                            Answer.html(request.target()).field("Cache-Control", "max-age=60"));

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void configuredHostReplacesThatOfTheClient() {
        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .origin("host: news.internal:8443, health: { path: /up }")
                                .start();
                var client = proxy.connect()) {
            client.get("/a", "Host", "www.example.org");
            client.get("/a", "Host", "shop.example.org");
            var checked = origin.awaitRequest("/up");

            assertThat(origin.requests("/a"))
                    .hasSize(2)
                    .allSatisfy(sent ->
                            assertThat(sent.fields().all("Host"))
                                    .containsExactly("news.internal:8443"))
                    .extracting(sent -> sent.field("X-Forwarded-Host"))
                    .containsExactly("www.example.org", "shop.example.org");
            assertThat(checked.field("Host")).isEqualTo("news.internal:8443");
        }
    }

    @Test
    void keepSendsTheHostOfTheClient() {
        try (var proxy = RunningProxy.inFrontOf(origin).origin("host: keep").start();
                var client = proxy.connect()) {
            client.get("/a", "Host", "www.example.org");

            assertThat(origin.awaitRequest("/a").field("Host")).isEqualTo("www.example.org");
        }
    }
}
