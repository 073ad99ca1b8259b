package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A response channel without head texts receives the same responses as HTTP/1.1. */
class ResponseChannelTest {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String CSS = "Content-Type: text/css";
    private static final String GZIP = "Accept-Encoding: gzip";
    private static final String CAPABLE = "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"";
    private static final String STAMPING =
            "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0 Stamp/1.aaaaaaaaaaaaaaaaaaaaaa\"";
    private static final Pattern STAMP =
            Pattern.compile("quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.([A-Za-z0-9_-]{22})\"");
    private static final String TEXT = "body { color: black } ".repeat(100);
    private static final Pattern BOUNDARY = Pattern.compile("boundary=(\\w+)");

    /**
     * @param prepare runs first, to store responses
     * @param origin runs during the request, as the origin
     */
    record Case(
            String name,
            Consumer<OneThread> prepare,
            String method,
            String target,
            List<String> fields,
            Consumer<OneThread> origin) {

        static Case of(String name, String target, String... fields) {
            return new Case(name, each -> {}, "GET", target, List.of(fields), each -> {});
        }

        Case stored(String at, String response) {
            return prepared(proxy -> {
                prepare.accept(proxy);
                proxy.stored(at, response);
            });
        }

        Case prepared(Consumer<OneThread> first) {
            return new Case(name, first, method, target, fields, origin);
        }

        Case by(String other) {
            return new Case(name, prepare, other, target, fields, origin);
        }

        Case origin(Consumer<OneThread> says) {
            return new Case(name, prepare, method, target, fields, says);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> answers() {
        var page = page("a" + include("/f") + "b", "ETag: \"1\"");
        var fragment = ok("F", FRESH, CSS);
        return Stream.of(
                Case.of("short stored body", "/a").stored("/a", ok("0123456789", FRESH, CSS)),
                Case.of("long stored body", "/a").stored("/a", ok("x".repeat(9_000), FRESH)),
                Case.of("large stored body", "/a").stored("/a", ok("x".repeat(90_000), FRESH)),
                Case.of("stored without content", "/a").stored("/a", bare("204 No Content", FRESH)),
                Case.of("head of a stored body", "/a")
                        .by("HEAD")
                        .stored("/a", ok("0123456789", FRESH)),
                Case.of("stored body in gzip", "/a", GZIP).stored("/a", ok(TEXT, FRESH, CSS)),
                Case.of("head of a stored body in gzip", "/a", GZIP)
                        .by("HEAD")
                        .stored("/a", ok(TEXT, FRESH, CSS)),
                Case.of("coding undone", "/a")
                        .stored("/a", ok(Coded.gzip(TEXT), FRESH, CSS, "Content-Encoding: gzip")),
                Case.of("not modified", "/a", "If-None-Match: \"1\"")
                        .stored("/a", ok("0123456789", FRESH, "ETag: \"1\"", "Vary: Origin")),
                Case.of("not modified in gzip", "/a", GZIP, "If-None-Match: W/\"1\"")
                        .stored("/a", ok(TEXT, FRESH, CSS, "ETag: \"1\"")),
                Case.of("one part", "/a", "Range: bytes=2-5")
                        .stored("/a", ok("0123456789", FRESH, CSS)),
                Case.of("several parts", "/a", "Range: bytes=8-, 1-2")
                        .stored("/a", ok("0123456789", FRESH, CSS)),
                Case.of("no part", "/a", "Range: bytes=20-")
                        .stored("/a", ok("0123456789", FRESH, CSS)),
                Case.of("page", "/p").stored("/f", fragment).stored("/p", page),
                Case.of("head of a page", "/p")
                        .by("HEAD")
                        .stored("/f", fragment)
                        .stored("/p", page),
                Case.of("page in gzip", "/p", GZIP).stored("/f", fragment).stored("/p", page),
                Case.of("page that changes its status", "/p")
                        .stored("/p", page("<esi:vars>$set_response_code(404)</esi:vars>gone")),
                Case.of("page whose fragment is late", "/p")
                        .stored("/p", page)
                        .origin(proxy -> {
                            proxy.pass(Duration.ofMillis(100));
                            proxy.ask("/f").say(fragment);
                        }),
                Case.of("page whose fragment is late, in gzip", "/p", GZIP)
                        .stored("/p", page)
                        .origin(proxy -> {
                            proxy.pass(Duration.ofMillis(100));
                            proxy.ask("/f").say(fragment);
                        }),
                Case.of("page that cannot be", "/p")
                        .stored("/p", page("a<esi:include src=\"/f\" onerror=\"fail\"/>"))
                        .origin(proxy -> proxy.ask("/f").say(ok("", "Connection: close")).close()),
                Case.of("document for a surrogate", "/p", CAPABLE)
                        .prepared(proxy -> document(proxy, page)),
                Case.of("document for a surrogate that stamps", "/p", STAMPING)
                        .prepared(ResponseChannelTest::stampedDocument),
                Case.of("document that flows to a surrogate", "/p", CAPABLE)
                        .origin(proxy -> proxy.ask("/p").say(page)),
                Case.of("flowing with its length", "/a")
                        .origin(proxy ->
                                proxy.ask("/a")
                                        .say(
                                                ok(
                                                        "flows",
                                                        "Cache-Control: no-store",
                                                        "Connection: X-Hop",
                                                        "X-Hop: 1",
                                                        "Keep-Alive: timeout=5"))),
                Case.of("flowing in chunks", "/a")
                        .origin(proxy ->
                                proxy.ask("/a")
                                        .say(
                                                bare(
                                                                "200 OK",
                                                                "Cache-Control: no-store",
                                                                "Transfer-Encoding: chunked")
                                                        + "5\r\nflows\r\n0\r\n\r\n")),
                Case.of("flowing while it is stored, not modified", "/a", "If-None-Match: \"1\"")
                        .origin(proxy ->
                                proxy.ask("/a").say(ok("0123456789", FRESH, "ETag: \"1\""))),
                Case.of("origin that cannot be asked", "/a")
                        .origin(proxy -> proxy.ask("/a").say("nonsense\r\n\r\n")),
                Case.of("options of the server", "*").by("OPTIONS"));
    }

    /** Stores the source of the document {@code /p} too, by a request of a surrogate. */
    private static void document(OneThread proxy, String response) {
        var surrogate = proxy.client();
        surrogate.get("/p", CAPABLE);
        proxy.ask("/p").say(response);
        surrogate.hangUp();
    }

    private static void stampedDocument(OneThread proxy) {
        var surrogate = proxy.client();
        surrogate.get("/p", STAMPING);
        var stamp = STAMP.matcher(proxy.ask("/p").text());
        assertThat(stamp.find()).isTrue();
        proxy.ask("/p")
                .say(
                        ok(
                                "a<esi:" + stamp.group(1) + ":include src='/f'/>",
                                "Content-Type: text/html",
                                "Surrogate-Control: max-age=60, content=\"ESI/1.0\", stamp=\""
                                        + stamp.group(1)
                                        + '"'));
        surrogate.hangUp();
    }

    @ParameterizedTest
    @MethodSource("answers")
    void answerIsThatOfHttp1WithoutItsFraming(Case each) {
        Received received;
        try (var proxy = proxy()) {
            each.prepare().accept(proxy);
            var client = proxy.client();
            client.send(request(each.method(), each.target(), fields(each)));
            each.origin().accept(proxy);
            received = Received.of(client.awaited());
        }

        try (var proxy = proxy()) {
            each.prepare().accept(proxy);
            var response = ask(proxy, each.method(), each.target(), each.fields());
            each.origin().accept(proxy);
            while (!response.isEnded) {
                proxy.turn();
            }

            assertThat(received.head()).startsWith("HTTP/1.1 " + response.status() + ' ');
            assertThat(withoutBoundary(String.join("\r\n", response.fields)))
                    .isEqualTo(withoutBoundary(fieldsOf(received)));
            assertThat(response.body.toString().length()).isEqualTo(received.body().length());
            if (!response.fields.toString().contains("boundary=")) {
                assertThat(withoutId(response.body.toString()))
                        .isEqualTo(withoutId(received.body()));
            }
            assertThat(response.isAborted).isFalse();
        }
    }

    /** Each request has its own. */
    private static String withoutId(String body) {
        return body.replaceAll("Request id: \\w{26}", "Request id: ");
    }

    @Test
    void interimHeadComesBeforeTheHead() {
        try (var proxy = proxy()) {
            var response = ask(proxy, "GET", "/a", List.of());

            proxy.ask("/a").say(bare("102 Processing", "X-Any: 1")).say(ok("body", FRESH));

            assertThat(response.interim).extracting(ResponseHead::status).containsExactly(102);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body).hasToString("body");
        }
    }

    @Test
    void bodyThatBreaksOffIsAborted() {
        try (var proxy = proxy()) {
            var response = ask(proxy, "GET", "/a", List.of());

            proxy.ask("/a").say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody").close();
            proxy.turn();

            assertThat(response.isAborted).isTrue();
            assertThat(response.isEnded).isFalse();
        }
    }

    private static OneThread proxy() {
        return new OneThread(new Rules().compressing(Compression.ALL).trustingClients());
    }

    private static RecordedResponse ask(
            OneThread proxy, String method, String target, List<String> lines) {
        var fields = new Fields.Builder().add("Host", "news.test");
        for (var line : lines) {
            int colon = line.indexOf(':');
            fields.add(line.substring(0, colon), line.substring(colon + 2));
        }
        var head = new RequestHead(method, Scheme.HTTP, "news.test", target, fields.build());
        var response = new RecordedResponse(proxy, head);
        proxy.noting.begin(response.exchange);
        proxy.turn();
        return response;
    }

    private static String[] fields(Case each) {
        return each.fields().toArray(String[]::new);
    }

    /** The lines of a head in the form of HTTP/2. */
    private static String fieldsOf(Received received) {
        return Arrays.stream(received.head().split("\r\n"))
                .skip(1)
                .map(ResponseChannelTest::lowerName)
                .filter(line ->
                        !line.startsWith("transfer-encoding:") && !line.startsWith("connection:"))
                .collect(Collectors.joining("\r\n"));
    }

    private static String lowerName(String line) {
        int colon = line.indexOf(':');
        return line.substring(0, colon).toLowerCase(Locale.ROOT) + line.substring(colon);
    }

    private static String withoutBoundary(String text) {
        return BOUNDARY.matcher(text).replaceAll("boundary=any");
    }
}
