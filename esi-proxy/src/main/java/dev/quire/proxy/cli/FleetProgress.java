package dev.quire.proxy.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import tools.jackson.databind.JsonNode;

/**
 * How far an invalidation has come in the fleet, as text.
 *
 * @param answer of the admin port; without a fleet it says nothing about that
 */
record FleetProgress(JsonNode answer) {

    /** Prints that it has come as far as it should. */
    void print(PrintWriter out) {
        switch (applied()) {
            case "fleet" -> out.println(all());
            case "log" -> out.println("fleet: in the log at " + position());
            case "local" -> out.println("fleet: on this node; the others follow");
            default -> {}
        }
    }

    private String all() {
        return "fleet: all %d nodes have applied it"
                .formatted(answer.required("nodes").longValue());
    }

    /** Prints that it has not, and who is missing. */
    void printMissing(PrintWriter err) {
        long wanted = answer.path("replicas").asLong(0);
        long found = answer.path("replicated").asLong(0);
        switch (applied()) {
            case "fleet" -> {
                if (found < wanted) {
                    err.println(all());
                }
            }
            case "log" -> err.println(answer.has("nodes") ? missing() : logged());
            case "local" -> err.println("fleet: it is in effect on this node only: " + obstacle());
            default -> {}
        }
        if (found < wanted) {
            err.println(
                    "store: %d of %d replicas have it: one that becomes the primary server may lack it"
                            .formatted(found, wanted));
        }
    }

    private String logged() {
        return "fleet: it is in the log at " + position();
    }

    private String missing() {
        var missing = new ArrayList<String>();
        answer.path("missing").forEach(name -> missing.add(name.stringValue()));
        if (missing.isEmpty()) {
            return logged() + ", but the store has not said which nodes have applied it";
        }
        return "%s, but %d of %d nodes have not confirmed it: %s"
                .formatted(
                        logged(),
                        missing.size(),
                        answer.required("nodes").longValue(),
                        String.join(", ", missing));
    }

    private String obstacle() {
        return answer.path("reason")
                .asString("the log does not have it yet, and gets it once the store answers");
    }

    /** How far it has come; empty without a fleet. */
    private String applied() {
        return answer.path("applied").asString("");
    }

    private String position() {
        return answer.path("position").asString("");
    }
}
