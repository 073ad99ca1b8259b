package dev.quire.proxy.admin;

import dev.quire.proxy.fleet.Ack;
import java.util.LinkedHashMap;
import java.util.Optional;

/** The parts of requests and answers that are about the fleet. May block. */
final class FleetAnswers {

    /** The member or parameter that says what an answer waits for. */
    static final String ACK = "ack";

    private static final String NO_FLEET =
            "this proxy is not in a fleet (expected shared.type: redis with shared.servers, or"
                    + " fleet.servers, in the configuration)";

    private final AdminActions actions;

    FleetAnswers(AdminActions actions) {
        this.actions = actions;
    }

    /**
     * Reads what an answer shall wait for.
     *
     * @throws InvalidRequest if it is another word
     */
    static Optional<Ack> ack(Optional<String> text) {
        return text.map(word ->
                Ack.named(word)
                        .orElseThrow(() ->
                                new InvalidRequest(
                                        "ack: invalid value '" + word + "'", Ack.NAMES)));
    }

    /** Answers {@code result} of an invalidation once that has come as far as {@code wanted}. */
    AdminAnswer invalidated(Object result, Optional<Ack> wanted) {
        var settled = actions.settled(wanted);
        var members = new LinkedHashMap<String, Object>();
        settled.fleet().ifPresent(fleet -> members.putAll(fleet.members()));
        boolean isAlone = settled.fleet().isEmpty() && !wanted.orElse(Ack.LOCAL).equals(Ack.LOCAL);
        if (isAlone) {
            // It is made all the same: an application must not lose it with the fleet.
            members.put("applied", Ack.LOCAL.text());
            members.put("reason", NO_FLEET);
        }
        switch (settled.durability()) {
            case DURABLE -> {}
            case NOT_DURABLE -> members.put("durable", false);
        }
        return AdminAnswer.extended(settled.isComplete() && !isAlone ? 200 : 202, result, members);
    }

    AdminAnswer state() {
        return actions.fleet()
                .map(AdminAnswer::json)
                .orElseGet(() -> AdminAnswer.text(404, "404 " + NO_FLEET));
    }
}
