package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.Meter;
import dev.quire.bench.peers.Site;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Requests each of {@code count} paths once, on a few connections, and compares the bodies.
 *
 * @param body the path and the body by number
 */
record Visit(int count, IntFunction<Step.Body> body) {
    private static final int READERS = 8;
    private static final int MOST = 20;

    /** A reader that has found so many wrong bodies ends its visit. */
    private static final int MOST_FAULTS = 3;

    /**
     * Returns that of the pages whose paths are {@code base} and a number.
     *
     * @param base path of the arm
     */
    static Visit ofPages(String base, int count) {
        return new Visit(
                count,
                number ->
                        new Step.Body(Integer.toString(number), Site.assembled(base + number, "")));
    }

    /** Returns the seconds it took; wrong bodies become faults of {@code stage}. */
    double once(Stage stage, Arm arm) {
        long begin = System.nanoTime();
        try (var readers = Executors.newFixedThreadPool(READERS)) {
            var all =
                    IntStream.range(0, READERS)
                            .mapToObj(reader ->
                                    CompletableFuture.supplyAsync(
                                            () -> wrong(stage, arm, reader), readers))
                            .toList();
            all.stream().flatMap(part -> part.join().stream()).forEach(stage::fault);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private List<String> wrong(Stage stage, Arm arm, int reader) {
        return IntStream.range(0, count)
                .filter(number -> number % READERS == reader)
                .mapToObj(body)
                .flatMap(one ->
                        stage
                                .wrong(arm, one)
                                .map(why -> arm.name() + ", " + one.path() + ": " + why)
                                .stream())
                // Each request to a server that does not answer takes long.
                .limit(MOST_FAULTS)
                .toList();
    }

    /** Visits until no request reaches the origin, because the cache has stored everything. */
    void untilStored(Stage stage, Arm arm, Meter.Counter origin)
            throws CannotMeasure, IOException, InterruptedException {
        for (int times = 0; times < MOST; times++) {
            long before = origin.requests();
            once(stage, arm);
            if (origin.requests() == before) {
                return;
            }
        }
        throw new CannotMeasure(
                "%s: does not store all of %,d responses in %d visits"
                        .formatted(arm.name(), count, MOST));
    }
}
