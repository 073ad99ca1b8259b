package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.invalidate.Endpoint;
import dev.quire.spring.internal.observe.MicrometerFragmentObserver;
import dev.quire.spring.invalidate.EsiInvalidator;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The output for operators: the actuator's endpoint, metrics and observations. */
@SpringBootTest(
        classes = {Site.class, GuardTable.Ways.class, SeeTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=quire,health",
            "management.endpoint.health.show-details=always",
            "management.endpoint.quire.access=unrestricted",
            "quire.rules[0].path=/images/**",
            "quire.rules[0].ttl=1h"
        })
class SeeTest {

    private static final Endpoint SURROGATE = Endpoint.start();

    @LocalServerPort private int port;
    @Autowired private MeterRegistry meters;
    @Autowired private Observed observed;
    @Autowired private EsiInvalidator invalidator;
    private Visitor surrogate;

    @DynamicPropertySource
    static void surrogate(DynamicPropertyRegistry properties) {
        properties.add("quire.surrogate.urls", SURROGATE::url);
    }

    @AfterAll
    static void close() {
        SURROGATE.close();
    }

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    private double demotions(Demotion reason) {
        return meters.get("quire.guard.demotions")
                .tag("reason", reason.token())
                .functionCounter()
                .count();
    }

    @Test
    void theEndpointTellsEveryHandlerWithPathsPolicyAndWhatTheGuardDid() {
        surrogate.get("/bad-tag?name=a%20b");
        surrogate.get("/bad-tag?name=a%20b");

        var report = JsonPath.parse(Visitor.of(port).get("/actuator/quire").body());

        assertThat(report.<List<String>>read("$.fragments[?(@.name=='Pages#page')].ttl"))
                .containsExactly("PT1M");
        assertThat(report.<List<String>>read("$.fragments[?(@.name=='Pages#page')].routes[*]"))
                .containsExactly("GET /page");
        assertThat(report.<List<String>>read("$.fragments[?(@.name=='Pages#page')].tags[*]"))
                .containsExactly("page", "front");
        assertThat(
                        report.<List<Integer>>read(
                                "$.fragments[?(@.name=='Careless#badTag')].guard['tag-unusable']"))
                .containsExactly(2);
        assertThat(report.<List<String>>read("$.fragments[?(@.name=='/images/**')].ttl"))
                .containsExactly("PT1H");
    }

    @Test
    void whatAnOperatorInvalidatesReachesTheSurrogateAndTheList() {
        var gone = Visitor.of(port).send("DELETE", "/actuator/quire/article-7");

        assertThat(gone.statusCode()).isEqualTo(204);
        var told = SURROGATE.next();
        assertThat(told.method()).isEqualTo("POST");
        assertThat(told.body()).isEqualTo("{\"tags\":[\"article-7\"],\"urls\":[],\"soft\":false}");

        // the list contains deliveries, which are known once the response is read
        invalidator.flush().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
        var report = JsonPath.parse(Visitor.of(port).get("/actuator/quire").body());
        assertThat(report.<List<String>>read("$.invalidations[0].tags"))
                .containsExactly("article-7");
        assertThat(report.<String>read("$.invalidations[0].outcome"))
                .isEqualTo(SURROGATE.url() + ": done");
    }

    @Test
    void whatCanBeNoTagIsRefusedAndReachesNobody() {
        for (var tag : List.of("article%207", "article".repeat(37))) {
            assertThat(Visitor.of(port).send("DELETE", "/actuator/quire/" + tag).statusCode())
                    .isEqualTo(400);
        }

        // the next invalidation is the first to arrive
        Visitor.of(port).send("DELETE", "/actuator/quire/marker");
        assertThat(SURROGATE.next().body()).contains("marker").doesNotContain("article");
        invalidator.flush().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void healthTellsOfASurrogateThatCannotBeToldAndTheApplicationIsUpStill() {
        var up = Visitor.of(port).get("/actuator/health");
        assertThat(SURROGATE.next().target()).isEqualTo("/healthz");
        SURROGATE.answerNext(503);
        var degraded = Visitor.of(port).get("/actuator/health");
        assertThat(SURROGATE.next().target()).isEqualTo("/healthz");

        assertThat(JsonPath.<String>read(up.body(), "$.components.quire.status")).isEqualTo("UP");
        assertThat(degraded.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<String>read(degraded.body(), "$.status")).isEqualTo("UP");
        assertThat(JsonPath.<String>read(degraded.body(), "$.components.quire.status"))
                .isEqualTo("DEGRADED");
        assertThat(
                        JsonPath.<Map<String, String>>read(
                                degraded.body(), "$.components.quire.details"))
                .hasEntrySatisfying(
                        SURROGATE.url(), said -> assertThat(said).startsWith("status 503"));
    }

    @Test
    void demotionsAreCountedByReason() {
        var before = demotions(Demotion.SET_COOKIE);

        surrogate.get("/table/entity/cookie");
        surrogate.get("/table/stream/cookie");

        assertThat(demotions(Demotion.SET_COOKIE) - before).isEqualTo(2);
    }

    @Test
    void aRenderingIsObservedBelowItsRequest() {
        surrogate.get("/page");
        surrogate.get("/table/later/cookie");
        surrogate.get("/table/callable/throws");
        surrogate.get("/plain");

        // a client reads the response before its thread is done with it
        observed.await("Pages#page", "Ways#later", "Ways#callable");
        assertThat(observed.of("Pages#page"))
                .containsExactly("name=Pages#page scope=public outcome=success demoted=none http");
        assertThat(observed.of("Ways#later"))
                .containsExactly(
                        "name=Ways#later scope=public outcome=success demoted=set-cookie http");
        assertThat(observed.of("Ways#callable"))
                .containsExactly("name=Ways#callable scope=public outcome=error demoted=none http");
        assertThat(observed.of("plain")).isEmpty();
    }

    /** Records ended observations. */
    static final class Observed implements ObservationHandler<Observation.Context> {

        private final List<String> ended = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return MicrometerFragmentObserver.NAME.equals(context.getName());
        }

        @Override
        public synchronized void onStop(Observation.Context context) {
            var line = new StringBuilder();
            for (var key : List.of("name", "scope", "outcome", "demoted")) {
                var value = context.getLowCardinalityKeyValue(key);
                line.append(value == null ? "" : key + "=" + value.getValue()).append(' ');
            }
            var parent = context.getParentObservation();
            ended.add(line.append(parent == null ? "" : "http").toString());
            notifyAll();
        }

        List<String> of(String name) {
            return ended.stream().filter(line -> line.contains(name + " ")).toList();
        }

        synchronized void await(String... names) {
            long end = System.nanoTime() + 10_000_000_000L;
            while (!List.of(names).stream().allMatch(name -> !of(name).isEmpty())) {
                long left = (end - System.nanoTime()) / 1_000_000;
                assertThat(left).as("in time: %s", ended).isPositive();
                try {
                    wait(left);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(interrupted);
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/**"))
                    .build();
        }

        @Bean
        Observed observed() {
            return new Observed();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }
}
