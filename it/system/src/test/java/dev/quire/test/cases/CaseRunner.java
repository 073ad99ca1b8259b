package dev.quire.test.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Runs cases against a subject. One thread. */
final class CaseRunner implements AutoCloseable {
    private final Subject subject;

    CaseRunner(Subject subject) {
        this.subject = subject;
    }

    /** Runs {@code one} in each of {@code runs}. */
    Outcome run(Case one, List<Run> runs) {
        var runsByDifference = new LinkedHashMap<String, List<Run>>();
        for (var run : runs) {
            for (var difference : differences(one, run)) {
                runsByDifference.computeIfAbsent(difference, d -> new ArrayList<>()).add(run);
            }
        }
        var failures = new ArrayList<Outcome.Failure>();
        runsByDifference.forEach(
                (difference, in) -> failures.add(new Outcome.Failure(List.copyOf(in), difference)));
        return new Outcome(one, List.copyOf(runs), List.copyOf(failures));
    }

    private List<String> differences(Case one, Run run) {
        try {
            subject.begin(one, run);
        } catch (AssertionError e) {
            return List.of(said(e));
        }
        var differences = new ArrayList<String>();
        try {
            differences.addAll(asked(one, run));
        } catch (AssertionError e) {
            differences.add(said(e));
        }
        try {
            subject.end();
        } catch (AssertionError e) {
            differences.add(said(e));
        }
        return differences;
    }

    private List<String> asked(Case one, Run run) {
        int before = 0;
        boolean isFilledOtherwise = false;
        if (run instanceof Run.Hit) {
            var filling = filling(one);
            isFilledOtherwise = !filling.equals(one.request());
            subject.ask(filling);
            before = subject.seen().size();
        }
        var answer = subject.ask(one.request());
        var decoded = CaseClient.decoded(answer);
        var seen = subject.seen();
        var again = seen.subList(before, seen.size());
        return one.expect()
                .differences(
                        answer,
                        decoded,
                        seen,
                        // Requests with other fields are not judged by the expectations.
                        isFilledOtherwise ? again : seen,
                        run instanceof Run.Hit ? again : List.of());
    }

    /**
     * The request that fills the cache: without the case's fields, unless the origin's view of it
     * is checked.
     */
    private static ClientRequest filling(Case one) {
        var request = one.expect().requests().isEmpty() ? one.request().bare() : one.request();
        return request.filling();
    }

    private static String said(AssertionError error) {
        var message = error.getMessage();
        return message == null ? error.toString() : message;
    }

    @Override
    public void close() {
        subject.close();
    }
}
