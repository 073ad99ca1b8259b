package dev.quire.it.broken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.broken.CandidateSource.Assembler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one suite of assertions on the three assemblers, sound and with each fault: the right tests
 * detect the fault and say where to look, the others pass.
 */
class BrokenProxyIT {
    private static final Set<String> ALL = Set.of();

    @TempDir private static Path reports;
    private static LauncherSession session;
    private static final List<List<String>> SEEN = new ArrayList<>();

    @BeforeAll
    static void open() {
        session =
                LauncherFactory.openSession(
                        LauncherConfig.builder()
                                .enableTestExecutionListenerAutoRegistration(false)
                                .enableLauncherSessionListenerAutoRegistration(false)
                                .build());
    }

    @AfterAll
    static void close() {
        session.close();
        System.out.println(table());
    }

    private static Verdicts verdicts(Set<String> without, String... parameters) {
        return Verdicts.of(session.getLauncher(), reports, without, parameters);
    }

    @Test
    void soundAssemblersGetTheSameVerdicts() {
        var proxy = verdicts(ALL, CandidateSource.ASSEMBLER, "PROXY");
        var sockets = verdicts(ALL, CandidateSource.ASSEMBLER, "PROXY_BETWEEN_SOCKETS");
        var application =
                verdicts(Set.of(HealthySite.IN_BETWEEN), CandidateSource.ASSEMBLER, "APPLICATION");
        var together = verdicts(Set.of(HealthySite.IN_BETWEEN), CandidateSource.ASSEMBLER, "PROXY");

        assertThat(List.of(proxy, sockets, application, together))
                .allSatisfy(each -> assertThat(each.failures()).isEmpty());
        assertThat(proxy.passed()).hasSize(16).isEqualTo(sockets.passed());
        assertThat(application.passed()).hasSize(6).isEqualTo(together.passed());
    }

    @ParameterizedTest
    @MethodSource("dev.quire.it.broken.Fault#all")
    void brokenProxyIsSeenAndPointedAt(Fault fault) {
        isSeenAndPointedAt(fault, Assembler.PROXY);
    }

    @ParameterizedTest
    @MethodSource("dev.quire.it.broken.Fault#all")
    void brokenProxyBetweenSocketsIsSeenAndPointedAt(Fault fault) {
        isSeenAndPointedAt(fault, Assembler.PROXY_BETWEEN_SOCKETS);
    }

    private static void isSeenAndPointedAt(Fault fault, Assembler assembler) {
        var verdicts =
                verdicts(
                        ALL,
                        CandidateSource.ASSEMBLER,
                        assembler.name(),
                        CandidateSource.FAULT,
                        fault.name());

        assertThat(verdicts.failures()).containsOnlyKeys(fault.seenBy());
        for (var test : fault.seenBy()) {
            var failure = Objects.requireNonNull(verdicts.failures().get(test));
            var message = String.valueOf(failure.getMessage());
            // The text before the trace, which names everything.
            var pointed = message.lines().takeWhile(line -> !line.isBlank()).toList();
            SEEN.add(List.of(assembler.name(), fault.name(), test, pointed.getFirst()));
            assertThat(failure).as(test).isInstanceOf(AssertionError.class);
            assertThat(String.join("\n", pointed))
                    .as(test)
                    .startsWith("expected ")
                    .contains("\n  expected: ", "\n  seen:     ", fault.about())
                    .contains(test.equals(fault.pointedAtBy()) ? fault.told() : "");
            assertThat(message)
                    .as(test)
                    .contains("\nrequests that reached the application:", "\nnext: ");
        }
    }

    /** Fault, test, and the first line of its message, in columns. */
    private static String table() {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("assembled by", "fault", "failing test", "message"));
        rows.addAll(SEEN);
        var table = new StringBuilder();
        for (var row : rows) {
            for (int i = 0; i < row.size() - 1; i++) {
                int column = i;
                int width =
                        rows.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
                table.append(row.get(i)).append(" ".repeat(width - row.get(i).length() + 2));
            }
            table.append(row.getLast()).append('\n');
        }
        return table.toString();
    }
}
