package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that other servers accept too: unusual queries, HTTP/1.0 without Host, long heads. */
class AcceptedRequestsIT {
    private static final Answer STORED = Answer.html("stored").field("Cache-Control", "max-age=60");

    private final Origin origin = Origin.start().otherwise(request -> STORED);

    @TempDir Path directory;

    @AfterEach
    void stop() {
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/echo?q=100%",
                "/echo?q=`x^\\",
                "/echo?q=%zz&r=%4",
                "/echo?{\"a\":[<1>|2]}",
                "/echo?q=M\u00c3\u00bcnchen",
                "/echo?q=\u0080\u00a0\u00ff"
            })
    void queriesReachTheOriginByteByByteAndShareAKey(String target) {
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            assertThat(ask(client, target).status()).isEqualTo(200);
            assertThat(ask(client, target).field("Age")).isNotNull();

            assertThat(origin.requests()).singleElement().matches(r -> r.target().equals(target));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/a?q=\u00fc, /a?q=\u00c3\u00bc",
        "/a?q=\u00c3\u00bc, /a?q=\u00c3\u00bc",
        "/a?q=100%, /a?q=100%"
    })
    void suchAUrlIsPurgedAsItIsWrittenAndAsItIsLogged(String purged, String target) {
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            ask(client, target);
            ask(client, "/other?q=100%");

            purge(proxy, "http://site.example" + purged);
            ask(client, target);
            ask(client, "/other?q=100%");

            assertThat(origin.requests()).hasSize(3);
        }
    }

    @Test
    void theAccessLogShowsTheBytesOfSuchAQueryEscaped() throws Exception {
        var log = directory.resolve("access.log");

        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .with("log", "{ access: \"" + log + "\" }")
                                .start();
                var client = proxy.connect()) {
            ask(client, "/a?q=100%&c=\u009b31m\u00c3\u00bc");
        }

        assertThat(Files.readString(log, UTF_8)).contains("/a?q=100%&c=\\u009b31m\\u00c3\\u00bc\"");
    }

    @Test
    void expressionsTakeALonePercentSignForItself() {
        origin.on(
                "/page",
                Answer.html("<esi:vars>[$(QUERY_STRING{q})]</esi:vars>")
                        .field("Surrogate-Control", "content=\"ESI/1.0\""));

        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .with("esi", "{ decode-query: true }")
                                .start();
                var client = proxy.connect()) {
            assertThat(ask(client, "/page?q=100%&r").text()).isEqualTo("[100%]");
            assertThat(ask(client, "/page?q=5%+a%20b%zz%4").text()).isEqualTo("[5% a b%zz%4]");
        }
    }

    @Test
    void queryOfAPageReachesItsFragmentsEncoded() {
        origin.on(
                "/page",
                Answer.html("<esi:include src=\"/f?$(QUERY_STRING)\"/>")
                        .field("Surrogate-Control", "content=\"ESI/1.0\""));

        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            ask(client, "/page?q=100%&c=\u00c3\u00bc");
        }

        assertThat(origin.awaitRequest("/f").target()).isEqualTo("/f?q=100%25&c=%C3%BC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/100%", "/a\\b", "/%00", "/\u00fc", "/a?b\u007f", "/a?b\tc", "/a?%00"})
    void pathsAndControlCharactersStayStrict(String target) {
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            assertThat(ask(client, target).status()).isEqualTo(400);
        }

        assertThat(origin.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // routes' hosts, listen.default-host, request, the Host that the origin receives
        "www.site.example, , GET /a HTTP/1.0, www.site.example",
        "www.site.example, WWW.Other.example:81, GET /a HTTP/1.0, www.other.example:81",
        "'*', www.site.example, GET /a HTTP/1.0, www.site.example",
        "'*', , GET http://url.example/a HTTP/1.0, url.example",
        "'*', www.site.example, GET http://url.example/a HTTP/1.0, url.example",
        "'*', www.site.example, 'GET /a HTTP/1.0\r\nHost: own.example', own.example"
    })
    void requestOfHttp10WithoutHostGetsTheDefault(
            String routed, String listed, String request, String expected) {
        try (var proxy = proxy(routed, listed);
                var client = proxy.connect()) {
            var response = client.send(request + "\r\n\r\n").response();

            boolean isRouted = routed.equals("*") || routed.equals(expected);
            assertThat(response.status()).isEqualTo(isRouted ? 200 : 421);
            if (isRouted) {
                assertThat(origin.awaitRequest("/a").field("Host")).isEqualTo(expected);
                assertThat(proxy.stored())
                        .singleElement()
                        .matches(entry -> entry.url().equals("http://" + expected + "/a"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'*', , GET /a HTTP/1.0",
        "'*.site.example', , GET /a HTTP/1.0",
        "'*', www.site.example, GET /a HTTP/1.1",
        "'*', www.site.example, 'GET /a HTTP/1.0\r\nHost: a\r\nHost: b'",
        "'*', www.site.example, 'GET /a HTTP/1.0\r\nHost:'",
        "'*', www.site.example, 'GET /a HTTP/1.0\r\nHost: u@h'"
    })
    void anyOtherHostThatIsMissingOrDoubtfulIs400(String routed, String listed, String request) {
        try (var proxy = proxy(routed, listed);
                var client = proxy.connect()) {
            var response = client.send(request + "\r\n\r\n").response();

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text())
                    .startsWith(
                            listed == null
                                    ? "A request of HTTP/1.0 needs a Host field here.\n"
                                    : "The request is incomplete or malformed.\n");
        }

        assertThat(origin.requests()).isEmpty();
    }

    @Test
    void aClientWithoutHostSharesTheKeyOfTheDefault() {
        try (var proxy = proxy("*", "www.site.example");
                var client = proxy.connect()) {
            client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").response();
            client.send("GET /a HTTP/1.1\r\nHost: www.site.example\r\n\r\n").response();

            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    @Test
    void cookieOf8200BytesAnd150FieldsPass() {
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var request =
                    "GET /a HTTP/1.1\r\nHost: h\r\nCookie: c="
                            + "x".repeat(8200)
                            + "\r\n"
                            + "X-Field: value\r\n".repeat(150);

            assertThat(client.send(request + "\r\n").response().status()).isEqualTo(200);
        }

        var received = origin.awaitRequest("/a");
        assertThat(received.field("Cookie")).hasSize(8202);
        assertThat(received.fields().all("X-Field")).hasSize(150);
    }

    @ParameterizedTest
    @CsvSource({
        "request-line: 1KiB, 414, 1100, 1, 1",
        "field: 2KiB, 431, 1, 2100, 1",
        "'request-line: 1KiB, field: 2KiB, head: 4KiB', 431, 1, 1500, 3",
        "fields: 16, 431, 1, 1, 17"
    })
    void theLimitsOfAHeadAreConfigured(
            String limits, int status, int queryBytes, int fieldBytes, int fields) {
        var request =
                "GET /a?%s HTTP/1.1\r\nHost: h\r\n%s\r\n"
                        .formatted(
                                "q".repeat(queryBytes),
                                ("X: " + "v".repeat(fieldBytes) + "\r\n").repeat(fields));

        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .with("limits", "{ " + limits + " }")
                                .start();
                var client = proxy.connect()) {
            assertThat(client.send(request).response().status()).isEqualTo(status);
        }
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            assertThat(client.send(request).response().status()).isEqualTo(200);
        }
    }

    private RunningProxy proxy(String routed, String listed) {
        return RunningProxy.inFrontOf(origin)
                .with(
                        "listen",
                        "{ http: \"127.0.0.1:0\", default-host: %s }"
                                .formatted(listed == null ? "null" : "\"" + listed + "\""))
                .with(
                        "routes",
                        "[ { host: \"%s\", path: \"/**\", origin: tested } ]".formatted(routed))
                .start();
    }

    private static void purge(RunningProxy proxy, String url) {
        try (var operator = HttpWire.to(proxy.admin())) {
            var json = "{ \"urls\": [\"" + url + "\"] }";
            var response =
                    operator.request(
                                    "POST",
                                    "/v1/purge",
                                    json.getBytes(UTF_8),
                                    "Content-Type",
                                    "application/json")
                            .response();
            assertThat(response.status()).isEqualTo(200);
        }
    }

    /** Sends the target's chars as bytes. */
    private static Response ask(HttpWire client, String target) {
        return client.send(
                        ("GET " + target + " HTTP/1.1\r\nHost: site.example\r\n\r\n")
                                .getBytes(ISO_8859_1))
                .response();
    }
}
