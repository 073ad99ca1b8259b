package dev.quire.bench.simulation;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.simulation.Calibration.Figures;
import dev.quire.bench.simulation.Tally.Command;
import java.io.IOException;
import java.time.Duration;
import org.apache.commons.cli.Options;

/** {@code bin/simulate --calibrate}: real proxies and the model of them, side by side. */
public final class Calibrate {
    private static final double MOST_DIFFERENCE = 0.2;

    private Calibrate() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/simulate --calibrate",
                "Compares three proxies with one store with the simulation of the same requests."
                        + " Exit status 1 if the requests at the origin or one of the commands of"
                        + " the store differ by more than 20 %.",
                new Options()
                        .addOption(null, "calibrate", false, "Do this.")
                        .addOption(Arguments.taking("seconds", "N", "Of the load (default 40)."))
                        .addOption(Arguments.taking("seed", "N", "Of the load (default 1)."))
                        .addOption(
                                Arguments.taking(
                                        "memory", "SIZE", "Of each proxy (default 64MiB)."))
                        .addOption(
                                Arguments.taking(
                                        "store",
                                        "PROGRAM",
                                        "Redis or Valkey (default redis-server)."))
                        .addOption(Arguments.takingDirectory()),
                arguments,
                Calibrate::run);
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        var load =
                Calibration.load(
                        Duration.ofSeconds(arguments.number("seconds", 40, 5, 600)),
                        arguments.longNumber("seed", 1, 0, Long.MAX_VALUE - 10));
        Figures real;
        try (var folder = OwnedFolder.in(arguments.directory())) {
            real =
                    Calibration.measure(
                            load,
                            new Calibration.Terms(
                                    Launch.script(Root.folder()),
                                    arguments.value("store").orElse("redis-server"),
                                    arguments.value("memory").orElse("64MiB")),
                            folder.path());
        }
        var same = load.withMemory(Math.max(1, real.inMemory()));
        var simulated = Figures.of(World.run(same, Arrangement.ALL, null));
        System.out.println(same + "\n");
        System.out.print(table(real, simulated));
        var sizes = real.sizes();
        if (sizes != null) {
            System.out.printf(
                    """

                    A request takes %.1f µs of a processor in the store. A record has %.0f bytes in
                    addition to its body, and takes %.0f bytes of memory more than that. An
                    invalidation takes %.0f bytes in the log.

                    """,
                    sizes.micros(), sizes.recordBytes(), sizes.recordMemory(), sizes.entryMemory());
        }
        boolean isClose = difference(real, simulated) <= MOST_DIFFERENCE;
        System.out.println(isClose ? "all are within 20 %" : "FAILED: not all are within 20 %");
        return isClose ? 0 : 1;
    }

    static Table table(Figures real, Figures simulated) {
        var table = new Table("", "three proxies", "simulated", "ratio");
        row(table, "requests at the origin", real.origin(), simulated.origin());
        for (var command : Command.values()) {
            row(
                    table,
                    command.name(),
                    real.commands().getOrDefault(command, 0L),
                    simulated.commands().getOrDefault(command, 0L));
        }
        row(table, "all commands", real.all(), simulated.all());
        return table;
    }

    private static void row(Table table, String title, long real, long simulated) {
        table.row(
                title,
                "%,d".formatted(real),
                "%,d".formatted(simulated),
                "%.3f".formatted(ratio(real, simulated)));
    }

    private static double ratio(long real, long simulated) {
        return real == simulated ? 1 : simulated / (double) Math.max(1, real);
    }

    /** The largest difference of a figure, as a share of the real one. */
    static double difference(Figures real, Figures simulated) {
        double most = Math.abs(ratio(real.origin(), simulated.origin()) - 1);
        for (var command : Command.values()) {
            double ratio =
                    ratio(
                            real.commands().getOrDefault(command, 0L),
                            simulated.commands().getOrDefault(command, 0L));
            most = Math.max(most, Math.abs(ratio - 1));
        }
        return most;
    }
}
