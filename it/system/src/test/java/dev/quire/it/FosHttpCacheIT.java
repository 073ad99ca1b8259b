package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The requests of FOSHttpCache's client for Varnish, as it writes them: {@code purge}, {@code
 * banPath}, {@code ban} and {@code invalidateTags}. It reports an error for each status from 400
 * on.
 */
class FosHttpCacheIT {
    private static final String ALLOWED = "{ methods: [PURGE, BAN], from: [127.0.0.0/8] }";
    private static final String ALL_TYPES = "X-Content-Type: .*\r\n";
    private static final String ALL_HOSTS = "X-Host: .*\r\n";
    private static final String ALL_URLS = "X-Url: .*\r\n";

    @TempDir Path directory;

    private final Origin origin = Origin.start();
    private RunningProxy proxy =
            RunningProxy.inFrontOf(origin).with("invalidation", ALLOWED).start();

    @BeforeEach
    void store() {
        origin.on("/articles/8", tagged("text/html; charset=utf-8", "article-8,front"));
        origin.on("/articles/80", tagged("text/html; charset=utf-8", "article-80,v1.2"));
        origin.on("/articles/8?page=2", tagged("text/html; charset=utf-8", "article-8"));
        origin.on("/logo.png", tagged("image/png", "logo"));
        get();
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    /** {@code purge('https://www.example.org/articles/8')}, sent to the server's address. */
    @Test
    void purgeOfAUrl() {
        var response = send("PURGE", "/articles/8", "");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("{\"purged\":1}");
        assertThat(response.field("Connection")).isEqualTo("close");
        assertThat(fetchedAgain()).isEqualTo("/articles/8");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                // banPath('/articles/.*'), banPath('/articles/8$', ..), banPath('page=2')
                "X-Host: .*; X-Url: /articles/.*; X-Content-Type: .*; /articles/8 /articles/80"
                        + " /articles/8?page=2",
                "X-Host: .*; X-Url: /articles/8$; X-Content-Type: .*; /articles/8",
                "X-Host: .*; X-Url: ^/articles/8\\?page=2$; X-Content-Type: .*;"
                        + " /articles/8?page=2",
                // banPath('.*', 'image/png'), banPath('.*', 'text')
                "X-Host: .*; X-Url: .*; X-Content-Type: image/png; /logo.png",
                "X-Host: .*; X-Url: .*; X-Content-Type: text; /articles/8 /articles/80"
                        + " /articles/8?page=2",
                // banPath('.*', null, ['www.example.org', 'other.example'])
                "X-Host: ^(www.example.org|other.example)$; X-Url: .*; X-Content-Type: .*;"
                        + " /articles/8 /articles/80 /articles/8?page=2 /logo.png",
                "X-Host: ^(example.org|other.example)$; X-Url: .*; X-Content-Type: .*; \"\"",
                // ban([])
                "X-Host: .*; X-Url: .*; X-Content-Type: .*; /articles/8 /articles/80"
                        + " /articles/8?page=2 /logo.png"
            })
    void banOfAPath(String host, String url, String type, String hidden) {
        var response = send("BAN", "/", host + "\r\n" + url + "\r\n" + type + "\r\n");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("{\"ban\":1}");
        assertThat(fetchedAgain()).isEqualTo(hidden);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                // invalidateTags(['article-8']) of version 2 and later, of version 1
                "(^|,)(article\\-8)(,|$); /articles/8 /articles/8?page=2",
                "(article\\-8)(,.+)?$; /articles/8 /articles/8?page=2",
                "(^|,)(v1\\.2|logo)(,|$); /articles/80 /logo.png",
                "(^|,)(v1\\.)(,|$); \"\""
            })
    void banOfTags(String tags, String hidden) {
        var fields = ALL_HOSTS + ALL_URLS + ALL_TYPES + "X-Cache-Tags: " + tags + "\r\n";

        assertThat(send("BAN", "/", fields).status()).isEqualTo(200);

        assertThat(fetchedAgain()).isEqualTo(hidden);
    }

    @Test
    void banIsListedAndWithdrawn() {
        var held = origin.hold("/held");
        origin.on("/held", fragment("x"));
        try (var client = proxy.connect().request("GET", "/held")) {
            held.awaitWaiting(1);
            send("BAN", "/", ALL_HOSTS + "X-Url: ^/a\r\nX-Content-Type: x\r\nX-Cache-Tags: y\r\n");

            assertThat(proxy.getAdmin("/v1/bans").text())
                    .contains(
                            "\"condition\":{\"urlPattern\":\"^/a\",\"contentTypePattern\":\"x\","
                                    + "\"tagsPattern\":\"y\"}");
            assertThat(proxy.metric("quire_invalidations_total")).isEqualTo(1);
            held.release();
            client.response();
        }
    }

    @Test
    void refusedAndAnsweredRequestsAreLoggedAndCounted() throws IOException {
        var log = directory.resolve("access.log");
        proxy.close();
        proxy =
                RunningProxy.inFrontOf(origin)
                        .with("invalidation", "{ methods: [PURGE, BAN], from: [192.0.2.0/24] }")
                        .with("log", "{ access: " + log + " }")
                        .start();
        get();

        var refused = send("PURGE", "/articles/8", "X-Forwarded-For: 192.0.2.1\r\n");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(fetchedAgain()).isEmpty();
        assertThat(proxy.getAdmin("/metrics").text())
                .contains(
                        "quire_rejected_requests_total{reason=\"invalidation-address\"} 1.0",
                        "quire_rejected_requests_total{reason=\"invalidation-token\"} 0.0");
        proxy.close();
        assertThat(Files.readAllLines(log))
                .anySatisfy(line ->
                        assertThat(line)
                                .contains("\"PURGE\"", "/articles/8", "invalidation-address"));
    }

    /** The token is that of {@code invalidation.token-file}, in a header of the client. */
    @Test
    void tokenIsReadFromItsFile() throws IOException {
        var token = Files.writeString(directory.resolve("token"), "0123456789abcdefghijkl\n");
        proxy.close();
        proxy =
                RunningProxy.inFrontOf(origin)
                        .with(
                                "invalidation",
                                "{ methods: [PURGE], from: [127.0.0.1], token-file: "
                                        + token
                                        + " }")
                        .start();

        assertThat(send("PURGE", "/articles/8", "").status()).isEqualTo(403);
        assertThat(
                        send(
                                        "PURGE",
                                        "/articles/8",
                                        "Authorization: Bearer 0123456789abcdefghijkl\r\n")
                                .status())
                .isEqualTo(200);
    }

    private static Answer tagged(String type, String tags) {
        return Answer.status(200)
                .field("Content-Type", type)
                .field("Cache-Control", "max-age=60")
                .field("X-Cache-Tags", tags)
                .body("x");
    }

    /** It closes its connection after each invalidation, so that none delays another request. */
    private Response send(String method, String target, String fields) {
        try (var client = HttpWire.to(proxy.http())) {
            return client.send(
                            method
                                    + " "
                                    + target
                                    + " HTTP/1.1\r\nHost: www.example.org\r\nConnection: Close\r\n"
                                    + "User-Agent: GuzzleHttp/7\r\n"
                                    + fields
                                    + "\r\n")
                    .response();
        }
    }

    private void get() {
        for (var target :
                new String[] {"/articles/8", "/articles/80", "/articles/8?page=2", "/logo.png"}) {
            assertThat(send("GET", target, "").status()).isEqualTo(200);
        }
    }

    /** The targets, separated by blanks, that a second round of requests fetches. */
    private String fetchedAgain() {
        var again = new StringBuilder();
        for (var target :
                new String[] {"/articles/8", "/articles/80", "/articles/8?page=2", "/logo.png"}) {
            int before = origin.requests(target).size();
            send("GET", target, "");
            if (origin.requests(target).size() > before) {
                again.append(again.isEmpty() ? "" : " ").append(target);
            }
        }
        return again.toString();
    }
}
