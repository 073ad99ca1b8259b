package dev.quire.test.cases;

import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every language case through the assembler in memory. It has no wire, and so no pieces. */
class MemoryConformanceTest {
    private final CaseRunner runner = new CaseRunner(new MemorySubject());

    @TestFactory
    Stream<DynamicTest> cases() throws InvalidCases {
        return CaseFile.read(RepositoryCases.FILE).stream()
                .map(one ->
                        DynamicTest.dynamicTest(
                                one.id(),
                                () -> {
                                    var outcome = runner.run(one, withoutPieces(one));
                                    if (!outcome.isPassed()) {
                                        fail(outcome.report());
                                    }
                                }));
    }

    private static List<Run> withoutPieces(Case one) {
        return one.runs().stream().filter(run -> !(run instanceof Run.Pieces)).toList();
    }
}
