package dev.quire.proxy.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.listen.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of one loop, and the time in which they wait. */
class DeadlinesTest {
    private static final Duration DEADLINE = Duration.ofMillis(20);

    private final Transport transport = Transport.ofThisMachine();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandlers());
    private final Deadlines deadlines = new Deadlines(group.next());
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** A call whose result is whether it was answered. */
    private static final class Call implements Deadlines.Call {
        private final CompletableFuture<Boolean> answer = new CompletableFuture<>();
        private final long deadline;

        Call(Duration within) {
            deadline = System.nanoTime() + within.toNanos();
        }

        @Override
        public long deadline() {
            return deadline;
        }

        @Override
        public boolean isAnswered() {
            return answer.isDone();
        }

        @Override
        public void expire() {
            answer.complete(false);
        }
    }

    /** Calls {@code then} for what its channel reads. */
    private static final class Reading extends ChannelInboundHandlerAdapter {
        private final Consumer<Channel> then;

        Reading(Consumer<Channel> then) {
            this.then = then;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            then.accept(ctx.channel());
        }
    }

    /** Returns the peer of a channel of the loop. */
    private Socket connected(Consumer<Channel> reading) throws IOException {
        new Bootstrap()
                .group(group)
                .channel(transport.clientChannel())
                .handler(new Reading(reading))
                .connect(server.getLocalSocketAddress())
                .syncUninterruptibly();
        return server.accept();
    }

    @Test
    void answerThatCameWhileTheLoopWasBusyIsReadBeforeTheDeadlinePasses() throws Exception {
        var calls = new CompletableFuture<Call>();
        try (var store = connected(channel -> calls.join().answer.complete(true));
                var client =
                        connected(channel -> {
                            var call = new Call(DEADLINE);
                            deadlines.add(call);
                            calls.complete(call);
                            answer(store);
                            busyUntil(call.deadline() + DEADLINE.toNanos());
                        })) {
            client.getOutputStream().write(1);

            assertThat(calls.get(10, TimeUnit.SECONDS).answer.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void answer(Socket store) {
        try {
            store.getOutputStream().write(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void busyUntil(long nanoTime) {
        while (nanoTime - System.nanoTime() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void callWithoutAnAnswerExpiresAtItsDeadline() throws Exception {
        var call = new Call(DEADLINE);
        group.next().execute(() -> deadlines.add(call));

        assertThat(call.answer.get(10, TimeUnit.SECONDS)).isFalse();
        assertThat(System.nanoTime()).isGreaterThanOrEqualTo(call.deadline());
    }

    @Test
    void laterCallExpiresAfterAnEarlierOneThatWasAnswered() throws Exception {
        var first = new Call(DEADLINE);
        var second = new Call(DEADLINE);
        group.next()
                .execute(() -> {
                    deadlines.add(first);
                    first.answer.complete(true);
                    deadlines.add(second);
                });

        assertThat(second.answer.get(10, TimeUnit.SECONDS)).isFalse();
        assertThat(first.answer.get()).isTrue();
    }

    @Test
    void callWhoseDeadlinePassesDuringTheLastReadWaitsForAnotherOne() {
        var channel = new EmbeddedChannel();
        var stepped = new Deadlines(channel.eventLoop());
        var first = new Call(DEADLINE);
        stepped.add(first);

        // Each step runs the tasks that were scheduled before it.
        busyUntil(first.deadline());
        channel.runScheduledPendingTasks();
        assertThat(first.answer).isNotDone();
        var second = new Call(Duration.ofMillis(1));
        stepped.add(second);
        busyUntil(second.deadline());
        channel.runScheduledPendingTasks();
        assertThat(first.answer).isCompletedWithValue(false);
        assertThat(second.answer).isNotDone();
        channel.runScheduledPendingTasks();
        assertThat(second.answer).isNotDone();
        channel.runScheduledPendingTasks();
        channel.finish();

        assertThat(second.answer).isCompletedWithValue(false);
    }
}
