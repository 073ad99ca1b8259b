package dev.quire.proxy.cli;

import java.io.PrintWriter;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/**
 * The storage tiers as text, a line for each, and further lines on the disk.
 *
 * @param tiers the answer of the admin port
 */
record TierTable(JsonNode tiers) {

    void print(PrintWriter out) {
        out.println("TIER    STATE    OBJECTS            BYTES            LIMIT");
        for (var tier : tiers.properties()) {
            var each = tier.getValue();
            out.println(
                    "%-6s  %-7s  %7d  %15d  %15d"
                            .formatted(
                                    tier.getKey(),
                                    each.path("paused").asBoolean(false)
                                            ? "paused"
                                            : each.get("state").stringValue(),
                                    each.get("objects").longValue(),
                                    each.get("bytes").longValue(),
                                    each.get("maxBytes").longValue()));
        }
        if (tiers.has("disk")) {
            print(tiers.get("disk"), out);
        }
    }

    private static void print(JsonNode disk, PrintWriter out) {
        print("path", disk.get("path"), out);
        print("failed", disk.get("reason"), out);
        print("last error", disk.get("lastError"), out);
        print("emptied", disk.get("emptied"), out);
        out.println("searches: " + counts(disk.get("requests")));
        out.println(
                "writes: " + counts(disk.get("writes")) + ", waiting " + bytes(disk, "waiting"));
        out.println(
                "files: %d with responses, journal %s; index %s of memory"
                        .formatted(
                                disk.get("segments").longValue(),
                                bytes(disk, "journal"),
                                bytes(disk, "index")));
    }

    private static void print(String name, JsonNode text, PrintWriter out) {
        if (text.isString()) {
            out.println(name + ": " + text.stringValue());
        }
    }

    private static String counts(JsonNode counts) {
        var all = new StringJoiner(", ");
        counts.properties()
                .forEach(each -> all.add(each.getKey() + " " + each.getValue().longValue()));
        return all.toString();
    }

    private static String bytes(JsonNode disk, String name) {
        return disk.get(name + "Bytes").longValue() + " B";
    }
}
