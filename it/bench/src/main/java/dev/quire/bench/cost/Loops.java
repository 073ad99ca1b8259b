package dev.quire.bench.cost;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The event loops of one server in this JVM, with counters of the JVM and the kernel. */
final class Loops {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final Path COUNTED = Path.of("/proc/thread-self/io");

    /** The kernel truncates thread names to this length. */
    private static final int NAME_CHARS = 15;

    private static final String WRITES = "syscw: ";

    private final String prefix;
    private final long[] ids;

    private Loops(String prefix, long[] ids) {
        this.prefix = prefix;
        this.ids = ids;
    }

    /**
     * Returns the loops whose thread names start with {@code prefix}. A loop has no thread before
     * its first task.
     */
    static Loops named(String prefix) {
        var ids =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith(prefix))
                        .mapToLong(Thread::threadId)
                        .toArray();
        if (ids.length == 0) {
            throw new IllegalStateException("no running thread has the name prefix " + prefix);
        }
        return new Loops(prefix, ids);
    }

    /** Returns the total bytes they have allocated on the heap. */
    long allocatedBytes() {
        return sum(THREADS.getThreadAllocatedBytes(ids));
    }

    /** Returns their CPU time, user and system. */
    long cpuNanos() {
        return sum(THREADS.getThreadCpuTime(ids));
    }

    /**
     * Returns the number of their {@code write} and {@code writev} system calls, or empty if the
     * kernel does not count them. {@code send}, which native transports use for a single buffer, is
     * not counted.
     */
    OptionalLong writeCalls() {
        if (!Files.isReadable(COUNTED)) {
            return OptionalLong.empty();
        }
        var name = prefix.substring(0, Math.min(prefix.length(), NAME_CHARS));
        long calls = 0;
        try (var tasks = Files.newDirectoryStream(TASKS)) {
            for (var task : tasks) {
                calls += writeCalls(task, name);
            }
        } catch (IOException e) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(calls);
    }

    private static long writeCalls(Path task, String name) throws IOException {
        try {
            if (!Files.readString(task.resolve("comm")).startsWith(name)) {
                return 0;
            }
            return Files.readAllLines(task.resolve("io")).stream()
                    .filter(line -> line.startsWith(WRITES))
                    .mapToLong(line -> Long.parseLong(line.substring(WRITES.length())))
                    .sum();
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            // The JVM returns -1 for a thread that has ended.
            if (count < 0) {
                throw new IllegalStateException("an event loop has ended");
            }
            sum += count;
        }
        return sum;
    }
}
