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
 * One suite of assertions over the three who can assemble a page, and over each way to be broken:
 * it sees the fault, says where to look, and leaves alone what has nothing to do with it.
 */
class BrokenProxyIT {
    private static final Set<String> ALL = Set.of();

    @TempDir private static Path reports;
    private static LauncherSession session;
    private static final List<String> SEEN = new ArrayList<>();

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
        SEEN.forEach(System.out::println);
    }

    private static Verdicts verdicts(Set<String> without, String... parameters) {
        return Verdicts.of(session.getLauncher(), reports, without, parameters);
    }

    @Test
    void soundAssemblersGetTheSameVerdicts() {
        var inMemory = verdicts(ALL, CandidateSource.ASSEMBLER, "IN_MEMORY");
        var proxy = verdicts(ALL, CandidateSource.ASSEMBLER, "PROXY");
        var application =
                verdicts(Set.of(HealthySite.IN_BETWEEN), CandidateSource.ASSEMBLER, "APPLICATION");
        var together = verdicts(Set.of(HealthySite.IN_BETWEEN), CandidateSource.ASSEMBLER, "PROXY");

        assertThat(List.of(inMemory, proxy, application, together))
                .allSatisfy(each -> assertThat(each.failures()).isEmpty());
        assertThat(proxy.passed()).hasSize(16).isEqualTo(inMemory.passed());
        assertThat(application.passed()).hasSize(6).isEqualTo(together.passed());
    }

    @ParameterizedTest
    @MethodSource("dev.quire.it.broken.Fault#all")
    void brokenProxyIsSeenAndPointedAt(Fault fault) {
        isSeenAndPointedAt(fault, Assembler.PROXY);
    }

    @ParameterizedTest
    @MethodSource("dev.quire.it.broken.Fault#all")
    void brokenAssemblerInMemoryIsSeenAndPointedAt(Fault fault) {
        isSeenAndPointedAt(fault, Assembler.IN_MEMORY);
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
        verdicts.failures()
                .forEach((test, failure) -> {
                    var message = String.valueOf(failure.getMessage());
                    SEEN.add(
                            "%s, %s: %s: %s"
                                    .formatted(
                                            assembler,
                                            fault,
                                            test,
                                            message.lines().findFirst().orElse("")));
                    assertThat(message)
                            .contains("expected", "seen:", "requests that reached the application")
                            .contains("next: ");
                });
        assertThat(Objects.requireNonNull(verdicts.failures().get(fault.pointedAtBy())))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(fault.told());
    }
}
