package dev.quire.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.LogConfig;
import dev.quire.proxy.config.LogConfig.Fragments;
import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class AccessLogTest {
    private static final Duration SLOW = Duration.ofMillis(200);
    private static final LogConfig TO_STDERR =
            new LogConfig(new LogConfig.Stderr(), Fragments.SLOW, SLOW);

    @TempDir Path directory;

    @Test
    void eachRequestIsOneLineWithItsFragments() throws Exception {
        var file = directory.resolve("access.log");
        var config = new LogConfig(new LogConfig.ToFile(file), Fragments.ALL, SLOW);

        try (var log = new AccessLog(config)) {
            log.write(entry("http://a/home"));
            log.write(entry("http://a/news"));
        }

        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "{\"time\":\"2026-01-02T03:04:05.678Z\",\"client\":\"192.0.2.1\","
                                + "\"method\":\"GET\",\"url\":\"http://a/home\",\"status\":200,"
                                + "\"bytes\":1234,\"total_ms\":12.045,\"outcome\":\"hit\","
                                + "\"fragments\":["
                                + "{\"url\":\"http://a/fast\",\"outcome\":\"hit\",\"ms\":0.100,"
                                + "\"status\":200},"
                                + "{\"url\":\"http://a/slow\",\"outcome\":\"miss\",\"ms\":200.000,"
                                + "\"status\":200},"
                                + "{\"url\":\"http://a/bad\",\"outcome\":\"error\",\"ms\":1.000,"
                                + "\"status\":500,\"error\":\"status\"}]}",
                        Files.readAllLines(file).getFirst().replace("/home", "/news"));
    }

    @Test
    void newFilesAreForTheirOwnerOnly() throws Exception {
        var file = directory.resolve("access.log");

        try (var log =
                new AccessLog(new LogConfig(new LogConfig.ToFile(file), Fragments.ALL, SLOW))) {
            log.write(entry("http://a/home"));
        }

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void theListedFragmentsFollowThePolicy() {
        assertThat(listed(Fragments.SLOW)).contains("/slow").doesNotContain("/fast", "/bad");
        assertThat(listed(Fragments.ERRORS)).contains("/bad").doesNotContain("/fast", "/slow");
        assertThat(listed(Fragments.ALL)).contains("/fast", "/slow", "/bad");
        assertThat(listed(Fragments.OFF)).doesNotContain("fragments");
    }

    @Test
    void nothingARequestHoldsCanEndTheLineOrLeaveItsString() {
        var hostile = "http://a/\r\n{\"x\":1}\"\\\u001b[2J\u007f\u2028é\ud83d\ude00";

        var line = new AccessLine(Fragments.ALL, SLOW).of(entry(hostile));

        var text = new String(line, StandardCharsets.ISO_8859_1);
        assertThat(text.chars().filter(c -> c < ' ' || c > '~')).containsExactly((int) '\n');
        assertThat(text).endsWith("}\n");
        var read = JsonMapper.builder().build().readTree(line);
        assertThat(read.get("url").stringValue()).isEqualTo(hostile);
    }

    @Test
    void afterAFailureTheTargetIsOpenedAgainAndTheLossIsCounted() throws Exception {
        var good = new ByteArrayOutputStream();
        Queue<OutputStream> targets = new ArrayDeque<>(List.of(new BrokenAfter(10), good));
        var target = new LogTarget("broken", targets::remove);

        boolean first = target.write("{\"first\":1}\n".getBytes(StandardCharsets.US_ASCII));
        boolean second = target.write("{\"second\":2}\n".getBytes(StandardCharsets.US_ASCII));
        boolean third = target.write("{\"third\":3}\n".getBytes(StandardCharsets.US_ASCII));
        target.close();

        assertThat(List.of(first, second, third)).containsExactly(false, true, true);
        assertThat(good.toString(StandardCharsets.US_ASCII))
                .isEqualTo("\n{\"second\":2}\n{\"third\":3}\n");
    }

    @Test
    void aTargetThatCannotBeOpenedLosesItsLinesAndSaysHowMany() {
        var log =
                new AccessLog(
                        TO_STDERR,
                        new LogTarget(
                                "none",
                                () -> {
                                    throw new IOException("no space");
                                }),
                        16);

        log.write(entry("http://a/1"));
        log.write(entry("http://a/2"));
        log.close();

        assertThat(log.dropped()).isEqualTo(2);
    }

    @Test
    void aSlowTargetHoldsNobodyUp() throws Exception {
        var writing = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        var written = new ByteArrayOutputStream();
        var log =
                new AccessLog(
                        TO_STDERR,
                        new LogTarget(
                                "held",
                                () -> {
                                    writing.countDown();
                                    awaitQuietly(release);
                                    return written;
                                }),
                        4);

        log.write(entry("http://a/0"));
        writing.await();
        for (int i = 1; i <= 10; i++) {
            log.write(entry("http://a/" + i));
        }
        long droppedMeanwhile = log.dropped();
        release.countDown();
        log.close();

        assertThat(droppedMeanwhile).isEqualTo(6);
        assertThat(written.toString(StandardCharsets.US_ASCII).lines())
                .hasSize(5)
                .last()
                .asString()
                .contains("\"http://a/4\"");
    }

    @Test
    void whatComesAfterTheEndIsCountedAsLost() {
        var log = new AccessLog(TO_STDERR, new LogTarget("x", ByteArrayOutputStream::new), 4);

        log.close();
        log.write(entry("http://a/late"));

        assertThat(log.dropped()).isEqualTo(1);
    }

    @Test
    void aLogThatIsOffDropsNothing() {
        var log = new AccessLog(new LogConfig(new LogConfig.Off(), Fragments.ALL, SLOW));

        log.write(entry("http://a/"));
        log.close();

        assertThat(log.isOn()).isFalse();
        assertThat(log.dropped()).isZero();
    }

    private static String listed(Fragments policy) {
        return new String(
                new AccessLine(policy, SLOW).of(entry("http://a/")), StandardCharsets.US_ASCII);
    }

    private static AccessEntry entry(String url) {
        return new AccessEntry(
                Instant.parse("2026-01-02T03:04:05.678901Z"),
                "192.0.2.1",
                "GET",
                url,
                200,
                1234,
                Duration.ofNanos(12_045_678),
                "hit",
                null,
                List.of(
                        new FragmentTrace(
                                "http://a/fast", "hit", Duration.ofNanos(100_000), 200, null),
                        new FragmentTrace("http://a/slow", "miss", SLOW, 200, null),
                        new FragmentTrace(
                                "http://a/bad", "error", Duration.ofMillis(1), 500, "status")));
    }

    private static void awaitQuietly(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Accepts some bytes, then fails like a full disk. */
    private static final class BrokenAfter extends OutputStream {
        private int left;

        BrokenAfter(int bytes) {
            this.left = bytes;
        }

        @Override
        public void write(int b) throws IOException {
            if (left-- == 0) {
                throw new IOException("no space left");
            }
        }
    }
}
