package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines on standard error when the origin is down. */
class ServiceLogIT {
    @TempDir Path directory;

    @Test
    void linesSayWhatHappenedInPlainWords() throws Exception {
        try (var proxy = start("access.log")) {
            for (int i = 0; i < 10; i++) {
                try (var client = proxy.connect()) {
                    assertThat(client.get("/x" + i).status()).isBetween(502, 503);
                }
            }
            assertThat(proxy.stop()).isZero();

            assertThat(proxy.errorLines())
                    .isNotEmpty()
                    .allSatisfy(line ->
                            assertThat(line)
                                    .matches(
                                            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"
                                                    + " (INFO|WARN|ERROR) [a-z-]+( .*)?"
                                                    + " message=\".*\"")
                                    .doesNotContain(
                                            "PT", "(..)", "Exception", "quire-loop", "dev."))
                    .anySatisfy(line ->
                            assertThat(line)
                                    .contains(
                                            " WARN circuit-opened origin=app server=http://127.",
                                            "connection refused"));
            assertThat(Files.readAllLines(directory.resolve("access.log")).getFirst())
                    .contains(": connection refused\"")
                    .doesNotContain("(..)", " /127.0.0.1:");
        }
    }

    private ProxyProcess start(String log) throws IOException {
        int closed;
        try (var socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        return ProxyProcess.start(
                directory,
                """
                origins: { app: { urls: ["http://127.0.0.1:%d"] } }
                routes: [ { host: "*", path: "/**", origin: app } ]
                cache: { memory: 16MiB }
                log: { access: "%s" }
                """
                        .formatted(closed, directory.resolve(log)));
    }
}
