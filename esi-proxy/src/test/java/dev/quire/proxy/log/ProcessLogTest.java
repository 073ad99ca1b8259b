package dev.quire.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log of the process. */
@Timeout(30)
class ProcessLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CountDownLatch read = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    /** Accepts nothing until it is read. */
    private final OutputStream stalled =
            new OutputStream() {
                @Override
                public void write(int b) {
                    throw new IllegalStateException("expected whole lines");
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    try {
                        read.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    written.write(bytes, offset, length);
                }
            };

    @Test
    void writersDoNotWaitForAReader() throws Exception {
        var log = new ProcessLog(stalled);
        var out = new PrintStream(log, false, StandardCharsets.UTF_8);
        long before = ProcessLog.dropped();
        var text = "x".repeat(99);

        // 2 MiB, of which half fits.
        for (int i = 0; i < 20_000; i++) {
            out.println(text);
        }
        log.drain(Duration.ofMillis(1));
        long dropped = ProcessLog.dropped() - before;
        int whileStalled = written.size();
        read.countDown();
        log.drain(PATIENCE);
        out.println("again");
        log.drain(PATIENCE);

        assertThat(whileStalled).isZero();
        assertThat(dropped).isBetween(9_000L, 11_000L);
        assertThat(written.toString(StandardCharsets.UTF_8).lines())
                .contains("again")
                .anySatisfy(line ->
                        assertThat(line)
                                .matches(
                                        "\\S+Z WARN log-lines-dropped lines=%1$d message=\"%1$d log"
                                                        .formatted(dropped)
                                                + " lines were dropped: standard error was not"
                                                + " read\""))
                .hasSize((int) (20_000 - dropped + 2));
    }

    @Test
    void linesGoOnAfterAnError() throws Exception {
        var log =
                new ProcessLog(
                        new OutputStream() {
                            private boolean hasFailed;

                            @Override
                            public void write(int b) {
                                if (!hasFailed) {
                                    hasFailed = true;
                                    throw new OutOfMemoryError("for the test");
                                }
                                written.write(b);
                            }
                        });
        var out = new PrintStream(log, false, StandardCharsets.UTF_8);

        out.println("lost");
        out.println("next");
        log.drain(PATIENCE);

        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("next\n");
    }

    @Test
    void linesArriveWhole() throws Exception {
        read.countDown();
        var log = new ProcessLog(stalled);
        var out = new PrintStream(log, false, StandardCharsets.UTF_8);

        out.print("a ");
        out.print('b');
        out.println();
        new IllegalStateException("expected").printStackTrace(out);
        log.drain(PATIENCE);

        assertThat(written.toString(StandardCharsets.UTF_8).lines())
                .startsWith("a b", "java.lang.IllegalStateException: expected");
    }
}
