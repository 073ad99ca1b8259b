package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalidation by unsafe requests. */
@Tag("must")
class Rfc9111Section4_4Test {
    private static final String FRESH = "Cache-Control: max-age=60";

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "QUERY", "get", "M-SEARCH"})
    void unsafeMethodThatSucceedsDropsItsTarget(String method) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));

            changed(proxy, method, "/a", "200 OK");

            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"201 Created", "204 No Content", "299 Odd", "303 See Other", "304 No"})
    void everySuccessAndRedirectCounts(String status) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));

            changed(proxy, "POST", "/a", status);

            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"400 Bad", "404 Not Found", "409 Conflict", "500 Oops", "503 Later"})
    void requestThatFailsDropsNothing(String status) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));

            changed(proxy, "POST", "/a", status, "Location: /a");

            assertThat(isStored(proxy, "/a")).isTrue();
        }
    }

    @Test
    void safeMethodDropsNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("old", FRESH));

            changed(proxy, "OPTIONS", "/a", "200 OK", "Location: /a", "Content-Location: /a");

            assertThat(isStored(proxy, "/a")).isTrue();
        }
    }

    @Test
    void allVariantsGo() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("none", FRESH, "Vary: X-Mine"));
            var client = proxy.client();
            client.get("/a", "X-Mine: 1");
            proxy.ask("/a").say(ok("one", FRESH, "Vary: X-Mine"));

            changed(proxy, "POST", "/a", "200 OK");

            proxy.asked();
            client.get("/a", "X-Mine: 1");
            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(ok("new", FRESH, "Vary: X-Mine"));
            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Location: /dir/b",
                "Location: b",
                "Content-Location: ./b",
                "Content-Location: http://news.test/dir/b",
                "Location: //NEWS.test:80/dir/b"
            })
    void whatTheAnswerPointsToGoesToo(String field) {
        try (var proxy = new OneThread()) {
            proxy.stored("/dir/b", ok("old", FRESH));

            changed(proxy, "POST", "/dir/a", "201 Created", field);

            assertThat(isStored(proxy, "/dir/b")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Location: http://partner.test/b",
                "Content-Location: //partner.test/b",
                "Location: https://news.test/b",
                "Location: http://news.test:8080/b"
            })
    void whatIsOfAnotherOriginStays(String field) {
        try (var proxy = new OneThread()) {
            proxy.stored("partner.test", "/b", ok("old", FRESH));
            proxy.stored("/b", ok("old", FRESH));

            changed(proxy, "POST", "/a", "201 Created", field);

            assertThat(isStored(proxy, "/b")).isTrue();
            var client = proxy.client();
            client.send("GET /b HTTP/1.1\r\nHost: partner.test\r\n\r\n");
            assertThat(client.received()).endsWith("old");
        }
    }

    @Test
    void oneUrlIsInvalidatedAtMostOnceASecondByAnswersThatPointToIt() {
        try (var proxy = new OneThread()) {
            proxy.stored("/b", ok("old", FRESH));
            changed(proxy, "POST", "/login", "303 See Other", "Location: /b");
            assertThat(isStored(proxy, "/b")).isFalse();
            proxy.stored("/c", ok("old", FRESH));

            proxy.stored("/b", ok("new", FRESH));
            changed(proxy, "POST", "/login", "303 See Other", "Location: /b");
            changed(proxy, "POST", "/login", "303 See Other", "Content-Location: /b");
            assertThat(isStored(proxy, "/b")).as("within the second").isTrue();
            changed(proxy, "POST", "/login", "303 See Other", "Location: /c");
            assertThat(isStored(proxy, "/c")).as("another URL").isFalse();

            proxy.pass(Duration.ofSeconds(1));
            assertThat(isStored(proxy, "/b")).as("after the second").isFalse();
        }
    }

    @Test
    void targetItselfIsInvalidatedEachTime() {
        try (var proxy = new OneThread()) {
            for (int i = 0; i < 3; i++) {
                proxy.stored("/a", ok("old", FRESH));
                changed(proxy, "POST", "/a", "303 See Other", "Location: /a");
                assertThat(isStored(proxy, "/a")).isFalse();
            }
        }
    }

    @Test
    void invalidateLocationOffKeepsWhatTheAnswerPointsTo() {
        try (var proxy = new OneThread(new OneThread.Rules().keepingLocation())) {
            proxy.stored("/a", ok("old", FRESH));
            proxy.stored("/b", ok("old", FRESH));

            changed(proxy, "POST", "/a", "303 See Other", "Location: /b", "Content-Location: /b");

            assertThat(isStored(proxy, "/b")).isTrue();
            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @Test
    void fetchThatBeganBeforeTheChangeIsNotStoredAfterIt() {
        try (var proxy = new OneThread()) {
            var reader = proxy.client();
            reader.get("/a");
            var before = proxy.ask("/a");

            changed(proxy, "POST", "/a", "200 OK");
            before.say(ok("before", FRESH));

            assertThat(reader.received()).endsWith("before");
            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @Test
    void unsafeMethodIsNeverAnsweredFromTheStore() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("stored", FRESH));
            var client = proxy.client();

            client.send(request("POST", "/a", "Content-Length: 4") + "data");

            assertThat(proxy.ask("/a").text()).startsWith("POST /a ").endsWith("data");
        }
    }

    private static void changed(
            OneThread proxy, String method, String target, String status, String... lines) {
        var client = proxy.client();
        client.send(request(method, target, "Content-Length: 0"));
        var hasBody = !status.startsWith("204") && !status.startsWith("304");
        proxy.ask(target)
                .say(hasBody ? answer(status, "done", lines) : "HTTP/1.1 " + status + "\r\n\r\n");
        assertThat(client.received()).startsWith("HTTP/1.1 " + status.substring(0, 3));
        client.hangUp();
        proxy.asked();
    }

    private static boolean isStored(OneThread proxy, String target) {
        var client = proxy.client();
        client.get(target);
        client.hangUp();
        return proxy.asked().isEmpty();
    }
}
