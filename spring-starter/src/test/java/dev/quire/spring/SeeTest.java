package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** What operators see of fragments: the actuator's endpoint, metrics and observations. */
@SpringBootTest(
        classes = {Site.class, GuardTable.Ways.class, SeeTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=quire",
            "management.endpoint.quire.access=unrestricted",
            "quire.rules[0].path=/images/**",
            "quire.rules[0].ttl=1h"
        })
class SeeTest {

    @LocalServerPort private int port;
    @Autowired private MeterRegistry meters;
    @Autowired private Observed observed;
    @Autowired private Invalidated invalidated;
    private Visitor surrogate;

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
        assertThat(report.<String>read("$.invalidations[0].outcome")).isEqualTo("dropped");
    }

    @Test
    void anOperatorInvalidatesATag() {
        var gone = Visitor.of(port).send("DELETE", "/actuator/quire/article-7");
        var wrong = Visitor.of(port).send("DELETE", "/actuator/quire/article%207");

        assertThat(gone.statusCode()).isEqualTo(204);
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(invalidated.tags).containsExactly("article-7");
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

        // an answer is read by its client before its thread is done with it
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

    /** Keeps what ended. */
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

    /** Keeps the tags it is told. */
    static final class Invalidated implements TagInvalidation, InvalidationHistory {

        private final List<String> tags = new CopyOnWriteArrayList<>();

        @Override
        public void invalidate(String tag) {
            tags.add(tag);
        }

        @Override
        public List<Entry> latest() {
            return List.of(new Entry(Instant.EPOCH, List.of("a"), List.of(), "dropped"));
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
        @Primary
        Invalidated invalidated() {
            return new Invalidated();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }
}
