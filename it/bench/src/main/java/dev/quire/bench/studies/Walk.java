package dev.quire.bench.studies;

import dev.quire.bench.kill.Client;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Requests of many paths in their order, on a few connections. */
final class Walk {
    private static final int READERS = 8;

    private Walk() {}

    /**
     * Returns how many requests had no response with status 200.
     *
     * @param path by number
     */
    static int failed(int port, int from, int to, IntFunction<String> path) {
        var turn = new AtomicInteger(from);
        try (var pool = Executors.newFixedThreadPool(READERS)) {
            var readers =
                    IntStream.range(0, READERS)
                            .mapToObj(reader ->
                                    CompletableFuture.supplyAsync(
                                            () -> failed(port, turn, to, path), pool))
                            .toList();
            return readers.stream().mapToInt(CompletableFuture::join).sum();
        }
    }

    private static int failed(int port, AtomicInteger turn, int to, IntFunction<String> path) {
        int failed = 0;
        try (var client = new Client(port)) {
            for (int i = turn.getAndIncrement(); i < to; i = turn.getAndIncrement()) {
                if (client.get("127.0.0.1:" + port, path.apply(i)).status() != 200) {
                    failed++;
                }
            }
            return failed;
        } catch (IOException e) {
            return failed + 1;
        }
    }
}
