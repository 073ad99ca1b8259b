package dev.quire.spring.internal.invalidate;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The requests sent to each product. */
@ExtendWith(OutputCaptureExtension.class)
class SurrogateClientsTest {

    private static final URI PAGE = URI.create("https://news.example/read?aid=7&page=2");

    private Endpoint endpoint;

    @BeforeEach
    void open() {
        endpoint = Endpoint.start();
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    private record Named(
            List<URI> urls, SurrogateConnectionDetails.Type type, Optional<String> token)
            implements SurrogateConnectionDetails {}

    private SurrogateAnswer send(
            SurrogateConnectionDetails.Type type, String path, Invalidation invalidation)
            throws InterruptedException {
        var details =
                new Named(List.of(URI.create(endpoint.url() + path)), type, Optional.of("secret"));
        try (var clients = SurrogateClients.of(details, Duration.ofSeconds(30), null)) {
            return clients.clients().getFirst().send(invalidation);
        }
    }

    private static Invalidation both() {
        return new Invalidation(
                new LinkedHashSet<>(List.of("a\"b\\c", "front")),
                Set.of(PAGE),
                Invalidation.Mode.HARD);
    }

    @Test
    void quireTakesOneDocument() throws InterruptedException {
        assertThat(send(SurrogateConnectionDetails.Type.QUIRE, "/", both()))
                .isEqualTo(new SurrogateAnswer.Done());

        var seen = endpoint.next();
        assertThat(seen.method()).isEqualTo("POST");
        assertThat(seen.target()).isEqualTo("/v1/purge");
        assertThat(seen.fields())
                .containsEntry("Authorization", "Bearer secret")
                .containsEntry("Content-Type", "application/json");
        assertThat(seen.body())
                .isEqualTo(
                        "{\"tags\":[\"a\\\"b\\\\c\",\"front\"],\"urls\":[\"https://news.example/read?aid=7&page=2\"],\"soft\":false}");
    }

    @Test
    void quireThatCannotStoreAnInvalidationIsReportedOnce(CapturedOutput output)
            throws InterruptedException {
        endpoint.answerNext(202, 202, 200, 202);
        var details =
                new Named(
                        List.of(URI.create(endpoint.url())),
                        SurrogateConnectionDetails.Type.QUIRE,
                        Optional.empty());
        try (var clients = SurrogateClients.of(details, Duration.ofSeconds(30), null)) {
            var client = clients.clients().getFirst();
            for (int warnings : List.of(1, 1, 1, 2)) {
                assertThat(client.send(both())).isEqualTo(new SurrogateAnswer.Done());
                assertThat(output.toString().split("could not store that on its disk", -1))
                        .hasSize(1 + warnings);
            }
        }
    }

    @Test
    void quireIsToldHowFarAnInvalidationMustCome() throws InterruptedException {
        var details =
                new Named(
                        List.of(URI.create(endpoint.url())),
                        SurrogateConnectionDetails.Type.QUIRE,
                        Optional.empty());
        for (var ack : InvalidationProperties.Ack.values()) {
            try (var clients = SurrogateClients.of(details, Duration.ofSeconds(30), ack)) {
                clients.clients().getFirst().send(both());
            }
            assertThat(endpoint.next().body())
                    .endsWith(",\"soft\":false,\"ack\":\"" + ack.name().toLowerCase(ROOT) + "\"}");
        }
    }

    @Test
    void nodesThatDoNotObeyAreReportedWheneverTheyChange(CapturedOutput output)
            throws InterruptedException {
        var logged = "{\"position\":\"ff/1-2\",\"applied\":\"log\",\"nodes\":3,\"acked\":2,";
        endpoint.answerNext(202, logged + "\"missing\":[\"b\\n\"]}");
        endpoint.answerNext(202, logged + "\"missing\":[\"b\\n\"]}");
        endpoint.answerNext(202, logged + "\"missing\":[\"c\"],\"durable\":false}");
        endpoint.answerNext(202, logged + "\"missing\":[]}");
        var applied = "{\"position\":\"ff/1-2\",\"applied\":\"fleet\",\"replicas\":2,";
        endpoint.answerNext(202, applied + "\"replicated\":1}");
        endpoint.answerNext(202, applied + "\"replicated\":2,\"durable\":false}");
        endpoint.answerNext(202, "{\"applied\":\"local\"}");
        endpoint.answerNext(200, "{\"applied\":\"fleet\"}");
        var details =
                new Named(
                        List.of(URI.create(endpoint.url())),
                        SurrogateConnectionDetails.Type.QUIRE,
                        Optional.empty());
        var fleet = InvalidationProperties.Ack.FLEET;
        try (var clients = SurrogateClients.of(details, Duration.ofSeconds(30), fleet)) {
            var client = clients.clients().getFirst();
            for (int i = 0; i < 8; i++) {
                assertThat(client.send(both())).isEqualTo(new SurrogateAnswer.Done());
            }
        }

        assertThat(output.toString().lines().filter(line -> line.contains(endpoint.url())))
                .satisfiesExactly(
                        line -> assertThat(line).contains("have not confirmed it: \"b"),
                        line -> assertThat(line).contains("have not confirmed it: \"c\"."),
                        line -> assertThat(line).contains("could not store that on its disk"),
                        line -> assertThat(line).contains("has not learned which nodes"),
                        line -> assertThat(line).contains("only 1 of 2 replicas of its store have"),
                        line -> assertThat(line).contains("confirms invalidations again"),
                        line -> assertThat(line).contains("could not store that on its disk"),
                        line -> assertThat(line).contains("is not in the log of a fleet"),
                        line -> assertThat(line).contains("confirms invalidations again"));
    }

    @Test
    void fastlyTakesKeysInAFieldAndUrlsOneByOne() throws InterruptedException {
        assertThat(send(SurrogateConnectionDetails.Type.FASTLY, "/service/S1", both().soft()))
                .isEqualTo(new SurrogateAnswer.Done());

        var keys = endpoint.next();
        assertThat(keys.method()).isEqualTo("POST");
        assertThat(keys.target()).isEqualTo("/service/S1/purge");
        assertThat(keys.fields())
                .containsEntry("Surrogate-Key", "a\"b\\c front")
                .containsEntry("Fastly-Key", "secret")
                .containsEntry("Fastly-Soft-Purge", "1");
        var url = endpoint.next();
        assertThat(url.method()).isEqualTo("POST");
        assertThat(url.target()).isEqualTo("/purge/news.example/read?aid=7&page=2");
        assertThat(endpoint.rest()).isEmpty();
    }

    @Test
    void longKeysGoInSeveralRequests() throws InterruptedException {
        var tags = new LinkedHashSet<String>();
        IntStream.range(0, 200).forEach(i -> tags.add("tag-" + i + "-" + "x".repeat(100)));

        send(
                SurrogateConnectionDetails.Type.FASTLY,
                "/service/S1",
                new Invalidation(tags, Set.of(), Invalidation.Mode.HARD));

        var seen = endpoint.rest();
        assertThat(seen).hasSizeGreaterThan(1);
        var all = new LinkedHashSet<String>();
        for (var request : seen) {
            var field = request.fields().getOrDefault("Surrogate-Key", "");
            assertThat(field).hasSizeLessThanOrEqualTo(8000);
            all.addAll(List.of(field.split(" ", -1)));
        }
        assertThat(all).isEqualTo(tags);
    }

    @Test
    void varnishTakesExpressionsThatATagCannotLeave() throws InterruptedException {
        send(SurrogateConnectionDetails.Type.VARNISH, "", both());

        var tags = endpoint.next();
        assertThat(tags.method()).isEqualTo("BAN");
        assertThat(tags.fields())
                .containsEntry("X-Ban-Tags", "(^|[\\s,])(a\\x22b\\x5cc|front)([\\s,]|$)")
                .containsEntry("X-Ban-Token", "secret");
        var url = endpoint.next();
        assertThat(url.fields())
                .containsEntry("X-Ban-Host", "news.example")
                .containsEntry("X-Ban-Url", "/read?aid=7&page=2");
    }

    @Test
    void aRedirectIsRefusedAndTheTokenGoesNowhereElse() throws InterruptedException {
        endpoint.answerNext(307);

        assertThat(send(SurrogateConnectionDetails.Type.QUIRE, "", both()))
                .isInstanceOfSatisfying(
                        SurrogateAnswer.Denied.class,
                        denied -> assertThat(denied.why()).contains("307"));
    }

    @Test
    void urlsAreSentAsClientsRequestThem() throws InterruptedException {
        // a letter of two code points must not be composed to one
        var url = URI.create("https://news.example/artikel/k\u00e4se-e\u0301?q=\u20ac%2F");
        var path = "/artikel/k%C3%A4se-e%CC%81";

        send(SurrogateConnectionDetails.Type.QUIRE, "", Invalidation.ofUrls(url));
        // Quire has a query as it was received, which may be bytes
        assertThat(endpoint.next().body())
                .contains(
                        "\"urls\":[\"https://news.example%1$s?q=%%E2%%82%%AC%%2F\",\"https://news.example%1$s?q=\u20ac%%2F\"]"
                                .formatted(path));

        send(SurrogateConnectionDetails.Type.FASTLY, "/service/S1", Invalidation.ofUrls(url));
        assertThat(endpoint.next().target())
                .isEqualTo("/purge/news.example" + path + "?q=%E2%82%AC%2F");

        send(SurrogateConnectionDetails.Type.VARNISH, "", Invalidation.ofUrls(url));
        assertThat(endpoint.next().fields()).containsEntry("X-Ban-Url", path + "?q=%E2%82%AC%2F");
    }
}
