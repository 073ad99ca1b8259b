package dev.quire.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The CPU time of a process from proc_pid_stat(5) on Linux, in ticks of 10 ms.
 *
 * @param own user and system time of its threads
 * @param reaped user and system time of children that have ended and been waited for
 */
public record ProcessTimes(long own, long reaped) {
    /** USER_HZ, which the kernel's interface fixes. */
    private static final double TICKS_PER_SECOND = 100;

    /** Returns the times of the process {@code pid}, or empty if it has ended. */
    public static Optional<ProcessTimes> of(long pid) {
        try {
            return Optional.of(parse(Files.readString(Path.of("/proc/" + pid + "/stat"))));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Parses {@code /proc/PID/stat}; the process name may contain spaces and brackets. */
    static ProcessTimes parse(String line) {
        var fields = line.substring(line.lastIndexOf(')') + 2).trim().split(" ", -1);
        if (fields.length < 15) {
            throw new IllegalArgumentException("not a line of /proc/PID/stat: " + line);
        }
        return new ProcessTimes(
                Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
    }

    public double seconds() {
        return (own + reaped) / TICKS_PER_SECOND;
    }

    public double ownSeconds() {
        return own / TICKS_PER_SECOND;
    }

    public double reapedSeconds() {
        return reaped / TICKS_PER_SECOND;
    }

    /** Returns the times of all processes by id. */
    public static Map<Long, ProcessTimes> ofAll() {
        var all = new HashMap<Long, ProcessTimes>();
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (var process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                of(pid).ifPresent(times -> all.put(pid, times));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list /proc", e);
        }
        return all;
    }
}
