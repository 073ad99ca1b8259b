package dev.quire.bench.kill;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.bench.Running;
import dev.quire.bench.kill.CheckedTier.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills processes that write to disk tiers, damages half of the directories, and reads all records.
 * The next process goes on with the same directories.
 */
final class TierKills {
    private static final int MOST_TIERS = 20;
    private static final int LEAST_MILLIS = 20;
    private static final int MOST_MILLIS = 300;

    /** One of so many processes is killed without waiting for a ban. */
    private static final int BEFORE_BAN = 4;

    private static final int LONGEST_SECONDS = 10;

    /** More than the versions that one process makes. */
    private static final long VERSIONS = 1_000_000_000L;

    private static final long NEVER = -1;

    /** A record of a tier. */
    private record Place(int tier, int record) {}

    private final Path folder;
    private final SplittableRandom random;

    // All versions up to these must not be used any more.
    private final Map<Place, Long> banned = new HashMap<>();

    private final Map<Place, Long> removed = new HashMap<>();
    private int kills;

    TierKills(Path folder, long seed) {
        this.folder = folder;
        this.random = new SplittableRandom(seed);
    }

    /** Starts a process, kills it at a random moment, and reads what is there. */
    Evidence kill() throws IOException, InterruptedException {
        int tiers = 1 + random.nextInt(MOST_TIERS);
        long bans = write(tiers);
        kills++;
        long damaged = 0;
        var sum = Evidence.NONE;
        var foreign = folder.resolve("foreign");
        for (int i = 0; i < tiers; i++) {
            // Of its own, so that the choices do not depend on what was written until the kill.
            var choices = random.split();
            if (choices.nextBoolean()) {
                Damage.damage(directory(i), foreign, choices);
                forgetRemovals(i);
                damaged++;
            }
            sum = sum.plus(read(i));
        }
        Damage.copyJournal(directory(random.nextInt(tiers)), foreign);
        return sum.plus(new Evidence(1, 0, damaged, bans, 0, 0, 0, 0, 0, 0, List.of()));
    }

    private Path directory(int tier) {
        return folder.resolve(Integer.toString(tier));
    }

    /** A removal that was the last thing written may be in a part that was damaged. */
    private void forgetRemovals(int tier) {
        removed.keySet().removeIf(place -> place.tier() == tier);
    }

    private long least(Place place) {
        return Math.max(banned.getOrDefault(place, NEVER), removed.getOrDefault(place, NEVER));
    }

    /** Returns the number of durable bans. */
    private long write(int tiers) throws IOException, InterruptedException {
        var errors = folder.resolve("child.log");
        var process =
                new ProcessBuilder(
                                Running.java().toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx128m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dio.netty.leakDetection.level=disabled",
                                "-cp",
                                System.getProperty("java.class.path"),
                                TierChild.class.getName(),
                                folder.toString(),
                                Integer.toString(tiers),
                                Long.toString(random.nextLong()),
                                Long.toString(kills * VERSIONS))
                        .redirectError(errors.toFile())
                        .start();
        var reports = new ArrayList<TierReport>();
        try (var out = process.inputReader(US_ASCII)) {
            var first = out.readLine();
            if (!TierReport.READY.equals(first)) {
                throw new IOException(
                        "expected the process to be ready, found '%s': %s"
                                .formatted(first, Files.readString(errors)));
            }
            int millis = LEAST_MILLIS + random.nextInt(MOST_MILLIS - LEAST_MILLIS);
            // The time alone may not be enough for a ban on a busy machine.
            var begun = new CountDownLatch(random.nextInt(BEFORE_BAN) == 0 ? 0 : 1);
            var killing =
                    Thread.ofPlatform()
                            .start(() -> {
                                await(begun);
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                                // Unlike destroyForcibly, leaves the output readable.
                                process.toHandle().destroyForcibly();
                            });
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                var report = TierReport.read(line);
                reports.add(report);
                if (report.kind() == TierReport.Kind.BANNED) {
                    begun.countDown();
                }
            }
            killing.join();
        } finally {
            process.destroyForcibly().waitFor();
        }
        reports.forEach(report ->
                (report.kind() == TierReport.Kind.BANNED ? banned : removed)
                        .merge(
                                new Place(report.tier(), report.record()),
                                report.version(),
                                Math::max));
        return reports.stream().filter(report -> report.kind() == TierReport.Kind.BANNED).count();
    }

    private static void await(CountDownLatch begun) {
        try {
            begun.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Evidence read(int tier) throws IOException {
        long usable = 0;
        long wrong = 0;
        long revived = 0;
        try (var open = new CheckedTier(directory(tier))) {
            for (int record = 0; record < CheckedTier.RECORDS; record++) {
                var place = new Place(tier, record);
                switch (open.read(record)) {
                    case Stored.Nothing nothing -> {}
                    case Stored.Wrong bytes -> wrong++;
                    case Stored.Usable(var version) -> {
                        usable++;
                        revived += version <= least(place) ? 1 : 0;
                    }
                }
            }
        }
        return new Evidence(
                0, 0, 0, 0, 0, 0, CheckedTier.RECORDS, usable, wrong, revived, List.of());
    }
}
