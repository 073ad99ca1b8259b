package dev.quire.it.broken;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/** The results of {@link HealthySite} for one assembler. */
final class Verdicts implements TestExecutionListener {
    private final Set<String> passed = new TreeSet<>();
    private final Map<String, Throwable> failures = new TreeMap<>();

    private Verdicts() {}

    /**
     * * Runs the suite.
     *
     * @param without tags of tests to leave out
     * @param parameters configuration parameters, names and values alternating
     */
    static Verdicts of(Launcher launcher, Path reports, Set<String> without, String... parameters) {
        var verdicts = new Verdicts();
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(HealthySite.class))
                        .configurationParameter("quire.reports", reports.toString())
                        .configurationParameter(
                                "junit.platform.reporting.output.dir",
                                reports.resolve("published").toString());
        without.forEach(tag -> request.filters(TagFilter.excludeTags(tag)));
        for (int i = 0; i < parameters.length; i += 2) {
            request.configurationParameter(parameters[i], parameters[i + 1]);
        }
        launcher.execute(request.build(), verdicts);
        return verdicts;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        var name = test.getDisplayName().replaceAll("\\(.*", "");
        if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            failures.put(
                    name,
                    result.getThrowable()
                            .orElseGet(() -> new AssertionError(name + " was not run")));
        } else if (test.isTest()) {
            passed.add(name);
        }
    }

    synchronized Set<String> passed() {
        return new TreeSet<>(passed);
    }

    /** Returns failures by name of the test, or of its class if that could not run. */
    synchronized Map<String, Throwable> failures() {
        return new TreeMap<>(failures);
    }
}
