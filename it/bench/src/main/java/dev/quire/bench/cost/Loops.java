package dev.quire.bench.cost;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The event loops of one server in this JVM, and what the JVM and the kernel count for them. */
final class Loops {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final Path COUNTED = Path.of("/proc/thread-self/io");

    /** The kernel keeps no more of a thread's name. */
    private static final int NAME_CHARS = 15;

    private static final String WRITES = "syscw: ";

    private final String prefix;
    private final long[] ids;

    private Loops(String prefix, long[] ids) {
        this.prefix = prefix;
        this.ids = ids;
    }

    /**
     * Those whose threads have names that begin with {@code prefix}. They must have begun their
     * work, which is when a loop gets its thread.
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

    /** All they have ever allocated on the heap. */
    long allocatedBytes() {
        return sum(THREADS.getThreadAllocatedBytes(ids));
    }

    /** The processor time they have used, user's and kernel's. */
    long cpuNanos() {
        return sum(THREADS.getThreadCpuTime(ids));
    }

    /**
     * The system calls {@code write} and {@code writev} they have made; nothing where no kernel
     * counts them. It does not count {@code send}, which native transports use for a single buffer.
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
            // So the JVM says of a thread that is no more.
            if (count < 0) {
                throw new IllegalStateException("an event loop has ended");
            }
            sum += count;
        }
        return sum;
    }
}
