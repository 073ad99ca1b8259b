package dev.quire.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
 * A child process with its descendants. {@link #close} terminates them, at first gracefully; so
 * does the exit of this JVM, except by SIGKILL.
 */
public final class Running implements AutoCloseable {
    private static final Duration KINDLY = Duration.ofSeconds(5);
    private static final Duration FORCIBLY = Duration.ofSeconds(5);
    private static final int LAST_BYTES = 2000;
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern READ = Pattern.compile("^read_bytes: (\\d+)", Pattern.MULTILINE);
    private static final Pattern WRITTEN =
            Pattern.compile("^write_bytes: (\\d+)", Pattern.MULTILINE);
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");
    private static final Set<Running> ALL = ConcurrentHashMap.newKeySet();

    /** Guarded by the class; if set, no process is started any more. */
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
     * @param environment variables added to those of this process
     * @param log file for both output streams
     */
    public static Running start(List<String> command, Map<String, String> environment, Path log)
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

    /** The java executable of this JVM. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** Whether this JVM is shutting down, which explains failures. */
    public static synchronized boolean isStopping() {
        return stopping;
    }

    /** Stops all processes and prevents new ones. For the shutdown of this JVM. */
    public static void stopAll() {
        synchronized (Running.class) {
            stopping = true;
        }
        ALL.forEach(Running::close);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL to the process and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        ALL.remove(this);
    }

    /** Sends SIGKILL to all processes that it has started, but not to itself. */
    public void killDescendants() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    /** Stops the process without ending it, until {@link #resume}. */
    public void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException(
                    "process %d: cannot be sent SIG%s".formatted(process.pid(), name));
        }
    }

    /** Waits until the process has exited. Stops it and returns false after {@code patience}. */
    public boolean awaitEnd(Duration patience) throws InterruptedException {
        boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        close();
        return ended;
    }

    public int exitCode() {
        return process.exitValue();
    }

    /** Waits until {@code port} of the loopback address accepts connections. */
    public void awaitPort(String name, int port, Duration patience)
            throws CannotMeasure, InterruptedException {
        awaitPort(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), patience);
    }

    /** Waits until {@code address} accepts connections. */
    public void awaitPort(String name, InetSocketAddress address, Duration patience)
            throws CannotMeasure, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!accepts(address)) {
            if (!process.isAlive()) {
                throw new CannotMeasure(
                        name + " ended before it accepted connections: " + output());
            }
            if (System.nanoTime() > end) {
                throw new CannotMeasure(
                        name
                                + " does not accept connections on port "
                                + address.getPort()
                                + " after "
                                + patience.toSeconds()
                                + " s: "
                                + output());
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    public static boolean accepts(int port) {
        return accepts(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static boolean accepts(InetSocketAddress address) {
        try (var socket = new Socket()) {
            socket.connect(address, 1000);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** Returns its output, at most the last 2,000 bytes. */
    public String output() {
        try {
            var all = Files.readAllBytes(log);
            int from = Math.max(0, all.length - LAST_BYTES);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(its output cannot be read: " + e + ")";
        }
    }

    /** Returns its process id and those of all descendants. */
    public LongStream pids() {
        return LongStream.concat(
                LongStream.of(process.pid()), process.descendants().mapToLong(ProcessHandle::pid));
    }

    /** Returns user and system time of all its processes so far. */
    public double cpuSeconds() {
        return pids().mapToObj(ProcessTimes::of)
                .flatMap(Optional::stream)
                .mapToDouble(ProcessTimes::seconds)
                .sum();
    }

    /**
     * Returns the sum of the peak resident sizes of its processes since {@link #forgetPeak}. Shared
     * memory is counted for each process.
     */
    public long peakBytes() {
        return pids().map(pid -> figure("/proc/" + pid + "/status", PEAK)).sum() << 10;
    }

    /** Returns the number of bytes that its processes have read from disks so far. */
    public long readBytes() {
        return pids().map(pid -> figure("/proc/" + pid + "/io", READ)).sum();
    }

    /**
     * Returns the number of bytes that its processes have written to files so far, in whole pages.
     * Those in a file system in memory are not counted.
     */
    public long writtenBytes() {
        return pids().map(pid -> figure("/proc/" + pid + "/io", WRITTEN)).sum();
    }

    /** Returns the present resident size of the process without its children. */
    public long residentBytes() {
        return figure("/proc/" + process.pid() + "/status", RESIDENT) << 10;
    }

    private static long figure(String file, Pattern line) {
        try {
            var found = line.matcher(Files.readString(Path.of(file)));
            return found.find() ? Long.parseLong(found.group(1)) : 0;
        } catch (IOException gone) {
            return 0;
        }
    }

    /** Resets the peak. If the kernel refuses, it remains the peak since the start. */
    public void forgetPeak() {
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
        // Processes that were started meanwhile, or left by one that has just ended.
        process.descendants().forEach(forced::add);
        forced.forEach(ProcessHandle::destroyForcibly);
        // These were killed with SIGKILL, so this wait is short.
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
