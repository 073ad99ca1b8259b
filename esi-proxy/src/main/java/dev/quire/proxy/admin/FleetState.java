package dev.quire.proxy.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the fleet as this node knows it.
 *
 * @param name of the fleet
 * @param node the name of this node
 * @param incarnation what tells this process from former ones of the same name
 * @param state {@code current} if this node knew all invalidations within the lease, else {@code
 *     behind}
 * @param reason why the log cannot be read, or own entries not be appended; null if they can
 * @param epoch null if it is not known yet
 * @param position of the last entry of the log that this node has applied; null without an epoch
 * @param lag since it was confirmed that this is the last one; null if it never was
 * @param waiting invalidations of this node that are not in the log yet
 * @param invalidations that this node has made since its start, by the way they came
 * @param ack what answers to invalidations wait for by default
 * @param log null if the store does not answer
 * @param nodes empty if the store does not answer
 */
public record FleetState(
        String name,
        String node,
        String incarnation,
        String state,
        @Nullable String reason,
        @Nullable String epoch,
        @Nullable String position,
        @Nullable Duration lag,
        int waiting,
        Map<String, Long> invalidations,
        String ack,
        @Nullable Log log,
        List<Node> nodes) {

    /**
     * The log.
     *
     * @param entries that it keeps
     * @param last the id of its last entry
     * @param eviction the policy by which the store may remove it; null if it does not, or if that
     *     is not known
     */
    public record Log(long entries, String last, @Nullable String eviction) {}

    /**
     * A node.
     *
     * @param state {@code live}, or {@code silent} for longer than the lease
     * @param position that it had applied when it last registered; null if it was in no epoch
     * @param silence since then
     * @param version of its program; null if it does not tell
     * @param configuration a hash of the settings that decide what it stores; null likewise
     * @param origins the names and URLs of its origins; null likewise
     */
    public record Node(
            String name,
            String incarnation,
            String state,
            @Nullable String position,
            Duration silence,
            @Nullable String version,
            @Nullable String configuration,
            @Nullable String origins) {}
}
