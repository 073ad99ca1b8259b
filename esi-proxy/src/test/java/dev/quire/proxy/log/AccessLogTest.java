package dev.quire.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.LogConfig;
import dev.quire.proxy.config.LogConfig.Fragments;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogTest {
    private static final Duration SLOW = Duration.ofMillis(200);
    private static final LogConfig TO_STDERR = config(new LogConfig.Stderr());

    @TempDir Path directory;

    @Test
    void eachRequestIsOneLineWithItsFragments() throws Exception {
        var file = directory.resolve("access.log");

        try (var log = new AccessLog(config(new LogConfig.ToFile(file)))) {
            log.write(entry("/home"));
            log.write(entry("/news"));
        }

        var lines = Files.readAllLines(file);
        assertThat(lines.getFirst())
                .matches("\\{\"time\":\"2026-01-02T03:04:05.678Z\",\"id\":\"[0-9A-Z]{26}\".*")
                .endsWith(
                        ",\"client\":\"192.0.2.1\",\"method\":\"GET\",\"url\":\"http://a/home\","
                                + "\"host\":\"a\",\"target\":\"/home\",\"proto\":\"HTTP/1.1\","
                                + "\"ua\":\"curl/8\",\"referer\":\"http://b/?c=d\","
                                + "\"status\":200,\"bytes\":1234,\"total_ms\":12.045,"
                                + "\"ttfb_ms\":1.500,\"origin_ms\":1.250,"
                                + "\"server\":\"http://10.0.0.1:8081\",\"outcome\":\"miss\","
                                + "\"reason\":\"uri-miss\",\"not_stored\":\"set-cookie\","
                                + "\"tier_ms\":0.350,"
                                + "\"fragments\":["
                                + "{\"url\":\"http://a/fast\",\"outcome\":\"hit\",\"ms\":0.100,"
                                + "\"status\":200,\"tier\":\"disk\",\"tier_ms\":0.090},"
                                + "{\"url\":\"http://a/slow\",\"outcome\":\"miss\",\"ms\":200.000,"
                                + "\"status\":200},"
                                + "{\"url\":\"http://a/bad\",\"outcome\":\"error\",\"ms\":1.000,"
                                + "\"status\":500,\"error\":\"status\"}]}");
        assertThat(lines).hasSize(2).last().asString().contains("\"target\":\"/news\"");
    }

    @Test
    void newFilesAreForTheirOwnerOnly() throws Exception {
        var file = directory.resolve("access.log");

        try (var log = new AccessLog(config(new LogConfig.ToFile(file)))) {
            log.write(entry("/home"));
        }

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void theListedFragmentsFollowThePolicy() {
        assertThat(listed(Fragments.SLOW)).contains("/slow").doesNotContain("/fast", "/bad");
        assertThat(listed(Fragments.ERRORS)).contains("/bad").doesNotContain("/fast", "/slow");
        assertThat(listed(Fragments.PROBLEMS)).contains("/bad", "/slow").doesNotContain("/fast");
        assertThat(listed(Fragments.ALL)).contains("/fast", "/slow", "/bad");
        assertThat(listed(Fragments.OFF)).doesNotContain("fragments");
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

        log.write(entry("/1"));
        log.write(entry("/2"));
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

        log.write(entry("/0"));
        writing.await();
        for (int i = 1; i <= 10; i++) {
            log.write(entry("/" + i));
        }
        long droppedMeanwhile = log.dropped();
        release.countDown();
        log.close();

        assertThat(droppedMeanwhile).isEqualTo(6);
        assertThat(written.toString(StandardCharsets.US_ASCII).lines())
                .hasSize(5)
                .last()
                .asString()
                .contains("\"/4\"");
    }

    @Test
    @SuppressWarnings("NullAway") // One without a response cannot be formatted.
    void entryThatCannotBeFormattedIsLostAlone() {
        var written = new ByteArrayOutputStream();
        var log = new AccessLog(TO_STDERR, new LogTarget("x", () -> written), 4);
        var good = entry("/good");

        log.write(
                new AccessEntry(
                        good.time(),
                        good.id(),
                        good.client(),
                        good.request(),
                        null,
                        good.handling(),
                        0));
        log.write(good);
        log.close();

        assertThat(written.toString(StandardCharsets.US_ASCII).lines())
                .singleElement()
                .asString()
                .contains("/good");
        assertThat(log.dropped()).isEqualTo(1);
    }

    @Test
    void whatComesAfterTheEndIsCountedAsLost() {
        var log = new AccessLog(TO_STDERR, new LogTarget("x", ByteArrayOutputStream::new), 4);

        log.close();
        log.write(entry("/late"));

        assertThat(log.dropped()).isEqualTo(1);
    }

    @Test
    void aLogThatIsOffDropsNothing() {
        var log = new AccessLog(config(new LogConfig.Off()));

        log.write(entry("/"));
        log.close();

        assertThat(log.isOn()).isFalse();
        assertThat(log.dropped()).isZero();
    }

    private static String listed(Fragments policy) {
        return new String(
                new JsonLine(policy, SLOW, LoggedUrls.WHOLE).of(entry("/")),
                StandardCharsets.US_ASCII);
    }

    private static LogConfig config(LogConfig.Target target) {
        return new LogConfig(
                target,
                LogConfig.Format.JSON,
                LogConfig.Query.KEEP,
                LogConfig.RequestIds.LOG,
                Fragments.ALL,
                SLOW);
    }

    private static AccessEntry entry(String target) {
        return Entries.entry(
                "192.0.2.1",
                new AccessEntry.Request(
                        "GET", "http", "a", target, "HTTP/1.1", "curl/8", "http://b/?c=d"));
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
