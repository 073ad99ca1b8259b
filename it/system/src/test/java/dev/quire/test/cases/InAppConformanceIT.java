package dev.quire.test.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;

/**
 * The language cases through the assembly inside an application, which has no cache, so there are
 * no hits.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InAppConformanceIT {
    private final CaseRunner runner = new CaseRunner(new InAppSubject(mode()));

    /** How fragments are fetched. */
    String mode() {
        return "dispatch";
    }

    @AfterAll
    void stop() {
        runner.close();
    }

    @TestFactory
    Stream<DynamicTest> cases() throws InvalidCases {
        return CaseFile.read(RepositoryCases.FILE).stream()
                .filter(one -> OnlyProxy.of(one).isEmpty())
                .map(one ->
                        DynamicTest.dynamicTest(
                                one.id(),
                                () -> {
                                    var outcome = runner.run(one, withoutHit(one));

                                    if (!outcome.isPassed()) {
                                        fail(outcome.report());
                                    }
                                }));
    }

    @Test
    void fewCasesAreLeftOutAndEachHasItsReason(TestReporter reporter) throws InvalidCases {
        var leftOut = new LinkedHashMap<OnlyProxy, List<String>>();
        var cases = CaseFile.read(RepositoryCases.FILE);

        for (var one : cases) {
            OnlyProxy.of(one)
                    .ifPresent(why ->
                            leftOut.computeIfAbsent(why, w -> new ArrayList<>()).add(one.id()));
        }

        leftOut.forEach((why, ids) ->
                reporter.publishEntry(
                        ids.size() + " left out, because " + why.reason(), String.join(" ", ids)));
        assertThat(leftOut).containsOnlyKeys(OnlyProxy.TABLE.toArray(OnlyProxy[]::new));
        assertThat(leftOut.values().stream().mapToInt(List::size).sum())
                .isLessThan(cases.size() / 10);
    }

    private static List<Run> withoutHit(Case one) {
        return one.runs().stream().filter(run -> !(run instanceof Run.Hit)).toList();
    }
}
