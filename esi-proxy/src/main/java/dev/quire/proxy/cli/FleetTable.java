package dev.quire.proxy.cli;

import dev.quire.core.http.DurationText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/**
 * The fleet as text: lines on this node, and a line for each node.
 *
 * @param fleet the answer of the admin port
 */
record FleetTable(JsonNode fleet) {

    void print(PrintWriter out) {
        var nodes = fleet.required("nodes");
        out.println("fleet: " + text("name") + ", node " + text("node"));
        out.println("state: " + text("state") + since() + reason());
        out.println("position: " + text("position") + log());
        var eviction = fleet.path("log").path("eviction");
        if (eviction.isString()) {
            out.println(
                    "eviction: the store may remove the log, maxmemory-policy is "
                            + eviction.stringValue()
                            + " (expected noeviction or volatile-*)");
        }
        out.println("answers wait for: " + text("ack"));
        out.println(
                "invalidations: "
                        + counts(fleet.required("invalidations"))
                        + ", not in the log yet "
                        + fleet.required("waiting").longValue());
        if (!nodes.isEmpty()) {
            out.println();
            out.println(
                    "NODE                STATE   LAST SEEN     VERSION         CONFIGURATION     POSITION");
        }
        for (var node : nodes) {
            out.println(
                    "%-18s  %-6s  %-12s  %-14s  %-16s  %s"
                            .formatted(
                                    text(node, "name"),
                                    text(node, "state"),
                                    time(node.required("silence")) + " ago",
                                    node.path("version").asString("unknown"),
                                    node.path("configuration").asString("unknown"),
                                    node.path("position").asString("none")));
        }
        printOrigins(out);
    }

    /** Prints the origins of the live nodes if they differ. */
    private void printOrigins(PrintWriter out) {
        var lines = new ArrayList<String>();
        var origins = new HashSet<String>();
        for (var node : fleet.required("nodes")) {
            if (node.path("origins").isString() && text(node, "state").equals("live")) {
                origins.add(text(node, "origins"));
                lines.add("%-18s  %s".formatted(text(node, "name"), text(node, "origins")));
            }
        }
        if (origins.size() > 1) {
            out.println();
            out.println("The origins of the nodes differ:");
            lines.forEach(out::println);
        }
    }

    private static String text(JsonNode of, String name) {
        return of.required(name).stringValue();
    }

    private String text(String name) {
        return fleet.path(name).asString("unknown");
    }

    private String since() {
        return fleet.required("lag").isNull()
                ? ", never confirmed"
                : ", confirmed " + time(fleet.required("lag")) + " ago";
    }

    private String reason() {
        return fleet.required("reason").isNull() ? "" : ": " + text("reason");
    }

    private String log() {
        var log = fleet.required("log");
        return log.isNull()
                ? ""
                : " (entries in the log: %d, the last one is %s)"
                        .formatted(
                                log.required("entries").longValue(),
                                log.required("last").stringValue());
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
