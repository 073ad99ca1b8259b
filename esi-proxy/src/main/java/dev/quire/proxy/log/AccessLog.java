package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;
import dev.quire.proxy.fault.InternalErrors;
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

    private final InternalErrors errors =
            new InternalErrors(LOG, "access log: lines could not be written; the next ones are");

    private final BlockingQueue<AccessEntry> queue;
    private final LongAdder dropped = new LongAdder();

    /** Null until the log is on for the first time. */
    private volatile @Nullable Thread writer;

    private volatile boolean isOn;
    private volatile boolean closed;
    private volatile boolean isReopening;

    /** The output from the next batch on; null if it does not change. */
    private volatile @Nullable Output next;

    /**
     * How and where lines are written.
     *
     * @param target null to drop them
     */
    private record Output(LineFormat format, @Nullable LogTarget target) {
        void close() {
            if (target != null) {
                target.close();
            }
        }
    }

    /** Creates the log for {@code config}; its thread runs until {@link #close}. */
    public AccessLog(LogConfig config) {
        this(config, LogTarget.of(config.access()), QUEUED_ENTRIES);
    }

    AccessLog(LogConfig config, @Nullable LogTarget target, int queuedEntries) {
        this.queue = new ArrayBlockingQueue<>(queuedEntries);
        write(new Output(LineFormat.of(config), target));
    }

    /**
     * Writes as {@code config} says from now on. Entries that are queued are still written as
     * before. Does not block; called by one thread at a time.
     */
    public void configure(LogConfig config) {
        if (!closed) {
            write(new Output(LineFormat.of(config), LogTarget.of(config.access())));
        }
    }

    private void write(Output output) {
        if (writer != null) {
            next = output;
            // If the queue is full, the thread is awake.
            queue.offer(WAKE);
        } else if (output.target() != null) {
            writer =
                    Thread.ofPlatform()
                            .daemon()
                            .name("quire-access-log")
                            .start(() -> writeTo(output));
        }
        isOn = output.target() != null;
    }

    /** Whether entries are written; if not, callers need not create them. */
    public boolean isOn() {
        return isOn;
    }

    /** Queues {@code entry}, or drops it if the queue is full. Does not block. */
    public void write(AccessEntry entry) {
        if (isOn && (closed || !queue.offer(entry))) {
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
        var writing = writer;
        if (writing == null || closed) {
            return;
        }
        closed = true;
        try {
            long deadline = System.nanoTime() + CLOSE_DEADLINE.toNanos();
            if (queue.offer(END, CLOSE_DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
                writing.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (writing.isAlive()) {
            writing.interrupt();
            LOG.atWarn()
                    .addKeyValue("event", "access-log-incomplete")
                    .log(
                            "access log: closed with lines unwritten, the target does not accept them");
        }
    }

    /** Writes entries that queue up meanwhile in one batch. */
    private void writeTo(Output first) {
        var output = first;
        try {
            boolean ended = false;
            while (!ended) {
                var batch = new Batch();
                var entry = queue.take();
                while (entry != null && !ended) {
                    if (isSame(entry, END)) {
                        ended = true;
                    } else {
                        if (!isSame(entry, WAKE)) {
                            add(entry, output.format(), batch);
                        }
                        entry = batch.bytes.size() < BATCH_BYTES ? queue.poll() : null;
                    }
                }
                var target = output.target();
                if (batch.lines > 0 && target != null && !isWritten(batch, target)) {
                    dropped.add(batch.lines);
                }
                output = changed(output);
            }
        } catch (InterruptedException e) {
            // close() has timed out: the queued entries are lost.
            dropped.add(queue.size());
        } finally {
            output.close();
        }
    }

    private void add(AccessEntry entry, LineFormat format, Batch batch) {
        try {
            batch.add(format.of(entry));
        } catch (RuntimeException | Error bug) {
            dropped.increment();
            errors.add(bug);
        }
    }

    private boolean isWritten(Batch batch, LogTarget target) {
        try {
            return target.write(batch.bytes.toByteArray());
        } catch (RuntimeException | Error bug) {
            errors.add(bug);
            return false;
        }
    }

    /** Returns the output for the next batch, with its file reopened if that was requested. */
    private Output changed(Output former) {
        var replacement = next;
        var output = replacement == null ? former : replacement;
        try {
            if (replacement != null) {
                next = null;
                former.close();
            }
            if (isReopening) {
                isReopening = false;
                if (output.target() != null) {
                    output.target().reopen();
                }
            }
        } catch (RuntimeException | Error bug) {
            errors.add(bug);
        }
        return output;
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
