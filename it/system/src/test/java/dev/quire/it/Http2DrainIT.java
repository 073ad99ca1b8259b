package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.Http2Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of HTTP/2 while the proxy drains, as frames on the wire (RFC 9113 §6.8). */
class Http2DrainIT {
    private final Http2Edge edge = new Http2Edge("drain", "{ timeout: 20s }");

    @AfterEach
    void stop() {
        edge.close();
    }

    @ParameterizedTest
    @EnumSource
    void requestsOnTheirWayAreAcceptedBetweenTwoGoAways(Transport transport) throws Exception {
        edge.origin().otherwise(request -> Answer.html(request.target()));
        try (var held = edge.origin().hold("/held");
                // The proxy waits 500 ms in place of the answer to its PING.
                var client = edge.client(transport).withoutAcknowledgements().open()) {
            var first = client.get("/held");
            edge.origin().awaitRequest("/held");
            var between = new CompletableFuture<Http2Stream>();
            client.whenEnding(() -> {
                if (!between.isDone()) {
                    between.complete(get(client, "/held?between"));
                }
            });

            var drained = CompletableFuture.runAsync(edge.proxy()::drain);

            ReloadableProxy.await(() -> client.lastStreams().size() == 2, "two GOAWAY frames");
            var accepted = between.get(20, TimeUnit.SECONDS);
            assertThat(client.lastStreams()).containsExactly(Integer.MAX_VALUE, accepted.id());
            assertThat(client.goAway()).isEqualTo(ErrorCode.NO_ERROR);
            var late = client.get("/late");
            held.release();
            assertThat(first.text()).isEqualTo("/held");
            assertThat(accepted.text()).isEqualTo("/held?between");
            client.awaitEnded();
            drained.get(30, TimeUnit.SECONDS);
            assertThatThrownBy(late::status).isInstanceOf(IOException.class);
            assertThat(edge.origin().requests("/late")).isEmpty();
        }
    }

    private static Http2Stream get(Http2Wire client, String target) {
        try {
            return client.get(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The answer to the PING follows all requests that were sent before GOAWAY arrived. */
    @ParameterizedTest
    @EnumSource
    void idleConnectionsEndAfterTwoGoAways(Transport transport) throws Exception {
        edge.origin().otherwise(request -> Answer.html("answered"));
        try (var client = edge.connect(transport)) {
            var last = client.get("/a");
            assertThat(last.text()).isEqualTo("answered");

            edge.proxy().drain();

            client.awaitEnded();
            assertThat(client.lastStreams()).containsExactly(Integer.MAX_VALUE, last.id());
            assertThat(client.goAway()).isEqualTo(ErrorCode.NO_ERROR);
        }
    }
}
