package dev.quire.war;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tags in visitors' input do not run, and the page's own tags do, with every engine and every way
 * to reach the page. The payloads use stamps that were really sent.
 */
class StampIT {

    static final String PLACEHOLDER = "placeholder-of-the-war";
    static final String OWN_NONCE = "AAAAAAAAAAAAAAAAAAAAAA";

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final int READERS = 8;
    private static final String[] ATTACKER = {
        "Cookie",
        "token=secret",
        "Surrogate-Capability",
        "quire=\"Surrogate/1.0 ESI/1.0 Stamp/1." + OWN_NONCE + "\""
    };

    private static Tomcat tomcat;

    private final TestClock clock = TestClock.handSetBeforeRealServers();
    private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
    private RunningProxy proxy;

    @BeforeAll
    static void startTomcat() {
        tomcat = Tomcat.start("quire.stamp.placeholder=" + PLACEHOLDER);
    }

    @AfterAll
    static void stopTomcat() {
        tomcat.close();
    }

    @BeforeEach
    void start() {
        proxy = RunningProxy.inFrontOf(tomcat.url()).clock(clock).start();
    }

    @AfterEach
    void stop() {
        readers.shutdownNow();
        proxy.close();
    }

    static Stream<Arguments> attacks() {
        return Arrays.stream(Engine.values())
                .flatMap(engine ->
                        Arrays.stream(Payload.values())
                                .map(payload -> Arguments.of(engine, payload)));
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void nothingOfAVisitorRunsOnAMissAHitAndA304(Engine engine, Payload payload) {
        var text = payload.text(nonceOfPage(engine), nonceOfFragment(engine));
        var target = engine.target(text);
        int before = tomcat.notes(target).size();

        var miss = proxy.get(engine.target(text), ATTACKER);
        var hit = proxy.get(engine.target(text), ATTACKER);
        clock.advance(TTL.plusSeconds(1));
        var validated = proxy.get(engine.target(text), ATTACKER);
        var again = proxy.get(engine.target(text), ATTACKER);

        assertThat(List.of(miss, hit, validated, again))
                .allSatisfy(response -> assertInert(response, text));
        assertThat(tomcat.notes(target, before + 2).stream().skip(before).map(Tomcat.Note::status))
                .containsExactly(200, 304);
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void nothingOfAVisitorRunsForThoseWhoShareOneFetch(Engine engine, Payload payload)
            throws Exception {
        var text = payload.text(nonceOfPage(engine), nonceOfFragment(engine));
        int before = tomcat.notes(engine.target(text)).size();
        double shared = proxy.metric("quire_coalesced_total");

        tomcat.get(Tomcat.CONTEXT + "/gate/close");
        var waiting = new ArrayList<Future<Response>>();
        for (int i = 0; i < READERS; i++) {
            waiting.add(readers.submit(() -> proxy.get(engine.target(text), ATTACKER)));
        }
        try {
            proxy.awaitMetric("quire_coalesced_total", shared + READERS - 1);
        } finally {
            tomcat.get(Tomcat.CONTEXT + "/gate/open");
        }

        for (var response : waiting) {
            assertInert(response.get(30, TimeUnit.SECONDS), text);
        }
        assertThat(tomcat.notes(engine.target(text), before + 1)).hasSize(before + 1);
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void nothingOfAVisitorRunsWhereTheApplicationAssembles(Engine engine, Payload payload) {
        var text = payload.text(OWN_NONCE, OWN_NONCE);

        var response = tomcat.get(engine.target(text), "Cookie", "token=secret");

        assertPage(response, text, tomcat.authority());
    }

    @Test
    void withoutStampsTheSameTextRuns() {
        try (var unstamped = Tomcat.start("quire.stamp.enabled=false")) {
            var text = Payload.INCLUDE.text(OWN_NONCE, OWN_NONCE);

            assertThat(unstamped.get(Engine.SERVLET.target(text)).text()).contains("EXECUTED");
        }
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void surrogateThatKnowsNoStampsSeesNone(Engine engine) {
        var response =
                tomcat.get(
                        engine.target("text"),
                        "Surrogate-Capability",
                        "varnish=\"Surrogate/1.0 ESI/1.0\"");

        assertThat(response.field("Surrogate-Control")).doesNotContain("stamp");
        assertThat(response.text())
                .contains("<esi:include src=\"" + Tomcat.CONTEXT + "/fragment/own\"/>")
                .contains("<esi:vars>$(HTTP_HOST)</esi:vars>")
                .doesNotContain(PLACEHOLDER);
    }

    /** Returns the stamp of an earlier request for the page. */
    private String nonceOfPage(Engine engine) {
        proxy.get(engine.target("text"));
        return tomcat.notes(engine.path(), 1).getLast().nonce();
    }

    /** Returns the stamp of the request for the page's fragment, under which it is stored. */
    private String nonceOfFragment(Engine engine) {
        proxy.get(engine.target("text"));
        return tomcat.notes(Tomcat.CONTEXT + "/fragment/own", 1).getLast().nonce();
    }

    private void assertInert(Response response, String text) {
        assertPage(response, text, "127.0.0.1:" + proxy.http().getPort());
        assertThat(response.fields().toString()).doesNotContain("stamp", "Stamp");
    }

    private static void assertPage(Response response, String text, String host) {
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo(Engine.page(text, host));
        assertThat(tomcat.notes(Tomcat.CONTEXT + "/evil")).isEmpty();
    }
}
