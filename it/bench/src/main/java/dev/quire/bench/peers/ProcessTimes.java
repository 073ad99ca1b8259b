package dev.quire.bench.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The CPU time of a process as Linux tells it (proc_pid_stat(5)), in ticks of 10 ms.
 *
 * @param own user and system time of its threads
 * @param reaped the same of children that have ended and been waited for
 */
record ProcessTimes(long own, long reaped) {
    /** USER_HZ, which the kernel's interface fixes. */
    private static final double TICKS_PER_SECOND = 100;

    /** Of the process {@code pid}; nothing if it has gone. */
    static Optional<ProcessTimes> of(long pid) {
        try {
            return Optional.of(parse(Files.readString(Path.of("/proc/" + pid + "/stat"))));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** The line of {@code /proc/PID/stat}; the name in it may hold blanks and brackets. */
    static ProcessTimes parse(String line) {
        var fields = line.substring(line.lastIndexOf(')') + 2).trim().split(" ", -1);
        if (fields.length < 15) {
            throw new IllegalArgumentException("not a line of /proc/PID/stat: " + line);
        }
        return new ProcessTimes(
                Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
    }

    double seconds() {
        return (own + reaped) / TICKS_PER_SECOND;
    }

    double ownSeconds() {
        return own / TICKS_PER_SECOND;
    }

    double reapedSeconds() {
        return reaped / TICKS_PER_SECOND;
    }

    /** Of every process there is, by its id. */
    static Map<Long, ProcessTimes> ofAll() {
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
