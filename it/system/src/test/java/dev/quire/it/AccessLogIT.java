package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The lines of the access log, one for each request that was answered or refused. */
class AccessLogIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir Path directory;

    private final Origin origin = Origin.start();
    private @Nullable RunningProxy proxy;

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.close();
        }
        origin.close();
    }

    @Test
    void missNamesItsServerAndItsTimes() {
        origin.on("/x", fragment("body").delayed(Duration.ofMillis(30)));

        start("").get("/x?a=b", "User-Agent", "curl/8", "Referer", "http://b/c");

        var line = line();
        assertThat(text(line, "id")).matches("[0-9A-Z]{26}");
        assertThat(text(line, "client")).isEqualTo("127.0.0.1");
        assertThat(text(line, "method")).isEqualTo("GET");
        assertThat(text(line, "target")).isEqualTo("/x?a=b");
        assertThat(text(line, "host")).isEqualTo("127.0.0.1:" + proxy().http().getPort());
        assertThat(text(line, "url")).isEqualTo(proxy().url("/x?a=b"));
        assertThat(text(line, "proto")).isEqualTo("HTTP/1.1");
        assertThat(text(line, "ua")).isEqualTo("curl/8");
        assertThat(text(line, "referer")).isEqualTo("http://b/c");
        assertThat(line.get("status").intValue()).isEqualTo(200);
        assertThat(line.get("bytes").intValue()).isEqualTo(4);
        assertThat(text(line, "outcome")).isEqualTo("miss");
        assertThat(text(line, "reason")).isEqualTo("uri-miss");
        assertThat(text(line, "server")).isEqualTo(origin.url().toString());
        assertThat(line.get("origin_ms").doubleValue()).isBetween(29.0, 5_000.0);
        assertThat(line.get("ttfb_ms").doubleValue())
                .isBetween(29.0, line.get("total_ms").doubleValue());
        assertThat(line.has("not_stored")).isFalse();
    }

    @Test
    void hitNamesNoServer() {
        origin.on("/x", fragment("body"));
        start("").get("/x");
        line();

        proxy().get("/x");

        var line = lines(2).getLast();
        assertThat(text(line, "outcome")).isEqualTo("hit");
        assertThat(line.has("server")).isFalse();
        assertThat(line.has("origin_ms")).isFalse();
        assertThat(line.get("ttfb_ms").doubleValue()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "Set-Cookie, a=b, set-cookie",
        "Cache-Control, private, private",
        "Cache-Control, no-store, no-store",
        "Vary, *, vary-any"
    })
    void whyAResponseIsNotStoredIsInItsLine(String name, String value, String refusal) {
        origin.on("/x", Answer.html("x").field("Cache-Control", "max-age=60").field(name, value));

        start("").get("/x");

        assertThat(text(line(), "not_stored")).isEqualTo(refusal);
    }

    @Test
    void slowAndFailedFragmentsAreListedByDefault() {
        origin.on("/page", page(include("/slow") + include("/fast") + include("/bad")));
        origin.on("/slow", fragment("s").delayed(Duration.ofMillis(250)));
        origin.on("/fast", fragment("f"));
        origin.on("/bad", Answer.status(500));

        start("").get("/page");

        var fragments = new ArrayList<String>();
        line().get("fragments").forEach(each -> fragments.add(text(each, "url")));
        assertThat(fragments).containsExactlyInAnyOrder(proxy().url("/slow"), proxy().url("/bad"));
    }

    @Test
    void originGetsTheIdOfThePageWithEveryFragmentIfConfigured() {
        origin.on("/page", page(include("/a")));
        origin.on("/a", privately("a"));

        start("request-id: send").get("/page", "X-Request-Id", "forged");

        var id = text(line(), "id");
        assertThat(id).matches("[0-9A-Z]{26}");
        assertThat(origin.awaitRequest("/page").field("X-Request-Id")).isEqualTo(id);
        assertThat(origin.awaitRequest("/a").field("X-Request-Id")).isEqualTo(id);
    }

    @Test
    void trustedPeerGivesTheIdAndTheClient() {
        origin.on("/x", fragment("x"));
        var fields =
                List.of("X-Request-Id", "edge-7.4_a", "X-Forwarded-For", "2001:db8:0:0:0:0:0:7");

        start("request-id: send", "trusted", "[127.0.0.1]")
                .get("/x", fields.toArray(String[]::new));
        proxy().get("/x?2", "X-Request-Id", "a b\"");

        var lines = lines(2);
        assertThat(text(lines.getFirst(), "id")).isEqualTo("edge-7.4_a");
        assertThat(text(lines.getFirst(), "client")).isEqualTo("2001:db8::7");
        assertThat(origin.requests("/x").getFirst().field("X-Request-Id")).isEqualTo("edge-7.4_a");
        assertThat(text(lines.getLast(), "id")).matches("[0-9A-Z]{26}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "GET /a\\b HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n ~ 400 ~ bad-target ~ GET ~ /a\\b ~ h",
                "GET /a HTTP/1.1\\r\\n\\r\\n ~ 400 ~ not-one-host ~ GET ~ /a ~",
                "PURGE /a HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n ~ 405 ~ method-not-allowed ~ PURGE ~ /a ~ h",
                "TRACE /a HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n ~ 405 ~ method-not-allowed ~ TRACE ~ /a ~ h",
                "GET /a HTTP/3.0\\r\\nHost: h\\r\\n\\r\\n ~ 505 ~ unsupported-version ~ GET ~ /a ~ h",
                "GET /a HTTP/1.1\\r\\nHost: h\\r\\nX : y\\r\\n\\r\\n ~ 400 ~ bad-field-name ~ GET ~ /a ~ h",
                "GET /a HTTP/1.1\\r\\nHost: h\\r\\nExpect: z\\r\\n\\r\\n ~ 417 ~ unknown-expectation"
                        + " ~ GET ~ /a ~ h",
                "\\u0016\\u0003\\u0001 ~ 400 ~ bad-request-line ~ \\u0016\\u0003\\u0001 ~ ~"
            })
    void refusedRequestHasALineWithWhatIsKnown(
            String sent,
            int status,
            String reason,
            String method,
            @Nullable String target,
            @Nullable String host) {
        start("");
        try (var client = proxy().connect()) {
            assertThat(client.send(bytes(sent)).response().status()).isEqualTo(status);
        }

        var line = line();
        assertThat(line.get("status").intValue()).isEqualTo(status);
        assertThat(text(line, "outcome")).isEqualTo("refused");
        assertThat(text(line, "reason")).isEqualTo(reason);
        assertThat(text(line, "id")).matches("[0-9A-Z]{26}");
        assertThat(text(line, "client")).isEqualTo("127.0.0.1");
        assertThat(text(line, "method")).isEqualTo(bytes(method));
        assertThat(text(line, "target")).isEqualTo(target);
        assertThat(text(line, "host")).isEqualTo(host);
        assertThat(line.get("bytes").intValue()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"414", "431"})
    void longHeadIsCutInItsLine(String status) {
        start("");
        var long17k = "a".repeat(17_000);
        try (var client = proxy().connect()) {
            client.send(
                    status.equals("414")
                            ? "GET /" + long17k + " HTTP/1.1\r\nHost: h\r\n\r\n"
                            : "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: c\r\nX: "
                                    + long17k
                                    + "\r\n");
            assertThat(client.response().status()).isEqualTo(Integer.parseInt(status));
        }

        var line = line();
        assertThat(line.get("status").asString()).isEqualTo(status);
        assertThat(text(line, "method")).isEqualTo("GET");
        assertThat(line.toString().length()).isLessThan(2_000);
        if (status.equals("431")) {
            assertThat(text(line, "ua")).isEqualTo("c");
            assertThat(text(line, "host")).isEqualTo("h");
        }
    }

    @Test
    void headThatIsNotCompleteInTimeHasALine() {
        start("");
        try (var client = proxy().connect()) {
            assertThat(client.send("GET /slow HTTP/1.1\r\nHost: h\r\n").response().status())
                    .isEqualTo(408);
        }

        var line = line();
        assertThat(text(line, "reason")).isEqualTo("head-timeout");
        assertThat(text(line, "target")).isEqualTo("/slow");
        assertThat(line.get("total_ms").doubleValue()).isGreaterThan(9_000);
        proxy().awaitMetric("quire_rejects_total", 1);
    }

    @Test
    void bytesBeforeTheResponseToAHandshakeHaveALineWithoutAResponse() {
        origin.on("/ws", fragment("late").delayed(Duration.ofSeconds(20)));
        start("");
        try (var client = proxy().connect()) {
            client.request(
                    "GET",
                    "/ws",
                    "Connection",
                    "Upgrade",
                    "Upgrade",
                    "websocket",
                    "Sec-WebSocket-Version",
                    "13",
                    "Sec-WebSocket-Key",
                    "dGhlIHNhbXBsZSBub25jZQ==");
            origin.awaitRequest("/ws");

            client.send("x").awaitClosed();
        }

        var refused = lines(2).getFirst();
        assertThat(text(refused, "reason")).isEqualTo("early-tunnel-bytes");
        assertThat(refused.get("status").intValue()).isZero();
        assertThat(refused.get("bytes").intValue()).isZero();
        assertThat(text(refused, "id")).isEqualTo(text(lines(2).getLast(), "id"));
    }

    @Test
    void misdirectedRequestHasALine() {
        start("", "routes", "[ { host: \"news.example\", path: \"/**\", origin: tested } ]")
                .get("/x");

        var line = line();
        assertThat(line.get("status").intValue()).isEqualTo(421);
        assertThat(text(line, "outcome")).isEqualTo("error");
        assertThat(text(line, "reason")).isEqualTo("no-route");
    }

    @Test
    void closedConnectionsAreSummedUpInALine() {
        start("", "listen", "{ http: \"127.0.0.1:0\", max-connections-per-client: 2 }");
        var held = new ArrayList<HttpWire>();
        try {
            for (int i = 0; i < 40; i++) {
                held.add(proxy().connect());
            }
            proxy().awaitMetric("quire_rejects_total", 38);

            long sum = 0;
            int lines = 0;
            while (sum < 38) {
                lines++;
                var line = lines(lines).getLast();
                assertThat(text(line, "outcome")).isEqualTo("refused");
                assertThat(text(line, "reason")).isEqualTo("too-many-of-one-client");
                assertThat(text(line, "client")).isEqualTo("127.0.0.1");
                assertThat(line.get("status").intValue()).isZero();
                sum += line.get("connections").longValue();
            }
            assertThat(sum).isEqualTo(38);
            assertThat(lines).isLessThan(10);
        } finally {
            held.forEach(HttpWire::close);
        }
    }

    @Test
    void combinedLinesHaveNothingElse() throws IOException {
        origin.on("/x", fragment("body"));
        start("format: combined, query: drop")
                .get("/x?secret", "User-Agent", "say \"hi\"", "Referer", "http://b/?secret");
        awaitLines(1);
        try (var client = proxy().connect()) {
            client.send("\r\rx\r\n\r\n").response();
        }
        awaitLines(2);

        assertThat(Files.readAllLines(log()).getFirst())
                .matches(
                        "127\\.0\\.0\\.1 - - \\[[^]]+] \"GET /x HTTP/1\\.1\" 200 4 \"http://b/\""
                                + " \"say \\\\\"hi\\\\\"\"");
        assertThat(Files.readAllLines(log()).getLast()).contains(" 400 ");
    }

    private RunningProxy start(String log, String... sections) {
        var setup =
                RunningProxy.inFrontOf(origin)
                        .with(
                                "log",
                                "{ access: \"%s\"%s }"
                                        .formatted(log(), log.isEmpty() ? "" : ", " + log));
        for (int i = 0; i < sections.length; i += 2) {
            setup.with(sections[i], sections[i + 1]);
        }
        proxy = setup.start();
        return proxy;
    }

    private RunningProxy proxy() {
        if (proxy == null) {
            throw new IllegalStateException("not started");
        }
        return proxy;
    }

    private Path log() {
        return directory.resolve("access.log");
    }

    /** Waits for the first line. */
    private JsonNode line() {
        return lines(1).getFirst();
    }

    /** Waits for {@code count} lines. */
    private List<JsonNode> lines(int count) {
        return awaitLines(count).stream().limit(count).map(JSON::readTree).toList();
    }

    private List<String> awaitLines(int count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        try {
            while (true) {
                var lines = Files.exists(log()) ? Files.readAllLines(log()) : List.<String>of();
                if (lines.size() >= count) {
                    return lines;
                }
                assertThat(System.nanoTime() - end)
                        .as("%d of %d", lines.size(), count)
                        .isNegative();
                LockSupport.parkNanos(1_000_000);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable String text(JsonNode line, String member) {
        return line.has(member) ? line.get(member).stringValue() : null;
    }

    /** Replaces the escapes of the tables. */
    private static String bytes(String text) {
        return text.replace("\\r\\n", "\r\n")
                .replace("\\u0016", "\u0016")
                .replace("\\u0003", "\u0003")
                .replace("\\u0001", "\u0001");
    }
}
