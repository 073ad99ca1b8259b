package dev.quire.bench.simulation;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import org.apache.commons.cli.Options;

/** {@code bin/simulate size}: memory, connections and requests of a store. */
public final class Size {
    private static final double MEBI = 1 << 20;

    private Size() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/simulate size",
                "Computes what a fleet needs of its store, by the formulas in docs/scale.md.",
                options(),
                arguments,
                Size::run);
    }

    private static Options options() {
        return Simulate.loadOptions()
                .addOption(Arguments.taking("loops", "N", "Event loops of a proxy (default 4)."))
                .addOption(
                        Arguments.taking(
                                "primaries",
                                "N",
                                "Primary servers of a cluster (default 1: not a cluster)."))
                .addOption(
                        Arguments.taking(
                                "fleet-purges-per-second",
                                "N",
                                "Those of the purges with \"ack\": \"fleet\" (default 0)."))
                .addOption(
                        Arguments.taking(
                                "hit-ratio",
                                "N",
                                "Requests answered from the memory of their proxy, in % (default:"
                                        + " estimated from --memory, --lifetime and --skew)."));
    }

    private static int run(Arguments arguments) throws CannotMeasure {
        var load = Simulate.load(arguments);
        var size =
                Sizing.of(
                        load,
                        new Sizing.Terms(
                                arguments.number("loops", 4, 1, 1024),
                                arguments.number("primaries", 1, 1, 1000),
                                arguments.decimal("hit-ratio", -100, -100, 100) / 100,
                                arguments.decimal(
                                        "fleet-purges-per-second", 0, 0, load.purgesPerSecond())));
        var table = new Table("of the store", "");
        table.row("memory of the records, MiB", "%,.1f".formatted(size.recordBytes() / MEBI));
        table.row("memory of the log, MiB", "%,.1f".formatted(size.logBytes() / MEBI));
        table.row("connections", "%,d".formatted(size.connections()));
        table.row("requests/s of misses in memory", "%,.0f".formatted(size.getsPerSecond()));
        table.row("requests/s of all kinds", "%,.0f".formatted(size.requestsPerSecond()));
        table.row("MB/s", "%,.1f".formatted(size.bytesPerSecond() / 1e6));
        table.row("share of the time that the busiest server works", "%.3f".formatted(size.busy()));
        table.row("hit ratio of memory, %", "%.1f".formatted(100 * size.hitRatio()));
        table.row("requests/s at the origin", "%,.1f".formatted(size.fetchesPerSecond()));
        System.out.print(table);
        return 0;
    }
}
