package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.containers.QuireContainer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Proxies and their store in containers of one network, as operators run them. */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
class SharedStoreContainerIT {
    private static final String STORE = "store";
    private static final int PORT = 6379;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(strings = {"redis:8", "valkey/valkey:8"})
    void proxiesShareResponsesAndPurges(String image) {
        try (var origin = Origin.start();
                var network = Network.newNetwork();
                var store =
                        new GenericContainer<>(DockerImageName.parse(image))
                                .withNetwork(network)
                                .withNetworkAliases(STORE)
                                .waitingFor(Wait.forLogMessage(".*Ready to accept.*", 1));
                var one = proxy("one", origin, network);
                var two = proxy("two", origin, network)) {
            origin.otherwise(request ->
                    fragment(request.target())
                            .field("Surrogate-Key", "all")
                            .field("Cache-Control", "max-age=600"));
            store.start();
            one.start();
            two.start();

            var shared = sharedPage(one, two);

            assertThat(get(one, shared).field("Cache-Status")).startsWith("quire; hit");
            assertThat(purgeAcknowledged(two)).contains("\"nodes\":2");
            assertThat(get(one, shared).field("Cache-Status")).doesNotContain("; hit");
        }
    }

    private static QuireContainer proxy(String name, Origin origin, Network network) {
        return new QuireContainer()
                .inFrontOf(origin.url())
                .withNetwork(network)
                .with("shared", "{ servers: [\"%s:%d\"] }".formatted(STORE, PORT))
                .with("fleet", "{ name: test, node: %s }".formatted(name));
    }

    /** Returns a page that {@code two} has found in the store, where {@code one} has put it. */
    private static String sharedPage(QuireContainer one, QuireContainer two) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (int page = 0; System.nanoTime() - end < 0; page++) {
            get(one, "/" + page);
            var status = get(two, "/" + page).field("Cache-Status");
            if (status != null && status.contains("detail=shared")) {
                return "/" + page;
            }
        }
        throw new AssertionError("expected that a page is found in the store");
    }

    /** Each node knows the other one a lease after the log has begun. */
    private static String purgeAcknowledged(QuireContainer proxy) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var answer = purge(proxy);
        while (!answer.contains("\"applied\":\"fleet\"") && System.nanoTime() - end < 0) {
            answer = purge(proxy);
        }
        return answer;
    }

    private static Response get(QuireContainer proxy, String target) {
        try (var wire = connect(proxy.url())) {
            return wire.get(target, "Host", "fleet.example");
        }
    }

    /** Returns the answer to a purge that waits for all nodes. */
    private static String purge(QuireContainer proxy) {
        var json = "{\"tags\":[\"all\"],\"count\":false,\"ack\":\"fleet\"}";
        try (var wire = connect(proxy.admin())) {
            return wire.request(
                            "POST",
                            "/v1/purge",
                            json.getBytes(UTF_8),
                            "Content-Type",
                            "application/json",
                            "Authorization",
                            "Bearer " + proxy.token())
                    .response()
                    .text();
        }
    }

    private static HttpWire connect(URI url) {
        return HttpWire.to(new InetSocketAddress(url.getHost(), url.getPort()));
    }
}
