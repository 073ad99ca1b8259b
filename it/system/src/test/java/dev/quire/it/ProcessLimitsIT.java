package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The proxy as a process of its own, at the limits that the system sets for it. */
// A thread that reads a pipe cannot be interrupted: it ends with the process.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("measured")
class ProcessLimitsIT {
    private static final Pattern READY =
            Pattern.compile("ready http=127\\.0\\.0\\.1:(\\d+) admin=127\\.0\\.0\\.1:(\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(100);
    private static final int CONNECTS = 2_000;
    private static final int HITS = 40;

    private final Origin origin =
            Origin.start()
                    .on("/hit", fragment("hit"))
                    .on(
                            "/faulty",
                            page("<esi:unknown/>".repeat(100)).field("Cache-Control", "no-store"));

    /** A process that has printed its addresses. */
    private record Running(
            Process process, BufferedReader out, InetSocketAddress http, InetSocketAddress admin)
            implements AutoCloseable {

        /**
         * @param command of the shell, before that of the proxy
         */
        static Running start(String command, Origin origin, String... options) throws IOException {
            var words = new ArrayList<String>();
            words.add("sh");
            words.add("-c");
            words.add(command + "; exec \"$@\"");
            words.add("sh");
            words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            words.add("-XX:MaxDirectMemorySize=700m");
            words.add("-XX:TieredStopAtLevel=1");
            words.addAll(List.of(options));
            words.add("-cp");
            words.add(System.getProperty("java.class.path"));
            words.add("dev.quire.proxy.Main");
            words.add("run");
            words.add("--to=" + origin.url());
            words.add("--listen=127.0.0.1:0");
            words.add("--admin=127.0.0.1:0");
            var process = new ProcessBuilder(words).start();
            var out = process.inputReader(UTF_8);
            var line = out.readLine();
            var ready = READY.matcher(String.valueOf(line));
            if (!ready.matches()) {
                // Process.destroy() would also close its streams.
                process.toHandle().destroyForcibly();
                var said = new String(process.getErrorStream().readAllBytes(), UTF_8);
                throw new AssertionError("expected its addresses, found " + line + "\n" + said);
            }
            // Its access log follows.
            Thread.ofVirtual().start(() -> out.lines().forEach(each -> {}));
            return new Running(process, out, address(ready.group(1)), address(ready.group(2)));
        }

        private static InetSocketAddress address(String port) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
        }

        Duration healthz() {
            try (var operator = HttpWire.to(admin)) {
                long begin = System.nanoTime();
                var answer = operator.get("/healthz");
                var took = Duration.ofNanos(System.nanoTime() - begin);
                assertThat(answer.status()).isEqualTo(200);
                return took;
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void healthIsToldSoonAtTheLimitOfOpenFiles() throws Exception {
        var clients = new ArrayList<SocketChannel>();
        try (var running = Running.start("ulimit -n 512", origin)) {
            connect(running, clients);
            for (int i = 0; i < 50; i++) {
                running.healthz();
            }
            close(clients);
            connect(running, clients);

            var took = new ArrayList<Duration>();
            for (int i = 0; i < 20; i++) {
                took.add(running.healthz());
            }
            took.sort(null);
            // The machine may pause once.
            var longest = took.get(18);

            Figure.print(
                    "A3",
                    "longest but one /healthz of 20 after %d connects to 512 files"
                            .formatted(CONNECTS),
                    Figure.ms(longest),
                    Figure.ms(SOON));
            assertThat(longest).as("all but one of %s", took).isLessThan(SOON);
        } finally {
            close(clients);
        }
    }

    private static void connect(Running running, List<SocketChannel> clients) throws IOException {
        for (int i = 0; i < CONNECTS; i++) {
            var client = SocketChannel.open();
            clients.add(client);
            client.configureBlocking(false);
            client.connect(running.http());
        }
    }

    private static void close(List<SocketChannel> clients) throws IOException {
        for (var client : clients) {
            client.close();
        }
        clients.clear();
    }

    @Test
    void hitsAreAnsweredWhileNobodyReadsStandardError() throws Exception {
        try (var running =
                Running.start(":", origin, "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace")) {
            int answered = 0;
            try (var client = HttpWire.to(running.http())) {
                for (int i = 0; i < HITS; i++) {
                    // Each page is some lines; the pipe takes those of the first hundred.
                    for (int page = 0; page < 10; page++) {
                        client.get("/faulty");
                    }
                    answered += client.get("/hit").text().equals("hit") ? 1 : 0;
                }
            }
            int unread = running.process().getErrorStream().available();
            var end = System.nanoTime();
            running.process().toHandle().destroy();
            boolean hasEnded = running.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            var took = Duration.ofNanos(System.nanoTime() - end);

            Figure.print("A4", "hits answered while stderr is stalled", answered, HITS);
            Figure.print(
                    "A4", "end after SIGTERM while stderr is stalled", Figure.ms(took), PATIENCE);
            assertThat(unread).as("bytes in the full pipe").isGreaterThan(60_000);
            assertThat(answered).as("hits answered of %d", HITS).isEqualTo(HITS);
            assertThat(hasEnded).as("ended after SIGTERM, within %s", took).isTrue();
        }
    }
}
