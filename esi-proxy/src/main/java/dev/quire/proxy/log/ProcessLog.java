package dev.quire.proxy.log;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The log of the process on standard error. Thread-safe; callers never block: a daemon thread
 * behind a bounded queue writes the lines. Lines that do not fit into the queue are dropped and
 * counted.
 */
public final class ProcessLog extends OutputStream {
    /** Maximum bytes queued. */
    static final int QUEUED_BYTES = 1 << 20;

    private static final int MAX_LINE_BYTES = 64 << 10;
    private static final LongAdder ALL_DROPPED = new LongAdder();

    private final OutputStream target;
    private final ConcurrentLinkedQueue<byte[]> queue = new ConcurrentLinkedQueue<>();
    private final Semaphore queued = new Semaphore(0);
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong untold = new AtomicLong();
    // Guarded by this.
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    ProcessLog(OutputStream target) {
        this.target = target;
        Thread.ofPlatform().daemon().name("quire-log").start(this::writeAll);
    }

    /** Redirects {@link System#err}, to which the loggers of this process write. */
    public static ProcessLog install() {
        var log = new ProcessLog(new FileOutputStream(FileDescriptor.err));
        System.setErr(new PrintStream(log, false, StandardCharsets.UTF_8));
        return log;
    }

    /** The lines dropped in this process. */
    public static long dropped() {
        return ALL_DROPPED.sum();
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        line.write(bytes, offset, length);
        boolean isEnd = length > 0 && bytes[offset + length - 1] == '\n';
        if (isEnd || line.size() >= MAX_LINE_BYTES) {
            enqueue(line.toByteArray());
            line.reset();
        }
    }

    private void enqueue(byte[] bytes) {
        if (queuedBytes.addAndGet(bytes.length) > QUEUED_BYTES) {
            queuedBytes.addAndGet(-bytes.length);
            ALL_DROPPED.increment();
            untold.incrementAndGet();
            return;
        }
        queue.add(bytes);
        queued.release();
    }

    /** Waits for queued lines to be written, at most {@code patience}. */
    public void drain(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (queuedBytes.get() > 0 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void writeAll() {
        try {
            while (true) {
                queued.acquire();
                writeNext();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeNext() {
        var bytes = queue.remove();
        try {
            pass(bytes);
            long missing = queue.isEmpty() ? untold.getAndSet(0) : 0;
            if (missing > 0) {
                var told =
                        Instant.now()
                                + " WARN log-lines-dropped lines="
                                + missing
                                + " message=\""
                                + missing
                                + " log lines were dropped: standard error was not read\"\n";
                pass(told.getBytes(StandardCharsets.UTF_8));
            }
        } catch (RuntimeException | Error e) {
            ALL_DROPPED.increment();
        } finally {
            queuedBytes.addAndGet(-bytes.length);
        }
    }

    private void pass(byte[] bytes) {
        try {
            target.write(bytes);
        } catch (IOException e) {
            // A log that cannot be written cannot be reported either.
            ALL_DROPPED.increment();
        }
    }
}
