package dev.quire.proxy.cli;

import java.io.PrintWriter;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/**
 * The storage tiers as text, a line for each, and further lines on the disk and on the shared one.
 *
 * @param tiers the answer of the admin port
 */
record TierTable(JsonNode tiers) {

    void print(PrintWriter out) {
        tiers.required("memory");
        out.println("TIER    STATE    OBJECTS            BYTES            LIMIT");
        for (var tier : tiers.properties()) {
            var each = tier.getValue();
            out.println(
                    "%-6s  %-7s  %7s  %15s  %15s"
                            .formatted(
                                    tier.getKey(),
                                    each.path("paused").asBoolean(false)
                                            ? "paused"
                                            : each.required("state").stringValue(),
                                    number(each, "objects"),
                                    number(each, "bytes"),
                                    number(each, "maxBytes")));
        }
        if (tiers.has("disk")) {
            print(tiers.required("disk"), out);
        }
        if (tiers.has("shared")) {
            printShared(tiers.required("shared"), out);
        }
    }

    /** The shared tier has no such numbers. */
    private static String number(JsonNode tier, String name) {
        return tier.has(name) ? tier.required(name).longValue() + "" : "-";
    }

    private static void printShared(JsonNode shared, PrintWriter out) {
        out.println(
                "store: %s, connections %d, waiting requests %d"
                        .formatted(
                                shared.required("servers").stringValue(),
                                shared.required("connections").longValue(),
                                shared.required("waiting").longValue()));
        print("store failed", shared.required("reason"), out);
        out.println("shared searches: " + counts(shared.required("requests")));
        out.println(
                "shared writes: "
                        + counts(shared.required("writes"))
                        + ", waiting "
                        + bytes(shared, "waiting"));
    }

    private static void print(JsonNode disk, PrintWriter out) {
        print("path", disk.required("path"), out);
        print("failed", disk.required("reason"), out);
        print("last error", disk.required("lastError"), out);
        print("emptied", disk.required("emptied"), out);
        out.println("searches: " + counts(disk.required("requests")));
        out.println(
                "writes: "
                        + counts(disk.required("writes"))
                        + ", waiting "
                        + bytes(disk, "waiting"));
        out.println(
                "files: %d with responses, journal %s; index %s of memory"
                        .formatted(
                                disk.required("segments").longValue(),
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
        return disk.required(name + "Bytes").longValue() + " B";
    }
}
