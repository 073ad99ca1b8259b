package dev.quire.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Miss;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.Pass;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.proxy.cache.CacheEvents.Refresh;
import dev.quire.proxy.cache.TierOutcome;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.metrics.Metrics.FragmentOutcome;
import dev.quire.proxy.metrics.Metrics.Invalidation;
import dev.quire.proxy.metrics.Metrics.Outcome;
import dev.quire.proxy.metrics.Metrics.ShownServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private final Metrics metrics = new Metrics();

    private enum Reason {
        SET_COOKIE
    }

    @Test
    void requestsAreCountedByOutcomeAndStatusClass() {
        metrics.requested(Outcome.HIT, 200, 90_000);
        metrics.requested(Outcome.HIT, 206, 2_000_000);
        metrics.requested(Outcome.ERROR, 502, 11_000_000_000L);
        metrics.requested(Outcome.ERROR, 0, 0);

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_requests_total{outcome=\"hit\",status=\"2xx\"} 2.0",
                        "quire_requests_total{outcome=\"error\",status=\"5xx\"} 1.0",
                        "quire_requests_total{outcome=\"error\",status=\"none\"} 1.0",
                        "quire_requests_total{outcome=\"pass\",status=\"4xx\"} 0.0");
    }

    @Test
    void requestsAreTimedInBucketsByOutcome() {
        metrics.requested(Outcome.HIT, 200, 90_000);
        metrics.requested(Outcome.HIT, 200, 100_000);
        metrics.requested(Outcome.HIT, 200, 2_000_000);
        metrics.requested(Outcome.ERROR, 502, 11_000_000_000L);

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_request_seconds_bucket{outcome=\"hit\",le=\"1.0E-4\"} 2",
                        "quire_request_seconds_bucket{outcome=\"hit\",le=\"0.003\"} 3",
                        "quire_request_seconds_bucket{outcome=\"hit\",le=\"+Inf\"} 3",
                        "quire_request_seconds_count{outcome=\"hit\"} 3",
                        "quire_request_seconds_sum{outcome=\"hit\"} 0.00219",
                        "quire_request_seconds_bucket{outcome=\"error\",le=\"10.0\"} 0",
                        "quire_request_seconds_bucket{outcome=\"error\",le=\"+Inf\"} 1",
                        "quire_request_seconds_count{outcome=\"stale\"} 0");
    }

    @Test
    void fetchedFragmentsAreTimed() {
        metrics.included(FragmentOutcome.HIT);
        metrics.included(FragmentOutcome.MISS, 5_000_000);

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_fragments_total{outcome=\"miss\"} 1.0",
                        "quire_fragment_seconds_count{outcome=\"miss\"} 1",
                        "quire_fragment_seconds_count{outcome=\"hit\"} 0");
    }

    @Test
    void everyDecisionIsCountedWithItsReason() {
        metrics.decided(new Hit<>("page"));
        metrics.decided(new StaleHit<>("page"));
        metrics.decided(new Revalidate<>("page", RevalidateReason.NO_CACHE));
        metrics.decided(new Miss<>(MissReason.URI_MISS));
        metrics.decided(new Miss<>(MissReason.URI_MISS));
        metrics.decided(new Pass<>(PassReason.HIT_FOR_MISS));

        assertThat(metrics.scrape().lines())
                .contains(
                        decided("hit", "fresh", 1),
                        decided("stale-hit", "grace", 1),
                        decided("revalidate", "no-cache", 1),
                        decided("revalidate", "stale", 0),
                        decided("miss", "uri-miss", 2),
                        decided("pass", "hit-for-miss", 1));
    }

    @Test
    void originsAreTimedByServerAndStatusClassAndShowTheirConnections() {
        var news = metrics.origin("news");
        news.of("a:80").answered(200, Duration.ofMillis(250));
        news.of("b:80").failed(Duration.ofSeconds(2));
        news.retried();
        metrics.showOrigins(Map.of("news", () -> 7), List.of());

        assertThat(metrics.origin("news")).isSameAs(news);
        assertThat(news.of("a:80")).isSameAs(news.of("a:80"));
        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_origin_requests_seconds_count{origin=\"news\",server=\"a:80\",status=\"2xx\"} 1",
                        "quire_origin_requests_seconds_count{origin=\"news\",server=\"b:80\",status=\"2xx\"} 0",
                        "quire_origin_request_duration_seconds_count{origin=\"news\",server=\"b:80\",status=\"none\"} 1",
                        "quire_origin_requests_seconds_sum{origin=\"news\",server=\"a:80\",status=\"2xx\"} 0.25",
                        "quire_origin_requests_seconds_sum{origin=\"news\",server=\"b:80\",status=\"none\"} 2.0",
                        "quire_origin_retries_total{origin=\"news\"} 1.0",
                        "quire_origin_connections{origin=\"news\"} 7.0");
    }

    @Test
    void originsShownAgainReplaceThoseBefore() {
        var before = new ShownServer("news", "http://a", () -> 0, () -> 1);
        var after = new ShownServer("news", "http://a", () -> 2, () -> 0);
        var gone = new ShownServer("news", "http://b", () -> 0, () -> 1);
        metrics.showOrigins(Map.of("news", () -> 7, "shop", () -> 1), List.of(before, gone));

        metrics.showOrigins(Map.of("news", () -> 8), List.of(after));

        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("quire_origin_")))
                .containsExactlyInAnyOrder(
                        "quire_origin_connections{origin=\"news\"} 8.0",
                        "quire_origin_circuit{origin=\"news\",url=\"http://a\"} 2.0",
                        circuit("closed", 0),
                        circuit("half-open", 0),
                        circuit("open", 1),
                        "quire_origin_up{origin=\"news\",url=\"http://a\"} 0.0");
    }

    @Test
    void theCacheIsShown() {
        metrics.showStore(() -> 3, () -> 4096, () -> 8, () -> 7);
        metrics.showWaiting(() -> 1000);
        metrics.uncacheable(StorageRefusal.SET_COOKIE);
        metrics.coalesced();
        metrics.refreshed(Refresh.RENEWED);
        metrics.invalidated(Invalidation.TAG, true, 5);

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_cache_objects 3.0",
                        "quire_cache_bytes 4096.0",
                        "quire_cache_evictions_total 8.0",
                        "quire_cache_refused_total{reason=\"size\"} 7.0",
                        "quire_exchanges_waiting 1000.0",
                        "quire_cache_uncacheable_total{reason=\"set-cookie\"} 1.0",
                        "quire_coalesced_total 1.0",
                        "quire_coalesced_requests_total 1.0",
                        "quire_invalidated_objects_total{kind=\"tag\"} 5.0",
                        "quire_background_refresh_total{outcome=\"renewed\"} 1.0",
                        "quire_invalidations_total{kind=\"tag\",mode=\"soft\"} 1.0",
                        "quire_invalidations_total{kind=\"tag\",mode=\"hard\"} 0.0",
                        "quire_invalidations_objects_total{kind=\"tag\"} 5.0");
    }

    @Test
    void tiersAreShownIfTheyAreRegistered() {
        assertThat(metrics.scrape()).doesNotContain("quire_tier_", "quire_disk_");
        var tiers = metrics.tiers();
        tiers.show("disk", () -> 1, () -> 2, () -> 3);
        tiers.showRequests(
                "disk",
                outcome -> outcome == TierOutcome.HIT ? 4 : 0,
                outcome -> outcome == TierWrite.DROPPED ? 5 : 0);
        tiers.waits("disk").accept(2_000_000);
        tiers.showDisk(() -> 6, () -> 7, () -> 8, () -> 9, () -> 10, () -> 0.25);
        System.gc();

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_tier_state{tier=\"disk\"} 1.0",
                        "quire_tier_objects{tier=\"disk\"} 2.0",
                        "quire_tier_bytes{tier=\"disk\"} 3.0",
                        "quire_tier_requests_total{outcome=\"hit\",tier=\"disk\"} 4.0",
                        "quire_tier_requests_total{outcome=\"corrupt\",tier=\"disk\"} 0.0",
                        "quire_tier_writes_total{outcome=\"dropped\",tier=\"disk\"} 5.0",
                        "quire_tier_seconds_bucket{tier=\"disk\",le=\"0.001\"} 0",
                        "quire_tier_seconds_bucket{tier=\"disk\",le=\"0.003\"} 1",
                        "quire_disk_segments 6.0",
                        "quire_disk_index_bytes 7.0",
                        "quire_disk_journal_bytes 8.0",
                        "quire_disk_reinserted_total 9.0",
                        "quire_disk_damaged_total 10.0",
                        "quire_disk_start_seconds 0.25");
    }

    @Test
    void faultsAreCountedByReason() {
        metrics.included(FragmentOutcome.TIMEOUT);
        metrics.parseErrors(2);
        metrics.rejectedRequest(Reason.SET_COOKIE);
        metrics.rejectedConnection(Reason.SET_COOKIE);
        metrics.denied(Reason.SET_COOKIE);
        metrics.showAccessLogDropped(() -> 9);
        metrics.draining(true);

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_fragments_total{outcome=\"timeout\"} 1.0",
                        "quire_parse_errors_total 2.0",
                        "quire_rejects_total{reason=\"set-cookie\"} 2.0",
                        "quire_rejected_requests_total{reason=\"set-cookie\"} 1.0",
                        "quire_rejected_connections_total{reason=\"set-cookie\"} 1.0",
                        "quire_esi_parse_errors_total 2.0",
                        "quire_esi_denied_total{reason=\"set-cookie\"} 1.0",
                        "quire_accesslog_dropped_total 9.0",
                        "quire_draining 1.0");
    }

    @Test
    void whatIsCountedOutlivesTheGarbageCollector() {
        metrics.included(FragmentOutcome.HIT);
        metrics.showAccessLogDropped(new AtomicLong(2)::get);
        metrics.showStore(
                new AtomicLong(3)::get,
                new AtomicLong(4)::get,
                new AtomicLong(6)::get,
                new AtomicLong(7)::get);
        metrics.showOrigins(Map.of("news", new AtomicLong(5)::get), List.of());
        System.gc();

        assertThat(metrics.scrape().lines())
                .contains(
                        "quire_fragments_total{outcome=\"hit\"} 1.0",
                        "quire_accesslog_dropped_total 2.0",
                        "quire_cache_objects 3.0",
                        "quire_cache_bytes 4.0",
                        "quire_cache_evictions_total 6.0",
                        "quire_cache_refused_total{reason=\"size\"} 7.0",
                        "quire_origin_connections{origin=\"news\"} 5.0");
    }

    private static String circuit(String state, int value) {
        return "quire_origin_circuit_state{origin=\"news\",state=\"%s\",url=\"http://a\"} %d.0"
                .formatted(state, value);
    }

    private static String decided(String decision, String reason, int times) {
        return "quire_cache_decisions_total{decision=\"%s\",reason=\"%s\"} %d.0"
                .formatted(decision, reason, times);
    }
}
