package dev.quire.test.cases;

import static org.junit.jupiter.api.Assertions.fail;

import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Every language case through the real proxy, in every run. For the largest case, pieces smaller
 * than the system property {@code quire.piece} are skipped, because they would take a minute.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceIT {
    private static final String LARGEST = "large-fragment-2m";
    private static final int SMALLEST_PIECE = Integer.getInteger("quire.piece", 7);

    private final CaseRunner runner = new CaseRunner(new ProxySubject());

    @AfterAll
    void stop() {
        runner.close();
    }

    @TestFactory
    Stream<DynamicTest> cases() throws InvalidCases {
        return CaseFile.read(RepositoryCases.FILE).stream()
                .map(one ->
                        DynamicTest.dynamicTest(
                                one.id(),
                                () -> {
                                    var outcome = watched(one);

                                    if (!outcome.isPassed()) {
                                        fail(outcome.report());
                                    }
                                }));
    }

    private static List<Run> runs(Case one) {
        return one.runs().stream()
                .filter(run ->
                        !(one.id().equals(LARGEST)
                                && run instanceof Run.Pieces pieces
                                && pieces.bytes() < SMALLEST_PIECE))
                .toList();
    }

    /** Recording every access to each of two million chunks would take minutes. */
    private Outcome watched(Case one) {
        var level = ResourceLeakDetector.getLevel();
        if (one.feature().equals("large")) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        }
        try {
            return runner.run(one, runs(one));
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }
}
