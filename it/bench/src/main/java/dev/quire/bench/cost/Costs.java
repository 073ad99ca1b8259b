package dev.quire.bench.cost;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints what each kind of request costs, one figure a line: {@code page.writes=1.00}. */
public final class Costs {
    private static final int MISUSED = 2;

    private Costs() {}

    /**
     * Measures.
     *
     * @param arguments the kinds of requests; all of them unless some are named
     * @throws IOException if the site gives a wrong answer
     */
    public static void main(String[] arguments) throws IOException {
        var kinds = new ArrayList<Asked>();
        for (var label : arguments) {
            var asked = Asked.labelled(label);
            if (asked.isEmpty()) {
                System.err.printf("KIND: '%s' (expected hit, page, gzip or private)%n", label);
                System.exit(MISUSED);
            }
            asked.ifPresent(kinds::add);
        }
        measure(kinds.isEmpty() ? List.of(Asked.values()) : kinds);
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
