package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalidation of groups by unsafe requests. */
@Tag("may")
class Rfc9875Test {
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void everythingInTheGroupGoesAndNothingElse() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH, "Cache-Groups: \"polls\", \"front\""));
            proxy.stored("/b", ok("B", FRESH, "Cache-Groups: \"front\";x=1"));
            proxy.stored("/c", ok("C", FRESH, "Cache-Groups: \"Polls\""));
            proxy.stored("/d", ok("D", FRESH));

            changed(proxy, "POST", "200 OK", "Cache-Group-Invalidation: \"polls\", \"none\"");

            assertThat(isStored(proxy, "/a")).isFalse();
            assertThat(isStored(proxy, "/b")).isTrue();
            assertThat(isStored(proxy, "/c")).isTrue();
            assertThat(isStored(proxy, "/d")).isTrue();
        }
    }

    @Test
    void groupOfTheSameNameAtAnotherOriginIsAnother() {
        try (var proxy = new OneThread()) {
            proxy.stored("partner.test", "/a", ok("theirs", FRESH, "Cache-Groups: \"polls\""));

            changed(proxy, "POST", "200 OK", "Cache-Group-Invalidation: \"polls\"");

            var client = proxy.client();
            client.send("GET /a HTTP/1.1\r\nHost: partner.test\r\n\r\n");
            assertThat(client.received()).endsWith("theirs");
        }
    }

    @Test
    void tagOfTheSameNameIsNoGroup() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH, "Surrogate-Key: polls", "Cache-Tag: polls"));

            changed(proxy, "POST", "200 OK", "Cache-Group-Invalidation: \"polls\"");

            assertThat(isStored(proxy, "/a")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS"})
    void safeRequestInvalidatesNoGroup(String method) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH, "Cache-Groups: \"polls\""));

            changed(proxy, method, "200 OK", "Cache-Group-Invalidation: \"polls\"");

            assertThat(isStored(proxy, "/a")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"404 Not Found", "500 Oops"})
    void requestThatFailsInvalidatesNoGroup(String status) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH, "Cache-Groups: \"polls\""));

            changed(proxy, "POST", status, "Cache-Group-Invalidation: \"polls\"");

            assertThat(isStored(proxy, "/a")).isTrue();
        }
    }

    @Test
    void fetchThatBeganBeforeIsNotStoredAfterIfItIsInTheGroup() {
        try (var proxy = new OneThread()) {
            var reader = proxy.client();
            reader.get("/a");
            var before = proxy.ask("/a");

            changed(proxy, "POST", "204 No Content", "Cache-Group-Invalidation: \"polls\"");
            before.say(ok("before", FRESH, "Cache-Groups: \"polls\""));

            assertThat(isStored(proxy, "/a")).isFalse();
        }
    }

    @Test
    void documentsThatAPageBringsAlongAreInItsGroups() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page(
                            "<esi:inline name=\"/brought\" fetchable=\"no\">text</esi:inline>"
                                    + include("/brought"),
                            "Cache-Groups: \"polls\""));

            changed(proxy, "POST", "200 OK", "Cache-Group-Invalidation: \"polls\"");

            assertThat(isStored(proxy, "/page")).isFalse();
        }
    }

    private static void changed(OneThread proxy, String method, String status, String field) {
        var client = proxy.client();
        client.send(request(method, "/vote"));
        proxy.ask("/vote")
                .say(
                        status.startsWith("204") || method.equals("HEAD")
                                ? "HTTP/1.1 " + status + "\r\n" + field + "\r\n\r\n"
                                : answer(status, "done", field));
        assertThat(client.received()).contains(field);
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
