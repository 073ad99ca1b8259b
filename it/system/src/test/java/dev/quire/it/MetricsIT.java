package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /metrics} as Prometheus reads it. */
class MetricsIT {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)(\\{.*})? (-?[0-9.E+-]+|NaN|[+-]Inf)");

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "quire_rejected_requests_total{reason=\"head-timeout\"} 0.0",
                "quire_rejected_requests_total{reason=\"bad-target\"} 0.0",
                "quire_rejected_connections_total{reason=\"too-many-connections\"} 0.0",
                "quire_rejected_connections_total{reason=\"too-many-tunnels\"} 0.0",
                "quire_rejects_total{reason=\"bad-target\"} 0.0",
                "quire_rejects_total{reason=\"too-many-tunnels\"} 0.0",
                "quire_tls_handshakes_total{result=\"completed\",version=\"TLSv1.2\"} 0.0",
                "quire_tls_handshakes_total{result=\"completed\",version=\"TLSv1.3\"} 0.0",
                "quire_tls_handshakes_total{result=\"no-tls\",version=\"none\"} 0.0",
                "quire_proxy_protocol_total{result=\"named\"} 0.0",
                "quire_http2_resets_total{by=\"client\",reason=\"cancel\"} 0.0",
                "quire_http2_resets_total{by=\"server\",reason=\"unknown\"} 0.0",
                "quire_cache_uncacheable_total{reason=\"set-cookie\"} 0.0",
                "quire_cache_stale_served_total{reason=\"slow\"} 0.0",
                "quire_esi_errors_total{reason=\"timeout\"} 0.0",
                "quire_esi_denied_total{reason=\"denied\"} 0.0",
                "quire_esi_denied_total{reason=\"field\"} 0.0",
                "quire_esi_documents_total{tags=\"inert\"} 0.0",
                "quire_request_seconds_count{outcome=\"hit\"} 0",
                "quire_request_seconds_bucket{outcome=\"miss\",le=\"10.0\"} 0",
                "quire_fragment_seconds_count{outcome=\"miss\"} 0",
                "quire_origin_request_duration_seconds_count{origin=\"tested\",server=\"SERVER\",status=\"2xx\"} 0",
                "quire_received_bytes_total 0.0",
                "quire_sent_bytes_total 0.0",
                "quire_connections 0.0",
                "quire_requests_active 0.0",
                "quire_cache_max_bytes 6.7108864E7"
            })
    void rowIsThereBeforeTheFirstEvent(String row) {
        assertThat(proxy.getAdmin("/metrics").text().lines())
                .contains(row.replace("SERVER", origin.url().getAuthority()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "quire_build_info{java=\"",
                "quire_origin_circuit_state{origin=\"tested\",state=\"open\"",
                "process_start_time_seconds ",
                "process_uptime_seconds ",
                "process_cpu_usage ",
                "process_files_open_files ",
                "jvm_memory_used_bytes{area=\"heap\"",
                "jvm_threads_live_threads ",
                "jvm_gc_collection_seconds_count{gc=\""
            })
    void processAndBuildAreShown(String start) {
        assertThat(proxy.getAdmin("/metrics").text().lines())
                .anySatisfy(line -> assertThat(line).startsWith(start));
    }

    @Test
    void everySampleHasATypeAndAName() {
        useEverything();

        var types = new HashMap<String, String>();
        var helped = new HashSet<String>();
        var samples = new HashSet<String>();
        for (var line : proxy.getAdmin("/metrics").text().lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                var words = List.of(line.split(" ", -1));
                assertThat(types.put(words.get(2), words.get(3))).as(line).isNull();
            } else if (line.startsWith("# HELP ")) {
                var words = List.of(line.split(" ", 4));
                assertThat(words.get(3)).as(line).isNotBlank();
                assertThat(helped.add(words.get(2))).as(line).isTrue();
            } else {
                var sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                assertThat(samples.add(sample.group(1) + sample.group(2))).as(line).isTrue();
                assertThat(types).as(line).containsKey(family(sample.group(1), types));
            }
        }
        assertThat(helped).isEqualTo(types.keySet());
        types.forEach((name, type) -> {
            if (type.equals("counter")) {
                assertThat(name).endsWith("_total");
            } else {
                assertThat(name).doesNotEndWith("_total");
            }
        });
    }

    @Test
    void histogramsOfRequestsSumUpToTheRequests() {
        useEverything();
        proxy.awaitMetric("quire_requests_total", 6);

        assertThat(proxy.metric("quire_request_seconds_count"))
                .isEqualTo(proxy.metric("quire_requests_total"))
                .isEqualTo(6);
        assertThat(infinite("quire_request_seconds")).isEqualTo(6);
        assertThat(proxy.metric("quire_request_seconds_sum")).isBetween(0.0, 60.0);
        assertThat(infinite("quire_origin_request_duration_seconds"))
                .isEqualTo(proxy.metric("quire_origin_request_duration_seconds_count"))
                .isEqualTo(proxy.metric("quire_origin_requests_seconds_count"))
                .isEqualTo(origin.requests().size());
        assertThat(proxy.metric("quire_fragment_seconds_count")).isEqualTo(1);
    }

    @Test
    void bytesConnectionsAndRequestsInProgressAreCounted() {
        origin.on("/held", privately("x".repeat(100_000)));
        var held = origin.hold("/held");
        try (var client = proxy.connect()) {
            client.request("GET", "/held");
            held.awaitWaiting(1);
            assertThat(proxy.metric("quire_connections")).isEqualTo(1);
            assertThat(proxy.metric("quire_requests_active")).isEqualTo(1);
            held.release();
            assertThat(client.response().text()).hasSize(100_000);
        }
        proxy.awaitMetric("quire_requests_total", 1);

        assertThat(proxy.metric("quire_requests_active")).isZero();
        assertThat(proxy.metric("quire_received_bytes_total")).isBetween(30.0, 100.0);
        assertThat(proxy.metric("quire_sent_bytes_total")).isBetween(100_050.0, 101_000.0);
    }

    private void useEverything() {
        origin.on("/page", page(include("/a")));
        origin.on("/a", fragment("a"));
        origin.on("/own", privately("own"));
        origin.on("/bad", Answer.status(500));
        for (var target : List.of("/page", "/page", "/own", "/bad", "/a", "/a")) {
            proxy.get(target);
        }
    }

    /** The sum of the last buckets. */
    private double infinite(String name) {
        return proxy.getAdmin("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + "_bucket{") && line.contains("+Inf"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static String family(String sample, Map<String, String> types) {
        if (types.containsKey(sample)) {
            return sample;
        }
        for (var suffix : Set.of("_bucket", "_count", "_sum")) {
            var name = sample.endsWith(suffix) ? sample.replaceFirst(suffix + "$", "") : sample;
            if (Set.of("histogram", "summary").contains(types.getOrDefault(name, ""))) {
                return name;
            }
        }
        return sample;
    }
}
