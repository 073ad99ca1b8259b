package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code quire health} and other commands of the image, in a folder in place of a container. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ContainerHealthIT {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final InetSocketAddress admin = FreePort.address();
    private final InetSocketAddress probes = FreePort.address();
    private final List<Process> started = new ArrayList<>();

    @TempDir Path folder;

    @BeforeEach
    void install() throws IOException {
        var script = Files.readString(ROOT.resolve("docker/quire"));
        assertThat(script).contains("HOME_OF_QUIRE=/opt/quire\n");
        Files.writeString(
                folder.resolve("quire"),
                script.replace("HOME_OF_QUIRE=/opt/quire\n", "HOME_OF_QUIRE=" + folder + "\n")
                        .replace("ADMIN_PORT=9901\n", "ADMIN_PORT=" + admin.getPort() + "\n")
                        .replace("/run/secrets/quire-admin-token", folder + "/secret"));
        Files.copy(ROOT.resolve("bin/lib/jvm.sh"), folder.resolve("jvm.sh"));
        var built = ROOT.resolve("esi-proxy/target");
        Files.copy(built.resolve("quire-proxy.jar"), folder.resolve("quire-proxy.jar"));
        Files.createSymbolicLink(folder.resolve("lib"), built.resolve("lib"));
        Files.writeString(folder.resolve("token"), TOKEN);
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (var process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void findsTheAdminPortOfTheCommandLine() throws Exception {
        run("admin: { address: \"127.0.0.1:1\" }", "--admin", "127.0.0.1:" + admin.getPort());

        assertThat(health()).isEqualTo("0 /readyz: 200\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "admin: { address: \"ADMIN\" }",
                "admin:\n  # address: 127.0.0.1:1\n  address: ADMIN # here\n",
                "drain: { grace: 0s }\nadmin:\n  { token-file: TOKEN,\n  address: 'ADMIN' }",
                "admin: { address: \"${NO_SUCH_ADMIN_ADDRESS:ADMIN}\" }",
                "admin: { address: \"0.0.0.0:PORT\", token-file: 'TOKEN' }",
                "admin: { address: \"127.0.0.1:0\", probes: \"PROBES\", token-file: TOKEN }"
            })
    void findsItInTheConfiguration(String yaml) throws Exception {
        run(
                yaml.replace("ADMIN\"", "127.0.0.1:" + admin.getPort() + "\"")
                        .replaceAll("ADMIN(?!_)", "127.0.0.1:" + admin.getPort())
                        .replace("PORT", "" + admin.getPort())
                        .replace("PROBES", "127.0.0.1:" + probes.getPort())
                        .replace("TOKEN", folder.resolve("token").toString()));

        assertThat(health()).isEqualTo("0 /readyz: 200\n");
    }

    @Test
    void saysWhereItFoundNothing() throws Exception {
        assertThat(health())
                .isEqualTo(
                        "1 no connection to 127.0.0.1:%d, the address of admin.probes or of the admin port\n"
                                .formatted(admin.getPort()));
    }

    @Test
    void operatorsHaveTheTokenOfTheImage() throws Exception {
        Files.copy(folder.resolve("token"), folder.resolve("secret"));
        runWithToken();

        assertThat(quire(Map.of(), "tiers", "--admin", "127.0.0.1:" + admin.getPort()))
                .startsWith("0 TIER ");
    }

    @Test
    void tokenOfTheEnvironmentWinsOverThatOfTheImage() throws Exception {
        Files.writeString(folder.resolve("secret"), TOKEN.replace('0', '1'));
        runWithToken();
        var token = Map.of("QUIRE_ADMIN_TOKEN_FILE", folder.resolve("token").toString());

        assertThat(quire(token, "tiers", "--admin", "127.0.0.1:" + admin.getPort()))
                .startsWith("0 TIER ");
    }

    /** Docker Compose may give such names. */
    @Test
    void hostOfAProxyMayHaveAnUnderscore() throws Exception {
        var hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 shop_quire_1\n");
        runWithToken();
        var environment =
                Map.of(
                        "QUIRE_ADMIN_TOKEN_FILE",
                        folder.resolve("token").toString(),
                        "QUIRE_JVM_OPTIONS",
                        "-Djdk.net.hosts.file=" + hosts);

        assertThat(quire(environment, "tiers", "--admin", "shop_quire_1:" + admin.getPort()))
                .startsWith("0 TIER ");
    }

    private void runWithToken() throws IOException {
        run(
                "",
                "--admin",
                "127.0.0.1:" + admin.getPort(),
                "--admin-token-file",
                folder.resolve("token").toString());
    }

    private String health() throws Exception {
        return quire(Map.of(), "health");
    }

    /** Returns the exit status and the output of {@code quire ARGUMENTS} of the image. */
    private String quire(Map<String, String> variables, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("bash", folder.resolve("quire").toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(variables);
        var process = builder.start();
        started.add(process);
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + said;
    }

    private void run(String yaml, String... options) throws IOException {
        var file = folder.resolve("quire.yml");
        Files.writeString(file, yaml + "\ncache: { memory: 16MiB }\n");
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                folder.resolve("quire-proxy.jar").toString(),
                                "run",
                                "--to",
                                "http://127.0.0.1:1",
                                "--listen",
                                "127.0.0.1:0",
                                "--config",
                                file.toString()));
        command.addAll(List.of(options));
        var process =
                new ProcessBuilder(command)
                        .redirectError(folder.resolve("stderr").toFile())
                        .start();
        started.add(process);
        assertThat(process.inputReader(UTF_8).readLine())
                .as(() -> "stderr in " + folder)
                .startsWith("ready ");
    }
}
