package dev.quire.test.cases;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The command that runs language cases through a real proxy and reports the failed ones. */
public final class Conformance {
    private static final int ALL_PASSED = 0;
    private static final int SOME_FAILED = 1;
    private static final int CANNOT_RUN = 2;

    private Conformance() {}

    /**
     * Runs the cases of a file.
     *
     * @param arguments the file, then the ids of the cases to run; no ids for all
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    /** The exit status: 0 if all cases passed, 1 if some failed, 2 if they could not be run. */
    static int run(String[] arguments, PrintStream out, PrintStream err) {
        if (arguments.length == 0) {
            err.println("conformance: no file given (expected FILE.jsonl [ID...])");
            return CANNOT_RUN;
        }
        List<Case> cases;
        try {
            cases = chosen(CaseFile.read(arguments[0]), List.of(arguments));
        } catch (InvalidCases e) {
            e.problems().forEach(problem -> err.println(arguments[0] + ": " + problem));
            return CANNOT_RUN;
        }
        int failed = 0;
        try (var runner = new CaseRunner(new ProxySubject())) {
            for (var one : cases) {
                var outcome = runner.run(one, one.runs());
                if (!outcome.isPassed()) {
                    failed++;
                    out.println(outcome.report());
                }
            }
        }
        out.println("%d passed, %d failed".formatted(cases.size() - failed, failed));
        return failed == 0 ? ALL_PASSED : SOME_FAILED;
    }

    private static List<Case> chosen(List<Case> cases, List<String> arguments) throws InvalidCases {
        var ids = new HashSet<>(arguments.subList(1, arguments.size()));
        if (ids.isEmpty()) {
            return cases;
        }
        var chosen = new ArrayList<Case>();
        for (var one : cases) {
            if (ids.remove(one.id())) {
                chosen.add(one);
            }
        }
        if (!ids.isEmpty()) {
            throw new InvalidCases(
                    ids.stream().sorted().map(id -> "it has no case '" + id + "'").toList());
        }
        return chosen;
    }
}
