package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

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
                    .log("fleet: all nodes have the version and the configuration of this one");
        } else {
            LOG.atWarn()
                    .addKeyValue("event", "fleet-unlike")
                    .log(
                            "fleet: {}; this node does not find all responses of theirs (expected"
                                    + " its version, routes, rules, shared.max-object and"
                                    + " shared.key-file)",
                            unlike.stream().map(UnlikeNodes::text).collect(joining(", ")));
        }
    }

    private static String text(FleetOverview.Node node) {
        var build = node.build().orElseThrow();
        return "%s has version %s and configuration %s"
                .formatted(node.name(), build.version(), build.configuration());
    }
}
