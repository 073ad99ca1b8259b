package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.fleet.LogServer;
import dev.quire.proxy.fleet.LogServer.Appended;
import dev.quire.proxy.fleet.LogServer.Ends;
import dev.quire.proxy.fleet.LogServer.Owner;
import dev.quire.proxy.fleet.LogServer.Registration;
import dev.quire.proxy.fleet.LogServer.State;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** All that a node asks of the log of its fleet. */
final class LogUse implements LogServer.Listener {
    private static final String NODE = "node/1";

    private final CountDownLatch subscribed = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch appended = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch told = new CountDownLatch(1);

    static void all(RedisSettings settings) throws Exception {
        var heard = new LogUse();
        try (var log = new RedisLog(settings, NODE)) {
            log.connect(heard);
            await(heard.subscribed);
            awaitCalls(log);
            var owner = new Owner("fleet", 1);
            assertThat(of(log.begin(owner, 0, 7, 0, "first".getBytes(UTF_8)))).isTrue();
            await(heard.begun);
            assertThat(of(log.append(7, List.of("next".getBytes(UTF_8)), 60_000, 1_000)))
                    .isInstanceOf(Appended.class);
            await(heard.appended);
            assertThat(of(log.tick(owner, new Registration(NODE, 7, 0), 10)))
                    .isInstanceOf(State.class);
            assertThat(of(log.end(6, 5, "one"))).isEqualTo(new Ends(5, false));
            assertThat(of(log.end(6, 4, "two"))).isEqualTo(new Ends(5, true));
            assertThat(of(log.end(6, 6, "two"))).isEqualTo(new Ends(6, true));
            assertThat(of(log.end(5, 4, "three"))).isEqualTo(new Ends(4, false));
            assertThat(of(log.end(6, 5, "one"))).isEqualTo(new Ends(6, false));
            assertThat(of(log.ask(NODE, 1)).byNode()).containsOnlyKeys(NODE);
            await(heard.asked);
            log.tell(NODE, "other/2", 1);
            await(heard.told);
            assertThat(of(log.overview()).extent().length()).isEqualTo(2);
            assertThat(of(log.remove(List.of(NODE)))).isEqualTo(1);
        }
    }

    /** Waits until it has its connection for calls too. */
    private static void awaitCalls(RedisLog log) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            var answer = log.overview().toCompletableFuture();
            try {
                answer.get(10, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException notYet) {
                assertThat(System.nanoTime()).describedAs(notYet.getMessage()).isLessThan(end);
            }
        }
    }

    private static <T> T of(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void subscribed() {
        subscribed.countDown();
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
    public void asked(String node, long id) {
        asked.countDown();
    }

    @Override
    public void applied(String node, long id) {
        told.countDown();
    }
}
