package dev.quire.bench.cost;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.apache.commons.cli.Options;
import org.jspecify.annotations.Nullable;

/**
 * Prints the allocations of a request on the proxy's event loops by class, by the topmost Quire
 * method, and by both, from a JFR recording.
 *
 * <p>JFR samples an object whenever a thread's allocation buffer (TLAB) is full, and weights it
 * with all bytes since the last sample. Identical requests would fill the buffers in step, so that
 * always the same few objects are sampled; therefore requests differ in length here. The sum is not
 * sampled but counted by the JVM.
 */
final class Profile {
    private static final String SAMPLE = "jdk.ObjectAllocationSample";
    private static final String OURS = "dev.quire.";
    private static final String NOBODY = "(no Quire method)";
    private static final int AT_ONCE = 2_000;

    private final int seconds;
    private final int top;

    /**
     * @param seconds recording time of each kind
     * @param top number of lines per list
     */
    private Profile(int seconds, int top) {
        this.seconds = seconds;
        this.top = top;
    }

    /** Bytes by name. */
    private static final class Tally {
        private final Map<String, Long> bytes = new HashMap<>();

        void add(String name, long more) {
            bytes.merge(name, more, Long::sum);
        }

        /** Prints the largest, each as its share of {@code bytesPerRequest}. */
        void print(String title, int most, double bytesPerRequest) {
            long all = bytes.values().stream().mapToLong(each -> each).sum();
            System.out.println("  " + title);
            bytes.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                    .limit(most)
                    .forEach(entry ->
                            System.out.printf(
                                    Locale.ROOT,
                                    "  %8.0f B  %s%n",
                                    bytesPerRequest * entry.getValue() / all,
                                    entry.getKey()));
        }
    }

    /** Takes options and kinds. The exit status is 2 for errors in them. */
    public static void main(String[] arguments) throws IOException {
        System.exit(execute(List.of(arguments)));
    }

    private static int execute(List<String> words) throws IOException {
        try {
            var read =
                    Arguments.readWithOperands(
                            "bin/bench profile",
                            "KIND",
                            "Prints the allocations of a request on the event loops, from a"
                                    + " JFR recording. KIND is hit, page, gzip or private (default:"
                                    + " all).",
                            new Options()
                                    .addOption(
                                            Arguments.taking(
                                                    "seconds",
                                                    "N",
                                                    "Seconds to record each kind, 1 to 600 (default"
                                                            + " 5)."))
                                    .addOption(
                                            Arguments.taking(
                                                    "top",
                                                    "N",
                                                    "Lines per list, 1 to 1000 (default 15).")),
                            words);
            if (read.isPresent()) {
                var arguments = read.get();
                new Profile(
                                arguments.number("seconds", 5, 1, 600),
                                arguments.number("top", 15, 1, 1000))
                        .profile(Asked.named(arguments));
            }
            return 0;
        } catch (CannotMeasure e) {
            return e.report();
        }
    }

    private void profile(List<Asked> kinds) throws IOException {
        try (var site = Site.start()) {
            for (var asked : kinds) {
                profile(site, asked);
            }
        }
    }

    private void profile(Site site, Asked asked) throws IOException {
        try (var clients = Clients.of(site.address(asked), asked, site.body(asked), true)) {
            ask(site, clients);
            var loops = Loops.named(Site.LOOPS);
            var file = Files.createTempFile("quire", ".jfr");
            try (var recording = new Recording()) {
                recording.enable(SAMPLE).with("throttle", "off").withStackTrace();
                recording.start();
                long before = loops.allocatedBytes();
                int requests = ask(site, clients);
                long bytes = loops.allocatedBytes() - before;
                recording.stop();
                recording.dump(file);
                print(asked, samples(file), requests, (double) bytes / requests);
            } finally {
                Files.delete(file);
            }
        }
    }

    /** Sends requests for the configured time; returns their number. */
    private int ask(Site site, Clients clients) throws IOException {
        int requests = 0;
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds)) {
            requests += clients.ask(AT_ONCE);
            site.forget();
        }
        return requests;
    }

    private void print(
            Asked asked, List<RecordedEvent> samples, int requests, double bytesPerRequest) {
        System.out.printf(
                Locale.ROOT,
                "%n%s: %.0f B per request (%d requests, %d samples)%n",
                asked.label(),
                bytesPerRequest,
                requests,
                samples.size());
        var classes = new Tally();
        var methods = new Tally();
        var both = new Tally();
        for (var sample : samples) {
            long bytes = sample.getLong("weight");
            var name = className(sample.getClass("objectClass").getName());
            var method = method(sample);
            classes.add(name, bytes);
            methods.add(method, bytes);
            both.add(method + "  " + name, bytes);
        }
        classes.print("by class", top, bytesPerRequest);
        methods.print("by the topmost Quire method", top, bytesPerRequest);
        both.print("by method and class", 2 * top, bytesPerRequest);
    }

    /**
     * Returns the samples of the event loops in order. The first one of each loop is omitted: its
     * weight includes allocations from before the recording.
     */
    private static List<RecordedEvent> samples(Path file) throws IOException {
        var seen = new HashSet<Long>();
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(SAMPLE))
                .filter(event -> isLoop(event.getThread()))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .filter(event -> !seen.add(event.getThread().getJavaThreadId()))
                .toList();
    }

    private static boolean isLoop(@Nullable RecordedThread thread) {
        return thread != null
                && thread.getJavaName() != null
                && thread.getJavaName().startsWith(Site.LOOPS);
    }

    private static String method(RecordedEvent sample) {
        var trace = sample.getStackTrace();
        if (trace == null) {
            return NOBODY;
        }
        return trace.getFrames().stream()
                .filter(frame -> frame.getMethod().getType().getName().startsWith(OURS))
                .findFirst()
                .map(Profile::method)
                .orElse(NOBODY);
    }

    private static String method(RecordedFrame frame) {
        var type = frame.getMethod().getType().getName();
        return "%s.%s:%d"
                .formatted(
                        type.substring(type.lastIndexOf('.') + 1),
                        frame.getMethod().getName(),
                        frame.getLineNumber());
    }

    /**
     * Returns {@code [B} as {@code byte[]}, and a lambda without its number, which changes with
     * each run.
     */
    private static String className(String name) {
        int dimensions = name.lastIndexOf('[') + 1;
        var element =
                switch (dimensions == 0 ? "" : name.substring(dimensions)) {
                    case "" -> name;
                    case "B" -> "byte";
                    case "C" -> "char";
                    case "I" -> "int";
                    case "J" -> "long";
                    case "Z" -> "boolean";
                    default ->
                            name.charAt(dimensions) == 'L'
                                    ? name.substring(dimensions + 1, name.length() - 1)
                                    : name.substring(dimensions);
                };
        int number = element.indexOf(".0x");
        return (number < 0 ? element : element.substring(0, number)) + "[]".repeat(dimensions);
    }
}
