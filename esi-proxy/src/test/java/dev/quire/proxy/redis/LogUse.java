package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogServer;
import dev.quire.proxy.fleet.LogServer.Appended;
import dev.quire.proxy.fleet.LogServer.Ends;
import dev.quire.proxy.fleet.LogServer.OtherEpoch;
import dev.quire.proxy.fleet.LogServer.Owner;
import dev.quire.proxy.fleet.LogServer.Registration;
import dev.quire.proxy.fleet.LogServer.State;
import dev.quire.proxy.fleet.LogServer.Table;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** All that a node asks of the log of its fleet. */
final class LogUse implements LogServer.Listener {
    private static final String NODE = "node/1";

    private static final Duration LONG = Duration.ofHours(1);

    /** Of two connections. */
    private final CountDownLatch connected = new CountDownLatch(2);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch appended = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch told = new CountDownLatch(1);

    static void all(RedisSettings settings) throws Exception {
        var heard = new LogUse();
        try (var log = new RedisLog(settings, NODE, 1)) {
            log.connect(heard);
            await(heard.connected);
            var owner = new Owner("fleet", 1);
            assertThat(of(log.begin(owner, 0, 7, 0, "first".getBytes(UTF_8)))).isTrue();
            await(heard.begun);
            var next = List.of("next".getBytes(UTF_8));
            assertThat(of(log.append(7, Long.MAX_VALUE, next, 60_000, 1_000)))
                    .isInstanceOf(OtherEpoch.class);
            assertThat(of(log.append(7, 0, next, 60_000, 1_000))).isInstanceOf(Appended.class);
            await(heard.appended);
            var first = (State) of(log.tick(owner, registration(Table.UNKNOWN), 10));
            var table = first.members().orElseThrow().table();
            assertThat(((State) of(log.tick(owner, registration(table), 10))).members()).isEmpty();
            var former = new Registration(NODE, 6, Long.MAX_VALUE, table, Map.of());
            assertThat(((State) of(log.tick(owner, former, 10))).entries()).hasSize(2);
            List<Long> none = List.of();
            assertThat(of(log.end(6, 5, "one", false)))
                    .isEqualTo(new Ends(5, false, 0, false, none));
            assertThat(of(log.end(6, 4, "two", true))).isEqualTo(new Ends(5, true, 0, true, none));
            assertThat(of(log.end(6, 5, "one", true))).isEqualTo(new Ends(5, true, 0, true, none));
            assertThat(of(log.end(6, 6, "two", true))).isEqualTo(new Ends(6, true, 5, true, none));
            assertThat(of(log.end(5, 4, "three", false)))
                    .isEqualTo(new Ends(6, false, 6, false, List.of(6L)));
            assertThat(of(log.end(6, 5, "one", false)))
                    .isEqualTo(new Ends(6, false, 6, true, List.of(5L)));
            var position = new RecordPosition(-7, 1);
            assertThat(of(log.ask(NODE, position)).members().byNode()).containsOnlyKeys(NODE);
            await(heard.asked);
            log.tell(NODE, "other/2", position);
            await(heard.told);
            assertThat(of(log.overview(LONG)).extent().length()).isEqualTo(2);
            var large = Collections.nCopies(40, new byte[100_000]);
            of(log.append(7, 0, large, 60_000, 1_000));
            var page = (State) of(log.tick(owner, registration(Table.UNKNOWN), 1_000));
            assertThat(page.entries().size()).isBetween(12, 36);
            // The store reads their bytes too.
            var before = (State) of(log.tick(owner, former, 1_000));
            assertThat(before.entries().size()).isBetween(12, 36);
            var end = new RecordPosition(7, page.extent().last());
            var asked = Set.of(end, new RecordPosition(6, end.number()), new RecordPosition(7, 1));
            assertThat(copies(log, asked).entries()).containsExactly(end);
            assertThat(of(log.leave(NODE, LONG))).isEqualTo(1);
            assertThat(of(log.overview(LONG)).members().byNode()).isEmpty();
            var last = (State) of(log.tick(owner, registration(table), 10));
            assertThat(last.members().orElseThrow().table().size()).isEqualTo(1);
            assertThat(table.isLost(last.members().orElseThrow().table())).isTrue();
            of(log.overview(Duration.ZERO));
            assertThat(of(log.overview(LONG)).members().byNode()).isEmpty();
        }
    }

    private static LogServer.Copies copies(RedisLog log, Set<RecordPosition> entries)
            throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            try {
                return of(log.copies(entries));
            } catch (ExecutionException unconnected) {
                assertThat(System.nanoTime()).describedAs(unconnected + "").isLessThan(end);
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private static Registration registration(Table known) {
        return new Registration(NODE, 7, 0, known, Map.of());
    }

    private static <T> T of(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void connected() {
        connected.countDown();
    }

    @Override
    public void listening(@Nullable String fault) {
        assertThat(fault).isNull();
    }

    @Override
    public void appended(long previous, LogServer.Entry entry) {
        appended.countDown();
    }

    @Override
    public void begun() {
        begun.countDown();
    }

    @Override
    public void asked(String node, RecordPosition position) {
        asked.countDown();
    }

    @Override
    public void applied(String node, RecordPosition position) {
        told.countDown();
    }
}
