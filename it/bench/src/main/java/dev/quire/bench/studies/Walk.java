package dev.quire.bench.studies;

import dev.quire.bench.kill.Client;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Requests of many paths in their order, on a few connections. */
final class Walk {
    private static final int READERS = 8;

    /** Faults of one reader, which then ends. */
    private static final int MOST = 10;

    private Walk() {}

    /**
     * Requests all paths; a response without status 200 becomes a fault of {@code stage}.
     *
     * @param path by number
     */
    static void all(Stage stage, Arm arm, int from, int to, IntFunction<String> path) {
        var turn = new AtomicInteger(from);
        try (var pool = Executors.newFixedThreadPool(READERS)) {
            var readers =
                    IntStream.range(0, READERS)
                            .mapToObj(reader ->
                                    CompletableFuture.supplyAsync(
                                            () -> faults(arm, turn, to, path), pool))
                            .toList();
            readers.stream().flatMap(reader -> reader.join().stream()).forEach(stage::fault);
        }
    }

    private static List<String> faults(
            Arm arm, AtomicInteger turn, int to, IntFunction<String> path) {
        var faults = new ArrayList<String>();
        while (turn.get() < to && faults.size() < MOST) {
            var now = "";
            try (var client = new Client(arm.port())) {
                for (int i = turn.getAndIncrement(); i < to; i = turn.getAndIncrement()) {
                    now = path.apply(i);
                    int status = client.get("127.0.0.1:" + arm.port(), now).status();
                    if (status != 200) {
                        faults.add("%s, %s: status %d".formatted(arm.name(), now, status));
                    }
                }
            } catch (IOException e) {
                faults.add("%s, %s: %s".formatted(arm.name(), now, e));
            }
        }
        return faults;
    }
}
