package dev.quire.test.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The results of test classes that are run from within a test. */
final class Verdicts implements TestExecutionListener {
    private final Map<String, TestExecutionResult> all = new LinkedHashMap<>();
    private final List<FileEntry> files = new ArrayList<>();

    private Verdicts() {}

    /** Runs the tests of {@code type} with these configuration parameters. */
    static Verdicts of(Class<?> type, Path reports, String... parameters) {
        var verdicts = new Verdicts();
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(type))
                        .configurationParameter("quire.reports", reports.toString())
                        .configurationParameter(
                                "junit.platform.reporting.output.dir",
                                reports.resolve("published").toString());
        for (int i = 0; i < parameters.length; i += 2) {
            request.configurationParameter(parameters[i], parameters[i + 1]);
        }
        var launcher =
                LauncherFactory.create(
                        LauncherConfig.builder()
                                .enableTestExecutionListenerAutoRegistration(false)
                                .enableLauncherSessionListenerAutoRegistration(false)
                                .build());
        launcher.execute(request.build(), verdicts);
        return verdicts;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            all.put(test.getDisplayName().replace("()", ""), result);
        }
    }

    @Override
    public synchronized void fileEntryPublished(TestIdentifier test, FileEntry file) {
        files.add(file);
    }

    /** The tests that passed, by name. */
    synchronized List<String> passed() {
        return all.entrySet().stream()
                .filter(test ->
                        test.getValue().getStatus() == TestExecutionResult.Status.SUCCESSFUL)
                .map(test -> test.getKey().replaceAll("\\(.*", ""))
                .toList();
    }

    /** The failure of one test or class. */
    synchronized Throwable failure(String name) {
        assertThat(all).containsKey(name);
        return Objects.requireNonNull(all.get(name)).getThrowable().orElseThrow();
    }

    /** Requires that nothing failed; else the first failure is the cause. */
    synchronized Verdicts allPassed() {
        for (var result : all.values()) {
            result.getThrowable()
                    .ifPresent(failure -> {
                        throw new AssertionError("expected no failure", failure);
                    });
        }
        return this;
    }

    synchronized List<FileEntry> files() {
        return List.copyOf(files);
    }
}
