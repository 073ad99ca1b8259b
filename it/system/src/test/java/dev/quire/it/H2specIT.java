package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.test.programs.RunningProgram;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The public conformance tests of HTTP/2. Go builds them. */
class H2specIT {
    private static final String PROGRAM = "github.com/summerwind/h2spec/cmd/h2spec";

    @TempDir private static Path built;
    @TempDir private Path directory;

    @BeforeAll
    static void build() throws Exception {
        var go = RunningProgram.find("go");
        if (System.getenv("CI") != null) {
            assertThat(go).as("Go, which builds h2spec (see bin/test)").isPresent();
        }
        assumeTrue(go.isPresent(), "Go is not installed, which builds h2spec");
        var program = built.resolve("h2spec");

        // Paths are relative to the module's folder, where its tests run. go.mod has the versions.
        var output =
                run(
                        new ProcessBuilder(
                                        go.get().toString(),
                                        "build",
                                        "-mod=readonly",
                                        "-o",
                                        program.toString(),
                                        PROGRAM)
                                .directory(new File("src/test/resources/h2spec")));

        assertThat(program).as(output).isExecutable();
    }

    private static String run(ProcessBuilder command) throws IOException, InterruptedException {
        var process = command.redirectErrorStream(true).start();
        try (var in = process.getInputStream()) {
            var output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false, 145", "false, true, 146", "true, false, 145", "true, true, 146"})
    void everyTestPasses(boolean isTls, boolean isStrict, int tests) throws Exception {
        new Certificates(directory).writeServer("a", "localhost", "127.0.0.1");
        try (var origin = Origin.start();
                var proxy = ReloadableProxy.start(directory, yaml(origin))) {
            origin.otherwise(request -> Answer.status(200).body("plain"));
            var address = isTls ? proxy.addresses.https() : proxy.addresses.http();
            var arguments =
                    new ArrayList<>(
                            List.of(
                                    built.resolve("h2spec").toString(),
                                    "-h",
                                    "127.0.0.1",
                                    "-p",
                                    String.valueOf(address.getPort())));
            if (isTls) {
                arguments.addAll(List.of("-t", "-k"));
            }
            if (isStrict) {
                arguments.add("--strict");
            }

            var output = run(new ProcessBuilder(arguments));

            assertThat(output)
                    .contains(tests + " tests, " + tests + " passed, 0 skipped, 0 failed");
        }
    }

    private static String yaml(Origin origin) {
        return """
        listen: { http: "127.0.0.1:0", https: "127.0.0.1:0", h2c: true }
        admin: { address: "127.0.0.1:0" }
        cache: { memory: 64MiB }
        tls: { certificates: [ { cert: a.pem, key: a.key } ] }
        origins: { o: { urls: ["%s"] } }
        routes: [ { path: "/**", origin: o } ]
        """
                .formatted(origin.url());
    }
}
