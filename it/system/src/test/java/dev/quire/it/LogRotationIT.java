package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of a process under load, rotated as logrotate does. */
class LogRotationIT {
    private static final int CLIENTS = 4;
    private static final int REQUESTS_OF_A_CLIENT = 400;
    private static final int ROTATIONS = 5;

    @TempDir Path directory;

    private final Origin origin = Origin.start();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger answered = new AtomicInteger();
    private ProxyProcess proxy;

    @BeforeEach
    void start() throws IOException {
        origin.on("/x", Answers.fragment("x"));
        proxy =
                ProxyProcess.start(
                        directory,
                        """
                        origins: { app: { urls: ["%s"] } }
                        routes: [ { host: "*", path: "/**", origin: app } ]
                        cache: { memory: 16MiB }
                        log: { access: "%s" }
                        """
                                .formatted(origin.url(), log()));
    }

    @AfterEach
    void stop() {
        proxy.close();
        threads.shutdownNow();
        origin.close();
    }

    @Test
    void noLineIsLostWhenFilesAreRenamedAndTheProcessGetsSighup() throws Exception {
        rotateUnderLoad(true);
    }

    @Test
    void noLineIsLostWhenFilesAreOnlyRenamed() throws Exception {
        rotateUnderLoad(false);
    }

    @Test
    void sighupCreatesTheFileAgainWithoutARequest() throws Exception {
        ask(1);
        awaitLine(log());
        Files.move(log(), directory.resolve("access.log.1"));

        proxy.signal("HUP");
        awaitFile(log());

        ask(1);
        assertThat(proxy.stop()).isZero();
        assertThat(Files.readAllLines(log())).hasSize(1);
        assertThat(Files.readAllLines(directory.resolve("access.log.1"))).hasSize(1);
    }

    private void rotateUnderLoad(boolean withSignal) throws Exception {
        var clients = new ArrayList<Future<?>>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(threads.submit(() -> ask(REQUESTS_OF_A_CLIENT)));
        }
        int all = CLIENTS * REQUESTS_OF_A_CLIENT;
        var files = new ArrayList<>(List.of(log()));
        for (int i = 1; i <= ROTATIONS; i++) {
            while (answered.get() < i * all / (ROTATIONS + 1)) {
                LockSupport.parkNanos(100_000);
            }
            awaitLine(log());
            var rotated = directory.resolve("access.log." + i);
            Files.move(log(), rotated);
            files.add(rotated);
            if (withSignal) {
                proxy.signal("HUP");
            }
        }
        for (var client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }

        assertThat(proxy.isAlive()).isTrue();
        assertThat(proxy.stop()).isZero();
        int lines = 0;
        for (var file : files) {
            assertThat(Files.readAllLines(file))
                    .as("%s", file)
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
            lines += Files.readAllLines(file).size();
        }
        assertThat(lines).isEqualTo(all);
    }

    private void ask(int requests) {
        try (var client = proxy.connect()) {
            for (int i = 0; i < requests; i++) {
                assertThat(client.get("/x").status()).isEqualTo(200);
                answered.incrementAndGet();
            }
        }
    }

    private static void awaitFile(Path file) {
        await(() -> Files.exists(file), file + " to exist");
    }

    /** A line is written a moment after its request was answered. */
    private static void awaitLine(Path file) {
        await(() -> file.toFile().length() > 0, "a line in " + file);
    }

    private static void await(BooleanSupplier reached, String expected) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("waiting for %s", expected).isNegative();
            LockSupport.parkNanos(100_000);
        }
    }

    private Path log() {
        return directory.resolve("access.log");
    }
}
