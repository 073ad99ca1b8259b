package dev.quire.test.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One case: the origin's answers, the client's request, and the expectations for both.
 *
 * @param line in the file, from 1
 * @param id unique in the file
 * @param feature the group it belongs to, or empty
 * @param origin answers by path, by path with query, or by absolute URL of another host
 */
record Case(
        int line,
        String id,
        String feature,
        Map<String, OriginAnswer> origin,
        ClientRequest request,
        Expectation expect,
        CaseConfig config) {

    /** The authority of all client requests. */
    static final String AUTHORITY = "example.test";

    private static final List<Integer> PIECES = List.of(1, 2, 3, 7, 16);

    /** Reads a case; problems are reported to {@code entry}. */
    static Case read(Entry entry, int line) {
        var id = entry.required("id");
        var feature = entry.text("feature").orElse("");
        // The source of a case and the products that agree with it are documentation only.
        entry.text("source");
        entry.texts("agree");
        entry.text("notes");
        var origin = new LinkedHashMap<String, OriginAnswer>();
        var answers = entry.entry("origin");
        if (answers.isEmpty()) {
            entry.wrong("origin", "is missing", "an object of answers by path");
        }
        answers.ifPresent(byPath -> {
            for (var path : byPath.names()) {
                Targets.check(byPath, path, path);
                byPath.entry(path).ifPresent(said -> origin.put(path, OriginAnswer.read(said)));
            }
        });
        var request = entry.entry("request").map(ClientRequest::read);
        if (request.isEmpty()) {
            entry.wrong("request", "is missing", "an object with method, path and headers");
        }
        var expect = entry.entry("expect").map(Expectation::read);
        if (expect.isEmpty()) {
            entry.wrong("expect", "is missing", "an object with the expectations");
        }
        var config = entry.entry("config").map(CaseConfig::read).orElse(CaseConfig.NONE);
        entry.refuseOthers();
        return new Case(
                line,
                id,
                feature,
                origin,
                request.orElse(ClientRequest.NONE),
                expect.orElse(Expectation.NONE),
                config);
    }

    /** The origin's answer to a request for {@code target} at {@code authority}, or null. */
    @Nullable OriginAnswer answerTo(String authority, String target) {
        int question = target.indexOf('?');
        var path = question < 0 ? target : target.substring(0, question);
        var prefix = Targets.isSameAuthority(authority, AUTHORITY) ? "" : "http://" + authority;
        var exact = origin.get(prefix + target);
        return exact == null ? origin.get(prefix + path) : exact;
    }

    /** The ways to run the case. */
    List<Run> runs() {
        var sizes = config.chunkSizes().isEmpty() ? PIECES : config.chunkSizes();
        var runs = new ArrayList<Run>();
        runs.add(new Run.Whole());
        sizes.forEach(bytes -> runs.add(new Run.Pieces(bytes)));
        runs.add(new Run.Hit());
        return runs;
    }
}
