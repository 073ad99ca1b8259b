package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one line for each request. Thread-safe; callers never block: a daemon thread behind a
 * bounded queue formats and writes the lines. Entries that do not fit into the queue, and lines
 * that cannot be written, are dropped and counted.
 */
public final class AccessLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private static final int QUEUED_ENTRIES = 8192;
    private static final int BATCH_BYTES = 64 << 10;
    private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(5);

    /** Compared by identity: ends the thread. */
    private static final AccessEntry END = mark();

    /** Compared by identity: wakes the thread. */
    private static final AccessEntry WAKE = mark();

    private final BlockingQueue<AccessEntry> queue;
    private final LongAdder dropped = new LongAdder();
    private final LineFormat format;

    /** Null if the log is off. */
    private final @Nullable Thread writer;

    private volatile boolean closed;
    private volatile boolean isReopening;

    /** Creates the log for {@code config}; its thread runs until {@link #close}. */
    public AccessLog(LogConfig config) {
        this(config, LogTarget.of(config.access()), QUEUED_ENTRIES);
    }

    AccessLog(LogConfig config, @Nullable LogTarget target, int queuedEntries) {
        this.queue = new ArrayBlockingQueue<>(queuedEntries);
        this.format = LineFormat.of(config);
        this.writer =
                target == null
                        ? null
                        : Thread.ofPlatform()
                                .daemon()
                                .name("quire-access-log")
                                .start(() -> writeTo(target));
    }

    /** Whether entries are written; if not, callers need not create them. */
    public boolean isOn() {
        return writer != null;
    }

    /** Queues {@code entry}, or drops it if the queue is full. Does not block. */
    public void write(AccessEntry entry) {
        if (writer != null && (closed || !queue.offer(entry))) {
            dropped.increment();
        }
    }

    /** Reopens the file, also if there is nothing to write. Loses no line; does not block. */
    public void reopen() {
        if (writer != null && !closed) {
            isReopening = true;
            // If the queue is full, the thread is awake.
            queue.offer(WAKE);
        }
    }

    public long dropped() {
        return dropped.sum();
    }

    /** Writes the queued entries and closes the target. Blocks for at most five seconds. */
    @Override
    public void close() {
        if (writer == null || closed) {
            return;
        }
        closed = true;
        try {
            long deadline = System.nanoTime() + CLOSE_DEADLINE.toNanos();
            if (queue.offer(END, CLOSE_DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
                writer.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (writer.isAlive()) {
            writer.interrupt();
            LOG.atWarn()
                    .addKeyValue("event", "access-log-incomplete")
                    .log(
                            "access log: closed with lines unwritten, the target does not accept them");
        }
    }

    /** Writes entries that queue up meanwhile in one batch. */
    private void writeTo(LogTarget target) {
        try (target) {
            boolean ended = false;
            while (!ended) {
                var batch = new Batch();
                var next = queue.take();
                while (next != null && !ended) {
                    if (isSame(next, END)) {
                        ended = true;
                    } else {
                        if (!isSame(next, WAKE)) {
                            batch.add(format.of(next));
                        }
                        next = batch.bytes.size() < BATCH_BYTES ? queue.poll() : null;
                    }
                }
                if (batch.lines > 0 && !target.write(batch.bytes.toByteArray())) {
                    dropped.add(batch.lines);
                }
                if (isReopening) {
                    isReopening = false;
                    target.reopen();
                }
            }
        } catch (InterruptedException e) {
            // close() has timed out: the queued entries are lost.
            dropped.add(queue.size());
        }
    }

    private static AccessEntry mark() {
        return new AccessEntry(
                Instant.EPOCH,
                null,
                InetAddress.getLoopbackAddress(),
                AccessEntry.Request.NONE,
                new AccessEntry.Response(0, 0, 0, 0, -1),
                AccessEntry.Handling.refused(""),
                0);
    }

    @SuppressWarnings("ReferenceEquality") // An equal entry must still be written.
    private static boolean isSame(AccessEntry entry, AccessEntry mark) {
        return entry == mark;
    }

    private static final class Batch {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int lines;

        void add(byte[] line) {
            bytes.writeBytes(line);
            lines++;
        }
    }
}
