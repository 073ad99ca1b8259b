package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.toSet;

import dev.quire.proxy.cache.RecordPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log and the nodes of a fleet at a moment, as the store knows them.
 *
 * @param length the entries that the log keeps
 * @param last the id of the newest one
 * @param policy by which the store evicts keys, or an empty text for none; empty if it is not known
 * @param nodes by name
 */
public record FleetOverview(long length, long last, Optional<String> policy, List<Node> nodes) {

    /** The policies of Redis and Valkey that evict keys without an expiry too. */
    private static final String OF_ALL_KEYS = "allkeys-";

    /**
     * A node.
     *
     * @param position of the last entry that it had applied then; null if it was in no epoch
     * @param silence since it last registered
     * @param build what it runs; empty if it does not tell
     * @param isSilent whether that is longer than the lease, so that no answer waits for it
     * @param isSelf whether it is this node
     */
    public record Node(
            String name,
            String incarnation,
            @Nullable RecordPosition position,
            Duration silence,
            Optional<NodeBuild> build,
            boolean isSilent,
            boolean isSelf) {}

    public FleetOverview {
        nodes = List.copyOf(nodes);
    }

    /** The policy by which the store may remove the log; empty if it does not, or is not known. */
    public Optional<String> eviction() {
        return policy.filter(name -> name.startsWith(OF_ALL_KEYS));
    }

    /** The number of nodes that are not silent. */
    public long live() {
        return nodes.stream().filter(node -> !node.isSilent()).count();
    }

    /** The build of this node; empty if the store does not know it. */
    Optional<NodeBuild> own() {
        return nodes.stream().filter(Node::isSelf).findFirst().flatMap(Node::build);
    }

    /** The live nodes that run something else than this one. */
    public List<Node> unlike() {
        var own = own();
        return nodes.stream()
                .filter(node -> own.isPresent() && !node.isSilent())
                .filter(node -> node.build().isPresent() && !node.build().equals(own))
                .toList();
    }

    /**
     * Asks the store; fails if it does not answer.
     *
     * @param seen receives the nodes
     */
    static CompletionStage<FleetOverview> ask(
            LogServer server, FleetLog.Terms terms, Consumer<LogServer.Members> seen) {
        return server.overview(AckWaits.LONGEST_SILENCE)
                .toCompletableFuture()
                .copy()
                .orTimeout(FleetLoop.LONGEST_CALL.toNanos(), TimeUnit.NANOSECONDS)
                .thenApply(overview -> {
                    seen.accept(overview.members());
                    return of(overview, terms.node(), terms.lease());
                });
    }

    /** Without those that have begun again since, or have been silent for too long. */
    private static FleetOverview of(LogServer.Overview overview, String self, Duration lease) {
        var nodes = new ArrayList<Node>();
        var members = overview.members();
        members.byNode()
                .forEach((node, member) -> {
                    var silence =
                            Duration.ofMillis(Math.max(0, members.millis() - member.tickMillis()));
                    nodes.add(
                            new Node(
                                    NodeName.of(node),
                                    NodeName.incarnationOf(node),
                                    member.epoch() == 0
                                            ? null
                                            : new RecordPosition(member.epoch(), member.applied()),
                                    silence,
                                    member.build(),
                                    silence.compareTo(lease) >= 0,
                                    node.equals(self)));
                });
        var live = nodes.stream().filter(node -> !node.isSilent()).map(Node::name).collect(toSet());
        nodes.removeIf(node -> isGone(node, live));
        nodes.sort(Comparator.comparing(Node::name).thenComparing(Node::incarnation));
        return new FleetOverview(
                overview.extent().length(), overview.extent().last(), overview.policy(), nodes);
    }

    private static boolean isGone(Node node, Set<String> live) {
        return node.isSilent()
                && (live.contains(node.name())
                        || node.silence().compareTo(AckWaits.LONGEST_SILENCE) >= 0);
    }
}
