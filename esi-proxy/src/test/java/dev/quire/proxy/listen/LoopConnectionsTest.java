package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopConnectionsTest {
    private static final Arrival ARRIVAL =
            new Arrival(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 40_000), Scheme.HTTP);

    /** Counts its checks. */
    private static final class FakeConnection implements LoopConnection {
        private final boolean isBroken;
        private int checks;

        FakeConnection(boolean isBroken) {
            this.isBroken = isBroken;
        }

        @Override
        public Arrival arrival() {
            return ARRIVAL;
        }

        @Override
        public void drain(GoAwayReason reason) {}

        @Override
        public void end() {}

        @Override
        public void check(long nowNanos) {
            checks++;
            if (isBroken) {
                throw new IllegalStateException("for the test");
            }
        }
    }

    @Test
    void connectionWhoseCheckFailsLeavesThoseOfOthers() {
        var channel = new EmbeddedChannel();
        channel.freezeTime();
        var connections = new LoopConnections(channel.eventLoop(), new Traffic());
        var broken = new FakeConnection(true);
        var other = new FakeConnection(false);
        connections.opened(broken);
        connections.opened(other);

        for (int i = 0; i < 3; i++) {
            channel.advanceTimeBy(500, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }

        assertThat(broken.checks).isEqualTo(3);
        assertThat(other.checks).isEqualTo(3);
        channel.finishAndReleaseAll();
    }
}
