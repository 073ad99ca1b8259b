package dev.quire.bench.disk;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.disk.HitLoad.Hits;
import dev.quire.bench.kill.DiskState;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench faults}: the disk of a proxy under load becomes full and read-only, and pipes
 * take the place of files. All requests must be answered, and hits in memory must not be slower.
 */
public final class Faults {
    private static final int DISK_MIB = 64;
    private static final Duration WARM = Duration.ofSeconds(5);
    private static final Duration MEASURED = Duration.ofSeconds(4);
    private static final Duration POLL = Duration.ofMillis(50);

    /** Until the tier must have met a fault: it begins another file every two seconds. */
    private static final Duration MEETING = Duration.ofSeconds(10);

    private static final Duration MOST_BACK = Duration.ofSeconds(30);
    private static final Duration MOST_READY = Duration.ofSeconds(5);

    /** Of the usual p99 of hits, in addition to the next one. */
    private static final double MOST_RATIO = 1.1;

    private static final double MOST_ADDED_MILLIS = 0.5;
    private static final Step NOTHING = () -> {};

    private final SmallDisk disk;
    private final Path tier;
    private final KilledProxy proxy;
    private final MeasuredLimits limits = new MeasuredLimits();

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /**
     * A fault of the disk.
     *
     * @param keep repeated until the tier has met it
     */
    private record Fault(Step make, Step keep, Step mend) {}

    private Faults(SmallDisk disk, Path tier, KilledProxy proxy) {
        this.disk = disk;
        this.tier = tier;
        this.proxy = proxy;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench faults",
                "Makes the disk of a proxy under load full and read-only, and puts pipes in the"
                        + " place of files. Exit status 1 if a limit does not hold. Requires root.",
                new Options().addOption(Arguments.takingDirectory()),
                arguments,
                Faults::run);
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        try (var folder = OwnedFolder.in(arguments.directory());
                var disk = SmallDisk.mount(folder.path().resolve("disk"), DISK_MIB);
                var origin = StampedOrigin.start(HitLoad::resource)) {
            var tier = disk.path().resolve("tier");
            var yaml =
                    """
                    cache: { memory: 64MiB }
                    disk: { path: "%s", size: 32MiB }
                    """
                            .formatted(tier);
            var launch = Launch.script(Root.folder());
            try (var proxy = KilledProxy.of(launch, folder.path(), origin.port(), yaml)) {
                var faults = new Faults(disk, tier, proxy);
                var usual = faults.whileItRuns();
                proxy.kill();
                faults.atTheStart(usual);
                return faults.limits.ended();
            }
        }
    }

    /** Returns the times of hits before the faults. */
    private Hits whileItRuns() throws CannotMeasure, IOException, InterruptedException {
        proxy.start();
        try (var load = warm()) {
            if (!isReached(DiskState::isWriting, NOTHING, MEETING)) {
                throw new CannotMeasure("the disk is not used: " + DiskState.of(proxy).text());
            }
            var usual = load.measure(MEASURED);
            check("before", usual, usual);
            disturb("full", new Fault(disk::fill, disk::fill, disk::free), load, usual);
            disturb(
                    "read-only",
                    new Fault(disk::refuseWrites, NOTHING, disk::allowWrites),
                    load,
                    usual);
            check("afterwards", load.measure(MEASURED), usual);
            checkAnswers(load);
            return usual;
        }
    }

    /**
     * Starts a process that finds pipes in the place of the file that names the tier, and of the
     * first one that it writes.
     */
    private void atTheStart(Hits usual) throws CannotMeasure, IOException, InterruptedException {
        replaceByPipe(tier.resolve("format"));
        replaceByPipe(tier.resolve("000001.seg"));
        var ready = proxy.start();
        limits.check(
                ready.compareTo(MOST_READY) <= 0,
                "pipes        ready after %.2f s, limit %d"
                        .formatted(seconds(ready), MOST_READY.toSeconds()));
        var emptied = DiskState.of(proxy).emptied();
        limits.check(
                !emptied.isEmpty(),
                "pipes        tier began empty: %s, expected a reason".formatted(emptied));
        try (var load = warm()) {
            disturb("pipes", new Fault(NOTHING, NOTHING, NOTHING), load, usual);
            checkAnswers(load);
        }
    }

    private static void replaceByPipe(Path file) throws IOException, InterruptedException {
        Files.deleteIfExists(file);
        if (new ProcessBuilder("mkfifo", file.toString()).start().waitFor() != 0) {
            throw new IOException(file + ": the pipe cannot be made");
        }
    }

    private HitLoad warm() throws InterruptedException {
        var load = HitLoad.start(proxy.port());
        Thread.sleep(WARM);
        return load;
    }

    private void disturb(String what, Fault fault, HitLoad load, Hits usual)
            throws IOException, InterruptedException {
        fault.make().run();
        try {
            boolean isMet = isReached(state -> !state.isWriting(), fault.keep(), MEETING);
            check(what, load.measure(MEASURED), usual);
            var state = DiskState.of(proxy);
            limits.check(
                    isMet && !state.isWriting(),
                    "%-12s tier %s: %s, expected one that does not write"
                            .formatted(what, state, state.failure()));
        } finally {
            fault.mend().run();
        }
        checkReturn(what);
    }

    private void check(String what, Hits hits, Hits usual) {
        double limit = MOST_RATIO * usual.p99() + MOST_ADDED_MILLIS;
        limits.check(
                hits.perSecond() > 0 && hits.p99() <= limit,
                "%-12s hits p99 %.2f ms, limit %.2f; %,.0f/s"
                        .formatted(what, hits.p99(), limit, hits.perSecond()));
    }

    /** Waits until the tier writes again. */
    private void checkReturn(String what) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        long stored = DiskState.of(proxy).stored();
        boolean isBack =
                isReached(
                        state -> state.isWriting() && state.stored() > stored, NOTHING, MOST_BACK);
        limits.check(
                isBack,
                "%-12s written again after %.1f s, limit %d"
                        .formatted(
                                what,
                                seconds(Duration.ofNanos(System.nanoTime() - begun)),
                                MOST_BACK.toSeconds()));
    }

    private void checkAnswers(HitLoad load) {
        limits.check(
                load.faults() == 0,
                "%,d answers, missing or wrong %,d %s, limit 0"
                        .formatted(load.answers(), load.faults(), load.namedFaults()));
    }

    /** Returns whether the tier comes to such a state in time. */
    private boolean isReached(Predicate<DiskState> wanted, Step between, Duration within)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + within.toNanos();
        while (!wanted.test(DiskState.of(proxy))) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            between.run();
            Thread.sleep(POLL);
        }
        return true;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
