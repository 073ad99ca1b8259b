package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cache directives of trusted clients (RFC 9111 §5.2.1). */
class ClientDirectivesTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cache-Control: no-cache",
                "Cache-Control: max-age=0",
                "Cache-Control: min-fresh=3600",
                "Cache-Control: no-store",
                "Pragma: no-cache"
            })
    void clientIsNotHeardUnlessTheOperatorSaysSo(String line) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH, "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(1));
            var client = proxy.client();

            client.get("/a", line).get("/b", "Cache-Control: only-if-cached");

            assertThat(client.received()).endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).containsExactly("/b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-cache", "max-age=0", "min-fresh=60"})
    void freshIsValidatedForAClientThatWantsItSo(String directive) {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH, "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(1));
            var client = proxy.client();
            client.get("/a", "Cache-Control: " + directive);

            assertThat(proxy.ask("/a").text()).contains("\r\nIf-None-Match: \"1\"\r\n");

            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nAge: 0\r\n")
                    .endsWith("\r\n\r\nA");
        }
    }

    @Test
    void manyWhoWantItValidatedShareOneFetch() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH));
            var one = proxy.client();
            var other = proxy.client();
            one.get("/a", "Cache-Control: no-cache");
            other.get("/a", "Cache-Control: no-cache");

            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(ok("B", FRESH));

            assertThat(one.received()).endsWith("\r\n\r\nB");
            assertThat(other.received()).endsWith("\r\n\r\nB");
            one.get("/a");
            assertThat(one.received()).endsWith("\r\n\r\nB");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void pragmaIsNotHeard() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();

            client.get("/a", "Pragma: no-cache");

            assertThat(client.received()).endsWith("\r\n\r\nA");
        }
    }

    @Test
    void immutableResponseIsNotValidatedForAReload() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH + ", immutable", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(1));
            var client = proxy.client();

            client.get("/a", "Cache-Control: max-age=0");

            assertThat(client.received()).endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void answerThatIsNotToBeStoredIsNot() {
        try (var proxy = heeding()) {
            var client = proxy.client();
            client.get("/a", "Cache-Control: no-store");
            proxy.ask("/a").say(ok("A", FRESH));
            assertThat(client.received()).endsWith("\r\n\r\nA");
            proxy.asked();

            client.get("/a");

            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void pageThatIsNotToBeStoredIsAssembledAllTheSame() {
        try (var proxy = heeding()) {
            proxy.stored("/part", ok("part", FRESH));
            var client = proxy.client();
            client.get("/page", "Cache-Control: no-store", "If-None-Match: \"x\"");

            assertThat(proxy.ask("/page").text()).doesNotContain("If-None-Match");

            proxy.ask("/page").say(page("<" + include("/part") + ">"));

            assertThat(client.received()).endsWith("<part>");
        }
    }

    @Test
    void nothingButWhatIsStoredIs504WithoutAskingAnybody() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();

            client.get("/b", "Cache-Control: only-if-cached")
                    .get("/a", "Cache-Control: only-if-cached");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 504 Gateway Timeout\r\n")
                    .contains("\r\nCache-Control: no-store\r\n")
                    .endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.metrics.scrape())
                    .contains(
                            "quire_cache_decisions_total{decision=\"decline\","
                                    + "reason=\"only-if-cached\"} 1.0",
                            "quire_requests_total{outcome=\"decline\",status=\"5xx\"} 1.0",
                            "quire_requests_total{outcome=\"error\",status=\"5xx\"} 0.0");
        }
    }

    /** RFC 9111 §5.2.1.7. */
    @Test
    void onlyIfCachedAsksNoOriginWhileHitsAreValidated() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("A", FRESH, "ETag: \"1\""));
            proxy.validateHits();
            var client = proxy.client();

            client.get("/a", "Cache-Control: only-if-cached");

            assertThat(client.received()).startsWith("HTTP/1.1 504 Gateway Timeout\r\n");
            assertThat(proxy.asked()).isEmpty();
            client.get("/a");
            assertThat(proxy.ask("/a").text()).contains("\r\nIf-None-Match: \"1\"\r\n");
            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
            assertThat(client.received()).endsWith("\r\n\r\nA");
        }
    }

    @Test
    void wishesAreForEveryPartOfAPage() {
        try (var proxy = heeding()) {
            proxy.stored("/page", page("<" + include("/part") + ">"));
            proxy.stored("/part", ok("old", FRESH));
            var client = proxy.client();
            client.get("/page", "Cache-Control: no-cache");

            proxy.ask("/page").say(page("[" + include("/part") + "]"));
            proxy.ask("/part").say(ok("new", FRESH));

            assertThat(client.received()).endsWith("[new]");
            proxy.asked();
            client.get("/page", "Cache-Control: only-if-cached");
            assertThat(client.received()).endsWith("[new]");
            proxy.purge("/part");
            client.get("/page", "Cache-Control: only-if-cached");
            assertThat(client.received()).endsWith("[]");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void staleIsServedToAClientThatAllowsItAndRefreshed() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(30));
            var client = proxy.client();

            client.get("/a", "Cache-Control: max-stale=60");

            assertThat(client.received()).contains("\r\nAge: 30\r\n").endsWith("\r\n\r\nold");
            proxy.ask("/a").say(ok("new", FRESH));
            client.get("/a");
            assertThat(client.received()).endsWith("\r\n\r\nnew");
        }
    }

    @Test
    void nobodyMayAllowWhatTheOriginForbids() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("old", "Cache-Control: s-maxage=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(30));
            var client = proxy.client();
            client.get("/a", "Cache-Control: max-stale, stale-if-error=600");

            proxy.ask("/a").say(answer("503 Busy", "sorry"));

            assertThat(client.received()).startsWith("HTTP/1.1 503 ").endsWith("sorry");
        }
    }

    @Test
    void clientThatCanDoWithStaleIsSparedAnError() {
        try (var proxy = heeding()) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(30));
            var client = proxy.client();
            var other = proxy.client();

            client.get("/a", "Cache-Control: stale-if-error=600");
            proxy.ask("/a").say(answer("503 Busy", "sorry"));
            other.get("/a");
            proxy.ask("/a").say(answer("503 Busy", "sorry"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("old");
            assertThat(other.received()).startsWith("HTTP/1.1 503 ").endsWith("sorry");
        }
    }

    @Test
    void fragmentThatFailsIsSparedItsPageToo() {
        try (var proxy = heeding()) {
            proxy.stored("/page", page("<" + include("/part") + ">"));
            proxy.stored("/part", ok("old", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(30));
            var client = proxy.client();
            var other = proxy.client();

            client.get("/page", "Cache-Control: stale-if-error=600");
            proxy.ask("/part").say(answer("503 Busy", "sorry"));
            other.get("/page");
            proxy.ask("/part").say(answer("503 Busy", "sorry"));

            assertThat(client.received()).endsWith("<old>");
            assertThat(other.received()).endsWith("<>");
        }
    }

    private static OneThread heeding() {
        return new OneThread(new Rules().heedingClients());
    }
}
