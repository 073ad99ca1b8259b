package dev.quire.bench.cost;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.commons.cli.Options;

/** Prints the cost of each kind of request, one figure per line: {@code hit.cpu-ratio=1.31}. */
public final class Costs {
    private static final String TIERS = "tiers";

    private Costs() {}

    /**
     * Measures.
     *
     * @param arguments the kinds of requests; all if there are none
     * @throws IOException if a response is wrong
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.exit(execute(List.of(arguments)));
    }

    private static int execute(List<String> words) throws IOException, InterruptedException {
        try {
            var read =
                    Arguments.readWithOperands(
                            "bin/bench costs",
                            "KIND",
                            "Prints the cost of a request on the event loops. KIND is hit, ruled,"
                                    + " page, gzip or private (default: all).",
                            new Options()
                                    .addOption(
                                            null,
                                            TIERS,
                                            false,
                                            "Compares proxies with and without a disk tier, a"
                                                    + " shared tier and a fleet."),
                            words);
            if (read.isPresent()) {
                var kinds = Asked.named(read.get());
                if (read.get().has(TIERS)) {
                    TierCosts.print(kinds);
                } else {
                    measure(kinds);
                }
            }
            return 0;
        } catch (CannotMeasure e) {
            return e.report();
        }
    }

    private static void measure(List<Asked> kinds) throws IOException {
        try (var site = Site.start()) {
            for (var asked : kinds) {
                Cost.of(site, asked)
                        .figures()
                        .forEach((figure, value) ->
                                System.out.printf(
                                        Locale.ROOT, "%s.%s=%.2f%n", asked.label(), figure, value));
            }
        }
    }
}
