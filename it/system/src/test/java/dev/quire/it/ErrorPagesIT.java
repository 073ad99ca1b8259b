package dev.quire.it;

import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The form of the proxy's own error responses. */
class ErrorPagesIT {
    private static final String BROWSER =
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    private final Origin origin = Origin.start();
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .with("trusted", "[127.0.0.2/32]")
                    .origin("retries: 0")
                    .start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void browserGetsAPageWithoutScriptsAndExternalResources() {
        origin.goDown();
        try (var client = proxy.connect()) {
            var response = client.get("/", "Accept", BROWSER, "X-Request-Id", "forged");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Content-Type")).isEqualTo("text/html; charset=utf-8");
            assertThat(response.field("Content-Security-Policy"))
                    .matches("default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='");
            assertThat(response.field("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(response.field("Cache-Control")).isEqualTo("no-store");
            assertThat(response.text())
                    .startsWith("<!doctype html>")
                    .contains("<h1>Bad Gateway</h1>")
                    .containsPattern("<code>[0-9A-HJKMNP-TV-Z]{26}</code>")
                    .doesNotContain("forged", "127.0.0.1", "http", "src=", "script");
        }
    }

    @Test
    void programGetsProblemDetailsAndOthersText() {
        origin.goDown();
        try (var client = proxy.connect()) {
            var problem = client.get("/", "Accept", "application/json");
            assertThat(problem.field("Content-Type")).isEqualTo("application/problem+json");
            assertThat(problem.text())
                    .matches(
                            "\\{\"title\":\"Bad Gateway\",\"status\":502,\"detail\":\"[^\"]+\","
                                    + "\"requestId\":\"[0-9A-Z]{26}\"}\n");

            var text = client.get("/", "Accept", "*/*");
            assertThat(text.field("Content-Type")).isEqualTo("text/plain; charset=utf-8");

            var head = client.request("HEAD", "/", "Accept", BROWSER).response();
            assertThat(head.field("Content-Type")).isEqualTo("text/html; charset=utf-8");
            assertThat(head.text()).isEmpty();
        }
    }

    @Test
    void pageIsNeverInsertedForAFragment() {
        origin.on("/", page("<" + include("/gone") + ">"));
        origin.on("/gone", Answer.reset());
        try (var client = proxy.connect()) {
            assertThat(client.get("/", "Accept", BROWSER).text()).isEqualTo("<>");
        }
    }

    @Test
    void idOfATrustedPeerIsShown() throws Exception {
        origin.goDown();
        try (var socket = new Socket()) {
            socket.bind(new InetSocketAddress("127.0.0.2", 0));
            try (var peer = HttpWire.to(proxy.http(), socket)) {
                assertThat(peer.get("/", "X-Request-Id", "edge-1.7").text())
                        .contains("Request id: edge-1.7\n");
                assertThat(peer.get("/", "X-Request-Id", "<b>", "Accept", BROWSER).text())
                        .doesNotContain("<b>");
            }
        }
    }
}
