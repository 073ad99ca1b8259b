package dev.quire.test.cases;

import dev.quire.test.wire.Content;
import dev.quire.test.wire.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The expectations for client and origin.
 *
 * @param body with the content coding removed
 * @param contained texts that the body must contain
 * @param absent texts that it must not contain
 * @param requests the origin must have received
 * @param notRequested targets the origin must not have received
 * @param cached targets that must not be requested again in the hit run
 */
record Expectation(
        OptionalInt status,
        Optional<Content> body,
        List<String> contained,
        List<String> absent,
        List<FieldRule> fields,
        List<ExpectedRequest> requests,
        List<String> notRequested,
        List<String> cached) {

    /** A placeholder for a case without a valid one, while its problems are collected. */
    static final Expectation NONE =
            new Expectation(
                    OptionalInt.empty(),
                    Optional.empty(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());

    /** Reads an expectation; problems are reported to {@code entry}. */
    static Expectation read(Entry entry) {
        var expectation =
                new Expectation(
                        entry.number("status", 200, 999),
                        BodyText.read(entry),
                        entry.textOrTexts("contains"),
                        entry.textOrTexts("absent"),
                        FieldRule.ofResponse(entry),
                        entry.entries("upstream").stream().map(ExpectedRequest::read).toList(),
                        targets(entry, "notRequested"),
                        targets(entry, "cached"));
        entry.refuseOthers();
        if (entry.isEmpty()) {
            entry.wrong(
                    "status",
                    "is missing, as is every other expectation",
                    "at least one expectation");
        }
        return expectation;
    }

    private static List<String> targets(Entry entry, String key) {
        var targets = entry.texts(key);
        targets.forEach(target -> Targets.check(entry, key, target));
        return targets;
    }

    /**
     * The differences.
     *
     * @param answer the client's response
     * @param decoded its body, with the content coding removed
     * @param seen all requests that reached the origin
     * @param judged those caused by the client's request with its own fields
     * @param again repeated requests for the same targets; empty except in a hit run
     */
    List<String> differences(
            Response answer,
            Content decoded,
            List<Seen> seen,
            List<Seen> judged,
            List<Seen> again) {
        var differences = new ArrayList<String>();
        if (status.isPresent() && status.getAsInt() != answer.status()) {
            differences.add(
                    "status: expected %d, found %d with %s"
                            .formatted(
                                    status.getAsInt(), answer.status(), Quoted.beginning(decoded)));
        }
        if (body.isPresent() && !body.get().equals(decoded)) {
            differences.add("body " + Quoted.difference(body.get(), decoded));
        }
        for (var text : contained) {
            if (!decoded.text().contains(text)) {
                differences.add(
                        "body: expected %s in it, found %s"
                                .formatted(Quoted.text(text), Quoted.beginning(decoded)));
            }
        }
        for (var text : absent) {
            int at = decoded.text().indexOf(text);
            if (at >= 0) {
                differences.add(
                        "body: expected no %s in it, found it at %d of %s"
                                .formatted(Quoted.text(text), at, Quoted.beginning(decoded)));
            }
        }
        fields.forEach(rule -> rule.difference(answer.fields()).ifPresent(differences::add));
        requests.forEach(request -> request.difference(seen).ifPresent(differences::add));
        unwanted(notRequested, judged, "expected no request for", differences);
        unwanted(cached, again, "expected not to be asked again for", differences);
        return differences;
    }

    private static void unwanted(
            List<String> names, List<Seen> requests, String expected, List<String> differences) {
        for (var name : names) {
            requests.stream()
                    .filter(request -> request.isFor(name))
                    .findFirst()
                    .ifPresent(request ->
                            differences.add(
                                    "the origin: %s %s, found %s"
                                            .formatted(expected, name, request)));
        }
    }
}
