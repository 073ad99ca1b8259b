package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that runs a main class of the tests, and is killed at the end. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    ChildJvm(Class<?> main, String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()));
        command.addAll(List.of(arguments));
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** The next line of its output. */
    String line() throws IOException {
        var line = lines.readLine();
        assertThat(line).as("the process ended").isNotNull();
        return line;
    }

    /** Stops all of its threads, or lets them go on. */
    void pause(boolean isPaused) throws IOException, InterruptedException {
        var signal = isPaused ? "-STOP" : "-CONT";
        assertThat(
                        new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                                .start()
                                .waitFor())
                .isZero();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lines.close();
        }
    }
}
