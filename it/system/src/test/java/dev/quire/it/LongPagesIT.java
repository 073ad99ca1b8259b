package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pages of 4 MiB with 100,000 tags, and the requests of other clients in the meantime. */
class LongPagesIT {
    private static final int TAGS = 100_000;
    private static final String TAG = "<esi:vars>$(QUERY_STRING{q})</esi:vars>.";
    private static final Duration BOUND = Duration.ofMillis(50);

    /** More clients than the proxy has loops, so that each loop has some. */
    private static final int CLIENTS = 2 * Runtime.getRuntime().availableProcessors();

    private final Origin origin = Origin.start();
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin).with("cache", "{ memory: 512MiB }").start();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean isOver = new AtomicBoolean();

    @BeforeEach
    void store() {
        origin.on("/long", page("max-age=600", TAG.repeat(TAGS)));
        origin.on("/short", fragment("max-age=600", "short"));
        assertThat(proxy.get("/short").status()).isEqualTo(200);
        assertThat(proxy.get("/long").text()).isEqualTo(".".repeat(TAGS));
    }

    @AfterEach
    void stop() {
        isOver.set(true);
        clients.close();
        proxy.close();
        origin.close();
    }

    @Test
    void pageOfManyTagsIsWholeForEachOfManyClients() throws Exception {
        var pages =
                IntStream.range(0, CLIENTS)
                        .mapToObj(i -> clients.submit(() -> proxy.get("/long?q=" + i).text()))
                        .toList();

        for (int i = 0; i < CLIENTS; i++) {
            assertThat(pages.get(i).get()).isEqualTo((i + ".").repeat(TAGS));
        }
    }

    @Test
    void clientThatLeavesMeanwhileLeavesNothing() {
        for (int i = 0; i < 3 * CLIENTS; i++) {
            try (var client = proxy.connect()) {
                client.request("GET", "/long");
                client.reset();
            }
        }

        assertThat(proxy.get("/long").text()).isEqualTo(".".repeat(TAGS));
    }

    @Test
    @Tag("measured")
    void hitsOfOtherClientsAreAnsweredMeanwhile() throws Exception {
        // compiles the code of both
        var readers = readers();
        hits(200);
        isOver.set(true);
        await(readers);
        isOver.set(false);

        readers = readers();
        var hits = hits(2_000);
        isOver.set(true);
        int pages = await(readers);

        Figure.print(
                "R17",
                "99th percentile of 2000 hits while %d pages of %d tags are assembled"
                        .formatted(pages, TAGS),
                Figure.ms(hits.get(1_980)),
                Figure.ms(BOUND));
        assertThat(pages).isPositive();
        assertThat(hits.get(1_980)).isLessThan(BOUND);
    }

    /** Starts clients that request the long page again and again. */
    private Iterable<Future<Integer>> readers() {
        return IntStream.range(0, CLIENTS).mapToObj(i -> clients.submit(this::pages)).toList();
    }

    private int pages() {
        int pages = 0;
        try (var client = proxy.connect()) {
            for (; !isOver.get(); pages++) {
                client.request("GET", "/long").begin().countToEnd();
            }
        }
        return pages;
    }

    private static int await(Iterable<Future<Integer>> readers)
            throws ExecutionException, InterruptedException {
        int pages = 0;
        for (var reader : readers) {
            pages += reader.get();
        }
        return pages;
    }

    /** Returns the durations of {@code count} hits, the shortest first. */
    private List<Duration> hits(int count) {
        var durations = new ArrayList<Duration>();
        try (var client = proxy.connect()) {
            for (int i = 0; i < count; i++) {
                long begin = System.nanoTime();
                assertThat(client.get("/short").status()).isEqualTo(200);
                durations.add(Duration.ofNanos(System.nanoTime() - begin));
            }
        }
        Collections.sort(durations);
        return durations;
    }
}
