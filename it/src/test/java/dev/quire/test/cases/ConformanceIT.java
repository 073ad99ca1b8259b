package dev.quire.test.cases;

import static org.junit.jupiter.api.Assertions.fail;

import io.netty.util.ResourceLeakDetector;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Every language case through the real proxy, in every run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceIT {
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

    /** A trace of where each of two million chunks is touched would take minutes. */
    private Outcome watched(Case one) {
        var level = ResourceLeakDetector.getLevel();
        if (one.feature().equals("large")) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        }
        try {
            return runner.run(one, one.runs());
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }
}
