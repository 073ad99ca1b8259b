package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The addresses of a name are cached for their TTL, and longer if lookups fail. */
class NamedAddressesTest {
    private static final InetAddress ONE = address(1);
    private static final InetAddress TWO = address(2);
    private static final InetAddress THREE = address(3);

    private final MockTicker ticker = Ticker.newMockTicker();
    private final ManualIoEventLoop loop =
            new ManualIoEventLoop(
                    null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    private final Questions questions = new Questions();
    private final NamedAddresses addresses = new NamedAddresses("origin.test", 8081, questions);
    private final List<String> answers = new ArrayList<>();

    /** Lookups that the test answers. */
    private static final class Questions implements NamedAddresses.Lookup {
        private final Queue<Result> open = new ArrayDeque<>();
        private int asked;
        private boolean isClosed;
        private boolean isBroken;

        @Override
        public void ask(EventLoop loop, Result result) {
            if (isBroken) {
                throw new IllegalStateException("expected no such thing");
            }
            asked++;
            open.add(result);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private final Addresses.Answer answer =
            new Addresses.Answer() {
                @Override
                public void found(List<SocketAddress> addresses) {
                    answers.add(
                            addresses.stream()
                                    .map(each -> ((InetSocketAddress) each).getHostString())
                                    .toList()
                                    .toString());
                }

                @Override
                public void notFound(String detail) {
                    answers.add(detail);
                }
            };

    private void find() {
        addresses.find(loop, answer);
    }

    private void pass(Duration time) {
        ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void found(Duration kept, InetAddress... found) {
        questions.open.remove().found(List.of(found), kept);
        loop.runNow();
    }

    private void notFound() {
        questions.open.remove().notFound("SERVFAIL");
        loop.runNow();
    }

    @Test
    void aNameIsLookedUpOnceForAllWhoAskAndKeptAsLongAsItIsGoodFor() {
        find();
        find();
        var whileLookingUp = answers.size();
        found(Duration.ofSeconds(20), ONE);
        pass(Duration.ofSeconds(20).minusNanos(1));
        find();
        var kept = questions.asked;
        pass(Duration.ofNanos(1));
        find();

        assertThat(whileLookingUp).isZero();
        assertThat(answers).hasSize(4).containsOnly("[127.0.0.1]");
        assertThat(kept).isEqualTo(1);
        assertThat(questions.asked).isEqualTo(2);
    }

    @Test
    void aNewAddressIsUsedAsSoonAsItIsKnown() {
        find();
        found(Duration.ofSeconds(20), ONE);
        pass(Duration.ofSeconds(20));

        find();
        found(Duration.ofSeconds(20), TWO);
        find();

        assertThat(answers).containsExactly("[127.0.0.1]", "[127.0.0.1]", "[127.0.0.2]");
    }

    @Test
    void longAfterwardsANewAnswerIsWaitedFor() {
        find();
        found(Duration.ofSeconds(20), ONE);
        pass(Duration.ofSeconds(50));

        find();
        var before = answers.size();
        found(Duration.ofSeconds(20), TWO);

        assertThat(before).isEqualTo(1);
        assertThat(answers).last().isEqualTo("[127.0.0.2]");
    }

    @Test
    void nothingIsKeptForLessThanASecondOrForMoreThanFiveMinutes() {
        find();
        found(Duration.ZERO, ONE);
        pass(Duration.ofMillis(999));
        find();
        var withinASecond = questions.asked;
        pass(Duration.ofMillis(1));
        find();
        found(Duration.ofDays(1), ONE);
        pass(Duration.ofMinutes(5));
        find();

        assertThat(withinASecond).isEqualTo(1);
        assertThat(questions.asked).isEqualTo(3);
    }

    @Test
    void theLastKnownAddressesServeWhileNameServersFail() {
        find();
        found(Duration.ofSeconds(20), ONE);
        for (int i = 0; i < 9; i++) {
            pass(Duration.ofMinutes(1));
            find();
            notFound();
        }
        var meanwhile = List.copyOf(answers);
        pass(Duration.ofMinutes(2));
        find();
        notFound();

        assertThat(meanwhile).hasSize(10).containsOnly("[127.0.0.1]");
        assertThat(answers).last().isEqualTo("cannot resolve origin.test: SERVFAIL");
    }

    @Test
    void severalAddressesTakeTurns() {
        find();
        found(Duration.ofSeconds(20), ONE, TWO, THREE);
        find();
        find();
        find();

        assertThat(answers)
                .containsExactly(
                        "[127.0.0.1, 127.0.0.2, 127.0.0.3]",
                        "[127.0.0.2, 127.0.0.3, 127.0.0.1]",
                        "[127.0.0.3, 127.0.0.1, 127.0.0.2]",
                        "[127.0.0.1, 127.0.0.2, 127.0.0.3]");
    }

    @Test
    void anAddressThatFailedIsTheLastOneForTenSecondsOrUntilItWorks() {
        find();
        found(Duration.ofMinutes(5), ONE, TWO);
        var failed = new InetSocketAddress(TWO, 8081);

        addresses.failed(failed, ticker.nanoTime());
        find();
        pass(Duration.ofSeconds(10));
        find();
        find();
        addresses.failed(failed, ticker.nanoTime());
        addresses.worked(failed);
        find();
        find();

        assertThat(answers)
                .containsExactly(
                        "[127.0.0.1, 127.0.0.2]",
                        "[127.0.0.1, 127.0.0.2]",
                        "[127.0.0.1, 127.0.0.2]",
                        "[127.0.0.2, 127.0.0.1]",
                        "[127.0.0.1, 127.0.0.2]",
                        "[127.0.0.2, 127.0.0.1]");
    }

    @Test
    void anUnknownNameIsSaidSoAndAskedForAgain() {
        find();
        notFound();
        find();
        notFound();

        assertThat(answers).hasSize(2).containsOnly("cannot resolve origin.test: SERVFAIL");
        assertThat(questions.asked).isEqualTo(2);
    }

    @Test
    void closingClosesTheLookup() {
        addresses.close();

        assertThat(questions.isClosed).isTrue();
    }

    @Test
    void anAddressIsNotLookedUp() {
        literal("127.0.0.1").find(loop, answer);
        literal("[::1]").find(loop, answer);

        assertThat(answers).containsExactly("[127.0.0.1]", "[0:0:0:0:0:0:0:1]");
    }

    private static Addresses literal(String host) {
        return Addresses.of(host, 80, NioSocketChannel.class, NioDatagramChannel.class);
    }

    @Test
    void aLookupThatCannotBeginIsRepeated() {
        questions.isBroken = true;
        find();
        loop.runNow();
        questions.isBroken = false;
        find();
        found(Duration.ofSeconds(20), ONE);

        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst()).contains("expected no such thing");
        assertThat(answers.getLast()).isEqualTo("[127.0.0.1]");
    }
}
