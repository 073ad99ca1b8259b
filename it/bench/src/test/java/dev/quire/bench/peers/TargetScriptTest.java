package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetScriptTest {
    private static final Path FILE = Path.of("targets/squid.sh");

    @Test
    void headSaysWhatTheServerIsAndCanDo() {
        var script =
                TargetScript.parse(
                        "squid",
                        FILE,
                        """
                        #!/usr/bin/env bash
                        # title: Squid
                        # needs: squid-not-installed
                        # dialect: none
                        # workloads: object-1k page
                        exec squid
                        """);

        assertThat(script.title()).isEqualTo("Squid");
        assertThat(script.isInstalled()).isFalse();
        assertThat(script.packaged()).isEmpty();
        assertThat(Workload.ALL.stream().filter(script::does).map(Workload::name))
                .containsExactly("object-1k");
    }

    @Test
    void workloadsOverTlsAreForScriptsWhoseCommandForItIsInstalled() {
        for (var command : List.of("bash", "terminator-not-installed")) {
            var script = TargetScript.parse("squid", FILE, "# dialect: esi\n# tls: " + command);

            assertThat(
                            Workload.ALL.stream()
                                    .filter(script::does)
                                    .filter(workload -> workload.load().isSecure())
                                    .map(Workload::name))
                    .hasSize(command.equals("bash") ? 5 : 0);
        }
    }

    @Test
    void unknownDialectIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TargetScript.parse("squid", FILE, "# dialect: xml\n"))
                .withMessage("targets/squid.sh: dialect 'xml' (expected esi, ssi or none)");
    }

    @Test
    void scriptsOfTheProjectNameOnlyWorkloadsThereAre() throws IOException {
        var known = Workload.ALL.stream().map(Workload::name).toList();

        var scripts = TargetScript.in(Path.of("targets"));

        assertThat(scripts)
                .containsOnlyKeys(
                        "bare",
                        "haproxy",
                        "nginx",
                        "nginx-disk",
                        "quire",
                        "quire-disk",
                        "quire-shared",
                        "quire-tiers",
                        "trafficserver",
                        "varnish",
                        "varnish-shield");
        assertThat(scripts.values())
                .extracting(TargetScript::workloads)
                .allSatisfy(names -> assertThat(known).containsAll(names.orElse(List.of())));
        assertThat(scripts.values())
                .filteredOn(script -> script.needs().isPresent())
                .extracting(TargetScript::packaged)
                .allMatch(Optional::isPresent);
    }
}
