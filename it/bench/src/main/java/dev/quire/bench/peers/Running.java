package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A process that was started here, with all that descend from it. {@link #close} ends them, first
 * kindly; so does the end of this JVM, whatever the reason, but for SIGKILL.
 */
final class Running implements AutoCloseable {
    private static final Duration KINDLY = Duration.ofSeconds(5);
    private static final Duration FORCIBLY = Duration.ofSeconds(5);
    private static final int LAST_BYTES = 2000;
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");
    private static final Set<Running> ALL = ConcurrentHashMap.newKeySet();

    /** Guarded by the class: once set, nothing is started any more. */
    private static boolean stopping;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Running::stopAll, "stop-children"));
    }

    private final Process process;
    private final Path log;

    private Running(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts {@code command}.
     *
     * @param environment added to this process's own
     * @param log takes both of its output streams
     */
    static Running start(List<String> command, Map<String, String> environment, Path log)
            throws IOException {
        var builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        synchronized (Running.class) {
            if (stopping) {
                throw new IOException("stopping: " + command.getFirst() + " not started");
            }
            var running = new Running(builder.start(), log);
            ALL.add(running);
            return running;
        }
    }

    /** Whether this JVM is ending, so that what fails now fails for that. */
    static synchronized boolean isStopping() {
        return stopping;
    }

    /** Ends all there are and lets none start any more; for the end of this JVM. */
    static void stopAll() {
        synchronized (Running.class) {
            stopping = true;
        }
        ALL.forEach(Running::close);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits until it has ended by itself; false, and it is ended, once {@code patience} is over.
     */
    boolean awaitEnd(Duration patience) throws InterruptedException {
        boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        close();
        return ended;
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Waits until {@code port} of the loopback address takes connections. */
    void awaitPort(String name, int port, Duration patience)
            throws CannotMeasure, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!accepts(port)) {
            if (!process.isAlive()) {
                throw new CannotMeasure(
                        name + " ended before it accepted connections: " + output());
            }
            if (System.nanoTime() > end) {
                throw new CannotMeasure(
                        name
                                + " does not accept connections on port "
                                + port
                                + " after "
                                + patience.toSeconds()
                                + " s: "
                                + output());
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    static boolean accepts(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** A port nobody listens on just now. */
    static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }

    /** What it has written, at most the last 2,000 bytes. */
    String output() {
        try {
            var all = Files.readAllBytes(log);
            int from = Math.max(0, all.length - LAST_BYTES);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(its output cannot be read: " + e + ")";
        }
    }

    /** Its own id and those of all its descendants. */
    LongStream pids() {
        return LongStream.concat(
                LongStream.of(process.pid()), process.descendants().mapToLong(ProcessHandle::pid));
    }

    /** User and system time of all of it so far. */
    double cpuSeconds() {
        return pids().mapToObj(ProcessTimes::of)
                .flatMap(Optional::stream)
                .mapToDouble(ProcessTimes::seconds)
                .sum();
    }

    /**
     * The sum of the largest resident sizes its processes have had since {@link #forgetPeak}. What
     * they share is counted for each.
     */
    long peakBytes() {
        return pids().map(pid -> peakKibibytes("/proc/" + pid + "/status")).sum() << 10;
    }

    private static long peakKibibytes(String status) {
        try {
            var found = PEAK.matcher(Files.readString(Path.of(status)));
            return found.find() ? Long.parseLong(found.group(1)) : 0;
        } catch (IOException gone) {
            return 0;
        }
    }

    /**
     * Begins to look for the peak anew; where the kernel refuses, it stays that since its start.
     */
    void forgetPeak() {
        pids().forEach(pid -> {
            try {
                Files.writeString(Path.of("/proc/" + pid + "/clear_refs"), "5");
            } catch (IOException refusedOrGone) {
                return;
            }
        });
    }

    @Override
    public void close() {
        var all = Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        all.forEach(ProcessHandle::destroy);
        var forced = new ArrayList<ProcessHandle>();
        boolean interrupted = false;
        long end = System.nanoTime() + KINDLY.toNanos();
        for (var handle : all) {
            try {
                handle.onExit().get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                forced.add(handle);
            } catch (ExecutionException e) {
                throw new IllegalStateException("unexpected exception while the process ended", e);
            } catch (InterruptedException e) {
                forced.addAll(all);
                interrupted = true;
                break;
            }
        }
        // Begun by one of them meanwhile, or left over by one that has just ended.
        process.descendants().forEach(forced::add);
        forced.forEach(ProcessHandle::destroyForcibly);
        // The kernel ends these without their consent: what waits here waits for no more than that.
        CompletableFuture.allOf(
                        forced.stream()
                                .map(ProcessHandle::onExit)
                                .toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, FORCIBLY.toNanos(), TimeUnit.NANOSECONDS)
                .join();
        ALL.remove(this);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
