package dev.quire.bench.kill;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code bin/crash}: kills processes that have disk tiers, and checks what later ones serve. */
public final class Crash {
    private static final int USUAL = 50;
    private static final int MOST = 10_000;

    private final Path folder;
    private final Launch launch;
    private final long seed;

    Crash(Path folder, Launch launch, long seed) {
        this.folder = folder;
        this.launch = launch;
        this.seed = seed;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/crash",
                "Kills processes that have disk tiers, damages the files of half of"
                        + " them, and checks what later processes serve. Exit status 1"
                        + " if anything is wrong or purged.",
                options(),
                arguments,
                Crash::run);
    }

    private static Options options() {
        return new Options()
                .addOption(
                        Arguments.taking(
                                "kills", "N", "Processes with up to 20 tiers (default 50)."))
                .addOption(
                        Arguments.taking(
                                "proxy", "N", "Proxies under load with purges (default 50)."))
                .addOption(
                        Arguments.taking(
                                "seed",
                                "N",
                                "Repeats the choices of an earlier run; the moments of kills"
                                        + " differ by the scheduling (default: another one each"
                                        + " time)."))
                .addOption(Arguments.takingDirectory());
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int kills = arguments.number("kills", USUAL, 0, MOST);
        int proxies = arguments.number("proxy", USUAL, 0, MOST);
        long seed = arguments.longNumber("seed", System.currentTimeMillis(), 0, Long.MAX_VALUE);
        System.out.println("seed " + seed);
        try (var folder = OwnedFolder.in(arguments.directory())) {
            var crash = new Crash(folder.path(), Launch.script(Root.folder()), seed);
            var ofTiers = crash.ofTiers(kills);
            var ofProxies = crash.ofProxies(proxies);
            var violations = new ArrayList<String>();
            violations.addAll(kills == 0 ? List.of() : ofTiers.violations());
            violations.addAll(proxies == 0 ? List.of() : ofProxies.violations());
            violations.forEach(violation -> System.out.println("FAILED: " + violation));
            if (violations.isEmpty()) {
                System.out.println("nothing wrong was served");
            }
            return violations.isEmpty() ? 0 : 1;
        }
    }

    /** Kills processes that only write to tiers. */
    Evidence ofTiers(int count) throws IOException, InterruptedException {
        var sum = Evidence.NONE;
        try (var own = OwnedFolder.in(Files.createDirectories(folder.resolve("tiers")))) {
            var tiers = new TierKills(own.path(), seed);
            for (int i = 0; i < count; i++) {
                sum = sum.plus(tiers.kill());
            }
        }
        System.out.println("tiers: " + sum);
        return sum;
    }

    /** Kills whole proxies. */
    Evidence ofProxies(int count) throws CannotMeasure, IOException, InterruptedException {
        var sum = Evidence.NONE;
        var foreign = folder.resolve("foreign");
        for (int i = 0; i < count; i++) {
            var last = Purging.ALL.get(i % Purging.ALL.size());
            boolean isDamaged = (i + i / Purging.ALL.size()) % 2 == 1;
            try (var own = OwnedFolder.in(Files.createDirectories(folder.resolve("proxies")))) {
                var evidence =
                        ProxyKill.run(launch, own.path(), last, isDamaged, foreign, seed + i);
                sum = sum.plus(evidence);
                System.out.printf(
                        "proxy %d, %s%s: %s%n",
                        i + 1, last, isDamaged ? ", damaged" : "", evidence);
            }
        }
        System.out.println("proxies: " + sum);
        return sum;
    }
}
