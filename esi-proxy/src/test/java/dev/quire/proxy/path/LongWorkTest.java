package dev.quire.proxy.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LongWorkTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final AtomicInteger now = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static CacheKey key(int number) {
        return new CacheKey(Scheme.HTTP, "news.test", "/" + number);
    }

    private <T extends @Nullable Object> CompletableFuture<T> aside(Supplier<T> what) {
        return CompletableFuture.supplyAsync(what, threads).orTimeout(20, TimeUnit.SECONDS);
    }

    @Test
    void bodiesOfOtherUrlsDoNotWait() {
        var work = new LongWork(2);
        var others =
                work.inTurn(
                        key(0),
                        () -> {
                            var asked =
                                    IntStream.range(1, 100)
                                            .mapToObj(
                                                    i -> aside(() -> work.inTurn(key(i), () -> i)))
                                            .toArray(CompletableFuture<?>[]::new);
                            assertThat(CompletableFuture.anyOf(asked).join()).isNotNull();
                            return asked;
                        });

        CompletableFuture.allOf(others).join();
    }

    @ParameterizedTest
    @CsvSource({"300, 3", "1, 1"})
    void noMoreThanAllowedAreWorkedOnAtATimeAndOneOfTheSameUrl(int urls, int most) {
        var work = new LongWork(3);

        var counted =
                IntStream.range(0, 300)
                        .mapToObj(
                                i -> aside(() -> work.inTurn(key(i % urls), LONG, this::together)))
                        .toList();

        assertThat(counted).allSatisfy(each -> assertThat(each.join()).isBetween(1, most));
    }

    @Test
    void tasksTakePlacesToo() {
        var tasks = new LongWork(3).limiting(threads);

        var counted =
                IntStream.range(0, 300)
                        .mapToObj(i -> CompletableFuture.supplyAsync(this::together, tasks))
                        .toList();

        assertThat(counted).allSatisfy(each -> assertThat(each.join()).isBetween(1, 3));
    }

    /** Returns how many call it at the same time. */
    private int together() {
        int count = now.incrementAndGet();
        // Gives others the time to begin.
        aside(() -> "").join();
        now.decrementAndGet();
        return count;
    }

    @Test
    void whoMayNotWaitGetsNothing() {
        var work = new LongWork(1);

        var nothing =
                work.inTurn(
                        key(0),
                        () -> aside(() -> work.inTurn(key(1), Duration.ZERO, () -> "done")).join());

        assertThat(nothing).isNull();
        assertThat(work.inTurn(key(1), Duration.ZERO, () -> "done")).isEqualTo("done");
    }
}
