package dev.quire.proxy;

import dev.quire.proxy.admin.FleetState;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.EntrySource;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.FleetOverview;
import dev.quire.proxy.fleet.FleetStatus;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.fleet.NodeBuild;
import dev.quire.proxy.fleet.NodeName;
import dev.quire.proxy.metrics.Metrics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The state of the fleet for operators. Thread-safe. */
final class ShownFleet {

    /** So long an answer of this port waits for the store. */
    private static final Duration LONGEST = Duration.ofMillis(500);

    private final Membership membership;
    private final Metrics metrics;

    /** At the last look; null if the store did not answer. */
    private volatile @Nullable FleetOverview seen;

    ShownFleet(Membership membership, Metrics metrics) {
        this.membership = membership;
        this.metrics = metrics;
    }

    /** Registers the metrics; once, if this proxy has joined a fleet. */
    void show() {
        membership
                .joined()
                .ifPresent(joined -> {
                    var log = joined.log();
                    metrics.fleet()
                            .show(
                                    () -> seconds(log.status().lag()),
                                    () -> log.status().waiting(),
                                    () -> nodes(FleetOverview::live),
                                    () -> nodes(each -> each.nodes().size() - each.live()));
                    metrics.fleet().showFloor(() -> floor(log.status()));
                    for (var source : EntrySource.values()) {
                        metrics.fleet()
                                .showInvalidations(
                                        source,
                                        () ->
                                                log.status()
                                                        .invalidations()
                                                        .getOrDefault(source, 0L));
                    }
                });
    }

    private static double floor(FleetStatus status) {
        return status.epoch() == 0 ? Double.NaN : LogId.millis(status.read().floor()) / 1e3;
    }

    private static double seconds(@Nullable Duration time) {
        return time == null ? Double.NaN : time.toNanos() / 1e9;
    }

    private double nodes(ToLongFunction<FleetOverview> number) {
        var last = seen;
        return last == null ? Double.NaN : number.applyAsLong(last);
    }

    /** Asks the store for the nodes, for the metrics. Blocks for a moment. */
    void look() {
        membership.joined().ifPresent(joined -> seen = overview(joined.log()));
    }

    /** Asks the store for the state; empty without a fleet. Blocks for a moment. */
    Optional<FleetState> now() {
        return membership.joined().map(joined -> state(joined, overview(joined.log())));
    }

    private static @Nullable FleetOverview overview(FleetLog log) {
        return log.overview()
                .toCompletableFuture()
                .copy()
                .<@Nullable FleetOverview>thenApply(overview -> overview)
                .completeOnTimeout(null, LONGEST.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failed -> null)
                .join();
    }

    private static FleetState state(Membership.Joined joined, @Nullable FleetOverview overview) {
        var log = joined.log();
        var status = log.status();
        boolean isInEpoch = status.epoch() != 0;
        var counts = new LinkedHashMap<String, Long>();
        for (var source : EntrySource.values()) {
            counts.put(Metrics.label(source), status.invalidations().getOrDefault(source, 0L));
        }
        return new FleetState(
                joined.terms().name(),
                NodeName.of(status.node()),
                NodeName.incarnationOf(status.node()),
                status.isCurrent() ? "current" : "behind",
                status.fault(),
                isInEpoch ? LogId.epochText(status.epoch()) : null,
                isInEpoch ? text(new RecordPosition(status.epoch(), status.applied())) : null,
                status.lag(),
                status.waiting(),
                counts,
                joined.terms().ack().text(),
                overview == null
                        ? null
                        : new FleetState.Log(
                                overview.length(),
                                LogId.text(overview.last()),
                                overview.eviction().orElse(null)),
                overview == null
                        ? List.of()
                        : overview.nodes().stream().map(ShownFleet::node).toList());
    }

    private static FleetState.Node node(FleetOverview.Node node) {
        return new FleetState.Node(
                node.name(),
                node.incarnation(),
                node.isSilent() ? "silent" : "live",
                text(node.position()),
                node.silence(),
                node.build().map(NodeBuild::version).orElse(null),
                node.build().map(NodeBuild::configuration).orElse(null),
                node.build().map(NodeBuild::origins).filter(text -> !text.isEmpty()).orElse(null));
    }

    private static @Nullable String text(@Nullable RecordPosition position) {
        return position == null ? null : LogId.text(position);
    }
}
