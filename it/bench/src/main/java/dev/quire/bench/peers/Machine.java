package dev.quire.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The machine the measurements were taken on.
 *
 * @param processor model name from the kernel
 * @param processors number of processors available to this process
 */
public record Machine(
        String processor,
        int processors,
        long memoryBytes,
        String system,
        String kernel,
        String java) {

    public static Machine here() {
        return new Machine(
                first("/proc/cpuinfo", "^model name\\s*: (.+)$", "unknown"),
                Runtime.getRuntime().availableProcessors(),
                Long.parseLong(first("/proc/meminfo", "^MemTotal:\\s+(\\d+) kB$", "0")) << 10,
                first("/etc/os-release", "^PRETTY_NAME=\"?([^\"\n]+)\"?$", "unknown"),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name")
                        + " "
                        + System.getProperty("java.runtime.version"));
    }

    private static String first(String file, String pattern, String otherwise) {
        try {
            var found =
                    Pattern.compile(pattern, Pattern.MULTILINE)
                            .matcher(Files.readString(Path.of(file)));
            return found.find() ? found.group(1).strip() : otherwise;
        } catch (IOException absent) {
            return otherwise;
        }
    }

    @Override
    public String toString() {
        return "%s, %d processors, %.0f GiB, %s, %s, %s"
                .formatted(
                        processor,
                        processors,
                        memoryBytes / (double) (1L << 30),
                        system,
                        kernel,
                        java);
    }
}
