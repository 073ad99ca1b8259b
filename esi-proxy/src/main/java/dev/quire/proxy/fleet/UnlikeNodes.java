package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which nodes run something else than this one, whenever that changes. Thread-safe. */
public final class UnlikeNodes {
    private static final Logger LOG = LoggerFactory.getLogger(UnlikeNodes.class);

    private Set<String> known = Set.of();

    /** Compares the nodes of {@code overview}. */
    public synchronized void see(FleetOverview overview) {
        var unlike = overview.unlike();
        var names =
                unlike.stream()
                        .map(node -> node.name() + " " + node.build().orElseThrow().text())
                        .collect(toSet());
        if (names.equals(known)) {
            return;
        }
        known = names;
        if (unlike.isEmpty()) {
            LOG.atInfo()
                    .addKeyValue("event", "fleet-alike")
                    .log(
                            "fleet: all nodes have the version, the configuration and the origins"
                                    + " of this one");
        } else {
            LOG.atWarn()
                    .addKeyValue("event", "fleet-unlike")
                    .log("fleet: {}", text(unlike, overview.own().orElseThrow()));
        }
    }

    /**
     * Returns what {@code nodes} run, and what that means for a node with {@code own}: it shares
     * the responses of those that differ from it by their origins alone.
     */
    static String text(List<FleetOverview.Node> nodes, NodeBuild own) {
        var parts = new ArrayList<String>();
        parts.add(nodes.stream().map(node -> text(node, own)).collect(joining(", ")));
        var builds = nodes.stream().map(node -> node.build().orElseThrow()).toList();
        if (!builds.stream().allMatch(own::storesAs)) {
            parts.add(
                    "this node may not find the responses of nodes with another version or"
                            + " configuration (expected its version, routes, rules, names of"
                            + " origins, shared.max-object and shared.key-file)");
        }
        if (builds.stream().anyMatch(own::hasOtherOrigins)) {
            parts.add(
                    "nodes with other URLs of an origin share their responses all the same (this"
                            + " node has the origins "
                            + own.origins()
                            + ")");
        }
        return String.join("; ", parts);
    }

    private static String text(FleetOverview.Node node, NodeBuild own) {
        var build = node.build().orElseThrow();
        var parts = new ArrayList<String>();
        if (!build.storesAs(own)) {
            parts.add("version " + build.version());
            parts.add("configuration " + build.configuration());
        }
        if (own.hasOtherOrigins(build)) {
            parts.add("origins " + build.origins());
        }
        return node.name() + " has " + String.join(" and ", parts);
    }
}
