package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names are looked up away from the loop, and what is found is kept for a while. */
@Timeout(20)
class NamedAddressesTest {
    private static final InetAddress ONE = address(1);
    private static final InetAddress TWO = address(2);

    private final MockTicker ticker = Ticker.newMockTicker();
    private final ManualIoEventLoop loop =
            new ManualIoEventLoop(
                    null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    private final AtomicInteger lookups = new AtomicInteger();
    private final List<String> answers = new ArrayList<>();

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

    /** Turns the loop until there are {@code count} answers. */
    private void await(int count) {
        while (answers.size() < count) {
            loop.run(TimeUnit.SECONDS.toNanos(10));
        }
    }

    @Test
    void aNameIsLookedUpOnceForAllWhoAskAndKeptForHalfAMinute() {
        var release = new CountDownLatch(1);
        var addresses =
                new NamedAddresses(
                        "origin.test",
                        8081,
                        host -> {
                            lookups.incrementAndGet();
                            awaitUninterruptibly(release);
                            return new InetAddress[] {ONE, TWO};
                        });

        addresses.find(loop, answer);
        addresses.find(loop, answer);
        var whileLookingUp = answers.size();
        release.countDown();
        await(2);
        ticker.advance(29, TimeUnit.SECONDS);
        addresses.find(loop, answer);
        var kept = lookups.get();
        ticker.advance(1, TimeUnit.SECONDS);
        addresses.find(loop, answer);
        await(4);

        assertThat(whileLookingUp).isZero();
        assertThat(answers).containsOnly("[127.0.0.1, 127.0.0.2]");
        assertThat(kept).isEqualTo(1);
        assertThat(lookups).hasValue(2);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theAddressThatWorkedIsTriedFirst() {
        var addresses =
                new NamedAddresses("origin.test", 8081, host -> new InetAddress[] {ONE, TWO});
        addresses.find(loop, answer);
        await(1);

        addresses.worked(new InetSocketAddress(TWO, 8081));
        addresses.find(loop, answer);

        assertThat(answers).last().isEqualTo("[127.0.0.2, 127.0.0.1]");
    }

    @Test
    void anUnknownNameIsSaidSoAndAskedForAgain() {
        var addresses =
                new NamedAddresses(
                        "origin.test",
                        8081,
                        host -> {
                            lookups.incrementAndGet();
                            throw new UnknownHostException(host);
                        });

        addresses.find(loop, answer);
        await(1);
        addresses.find(loop, answer);
        await(2);

        assertThat(answers).containsOnly("cannot resolve origin.test");
        assertThat(lookups).hasValue(2);
    }

    @Test
    void anAddressIsNotLookedUp() {
        Addresses.of("127.0.0.1", 80).find(loop, answer);
        Addresses.of("[::1]", 80).find(loop, answer);

        assertThat(answers).containsExactly("[127.0.0.1]", "[0:0:0:0:0:0:0:1]");
    }
}
