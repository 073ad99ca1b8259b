package dev.quire.test.cases;

import dev.quire.test.wire.Content;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A request the origin must have received.
 *
 * @param path which may have a query, or an absolute URL
 * @param absentArguments names that its query must not have
 */
record ExpectedRequest(
        String path,
        Optional<String> method,
        List<FieldRule> fields,
        List<String> absentArguments,
        Optional<Content> body) {

    /** Reads one; problems are reported to {@code entry}. */
    static ExpectedRequest read(Entry entry) {
        var path = entry.required("path");
        if (!path.isEmpty()) {
            Targets.check(entry, "path", path);
        }
        var method = entry.text("method");
        var fields = FieldRule.ofRequest(entry);
        var absentArguments = entry.texts("absentQuery");
        var body = BodyText.read(entry);
        entry.refuseOthers();
        return new ExpectedRequest(path, method, fields, absentArguments, body);
    }

    /** Why none of {@code requests} matches; empty if one does. */
    Optional<String> difference(List<Seen> requests) {
        var others = new ArrayList<String>();
        for (var request : requests) {
            if (request.isFor(path)) {
                var differences = differences(request);
                if (differences.isEmpty()) {
                    return Optional.empty();
                }
                others.add(request + ": " + String.join("; ", differences));
            }
        }
        if (others.isEmpty()) {
            return Optional.of(
                    "the origin: expected a request for %s, found %s".formatted(path, requests));
        }
        return Optional.of(
                "the origin: expected another request for %s\n  %s"
                        .formatted(path, String.join("\n  ", others)));
    }

    private List<String> differences(Seen request) {
        var differences = new ArrayList<String>();
        if (method.isPresent() && !method.get().equals(request.method())) {
            differences.add("expected " + method.get());
        }
        fields.forEach(rule -> rule.difference(request.fields()).ifPresent(differences::add));
        int question = request.target().indexOf('?');
        if (question >= 0) {
            for (var argument : request.target().substring(question + 1).split("&", -1)) {
                var name = Arrays.asList(argument.split("=", 2)).getFirst();
                if (absentArguments.contains(name)) {
                    differences.add("expected no argument " + name);
                }
            }
        }
        if (body.isPresent() && !body.get().equals(request.body())) {
            differences.add("body " + Quoted.difference(body.get(), request.body()));
        }
        return differences;
    }
}
