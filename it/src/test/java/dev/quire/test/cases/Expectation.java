package dev.quire.test.cases;

import dev.quire.test.Content;
import dev.quire.test.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What client and origin must see.
 *
 * @param body after the content coding is undone
 * @param contained texts that must stand in the body
 * @param absent texts that may not
 * @param requests the origin must have seen
 * @param notRequested what it may not have been asked for
 * @param cached what it may not be asked for again in the hit run
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

    /** Stands in where a case has none, while its problems are collected. */
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

    /** Reads an expectation; what is wrong with it is reported to {@code entry}. */
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
            entry.wrong("status", "is missing, as is every other expectation", "at least one expectation");
        }
        return expectation;
    }

    private static List<String> targets(Entry entry, String key) {
        var targets = entry.texts(key);
        targets.forEach(target -> Targets.check(entry, key, target));
        return targets;
    }

    /**
     * What differs.
     *
     * @param answer the client's
     * @param decoded its body, the content coding undone
     * @param seen all requests that reached the origin
     * @param judged those that had the client's own fields behind them
     * @param again those for what had been asked for before; none but in a hit run
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
