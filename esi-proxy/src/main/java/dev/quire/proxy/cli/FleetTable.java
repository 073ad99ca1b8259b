package dev.quire.proxy.cli;

import dev.quire.core.http.DurationText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/**
 * The fleet as text: lines on this node, and a line for each node.
 *
 * @param fleet the answer of the admin port
 */
record FleetTable(JsonNode fleet) {

    void print(PrintWriter out) {
        out.println("fleet: " + text("name") + ", node " + text("node"));
        out.println("state: " + text("state") + since() + reason());
        out.println("position: " + text("position") + log());
        out.println("answers wait for: " + text("ack"));
        out.println(
                "invalidations: "
                        + counts(fleet.get("invalidations"))
                        + ", not in the log yet "
                        + fleet.get("waiting").longValue());
        if (!fleet.get("nodes").isEmpty()) {
            out.println();
            out.println(
                    "NODE                STATE   LAST SEEN     VERSION         CONFIGURATION     POSITION");
        }
        for (var node : fleet.get("nodes")) {
            out.println(
                    "%-18s  %-6s  %-12s  %-14s  %-16s  %s"
                            .formatted(
                                    node.get("name").stringValue(),
                                    node.get("state").stringValue(),
                                    time(node.get("silence")) + " ago",
                                    node.path("version").asString("unknown"),
                                    node.path("configuration").asString("unknown"),
                                    node.path("position").asString("none")));
        }
    }

    private String text(String name) {
        return fleet.path(name).asString("unknown");
    }

    private String since() {
        return fleet.get("lag").isNull()
                ? ", never confirmed"
                : ", confirmed " + time(fleet.get("lag")) + " ago";
    }

    private String reason() {
        return fleet.get("reason").isNull() ? "" : ": " + text("reason");
    }

    private String log() {
        var log = fleet.get("log");
        return log.isNull()
                ? ""
                : " (the log has %d entries, the last one is %s)"
                        .formatted(log.get("entries").longValue(), log.get("last").stringValue());
    }

    private static String counts(JsonNode counts) {
        var all = new StringJoiner(", ");
        counts.properties()
                .forEach(each -> all.add(each.getKey() + " " + each.getValue().longValue()));
        return all.toString();
    }

    private static String time(JsonNode seconds) {
        return DurationText.of(Duration.ofMillis(Math.round(seconds.doubleValue() * 1000)));
    }
}
