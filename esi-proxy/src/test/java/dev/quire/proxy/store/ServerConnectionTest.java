package dev.quire.proxy.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Reason;
import io.netty.channel.EventLoop;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection that is made again. */
class ServerConnectionTest {
    private final MockTicker ticker = Ticker.newMockTicker();
    private final ManualIoEventLoop loop =
            new ManualIoEventLoop(
                    null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    private final List<String> heard = new ArrayList<>();
    private boolean isListenerBroken;

    private static final class Broken extends ServerConnection {
        private int opened;

        Broken(EventLoop loop, Listener listener) {
            super(loop, OpenRecords.TERMS, listener);
        }

        @Override
        public boolean isConnected() {
            return false;
        }

        @Override
        protected void open() {
            opened++;
            throw new OutOfMemoryError("expected no more memory");
        }

        @Override
        protected void reset() {}
    }

    private static final class Usable extends ServerConnection {

        Usable(EventLoop loop, Listener listener) {
            super(loop, OpenRecords.TERMS, listener);
        }

        @Override
        public boolean isConnected() {
            return false;
        }

        @Override
        protected void open() {
            opened();
        }

        @Override
        protected void reset() {
            lost(true, "reset");
        }
    }

    private final ServerConnection.Listener listener =
            new ServerConnection.Listener() {
                @Override
                public void connected() {
                    if (isListenerBroken) {
                        throw new IllegalStateException("expected no such thing");
                    }
                }

                @Override
                public void disconnected(boolean wasConnected, String why) {
                    heard.add(why);
                    if (isListenerBroken) {
                        throw new IllegalStateException("expected no such thing");
                    }
                }

                @Override
                public void answered() {}

                @Override
                public void failed(Reason reason, String detail) {}
            };

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatCannotBeginIsMadeLater(boolean isReportBroken) {
        isListenerBroken = isReportBroken;
        var connection = new Broken(loop, listener);
        loop.execute(connection::connect);
        loop.runNow();
        ticker.advance(1, TimeUnit.SECONDS);
        loop.runNow();

        assertThat(heard).containsExactly("expected no more memory", "expected no more memory");
        assertThat(connection.opened).isEqualTo(2);
    }

    @Test
    void oneThatCannotBeUsedIsMadeAgain() {
        isListenerBroken = true;
        var connection = new Usable(loop, listener);
        loop.execute(connection::connect);
        loop.runNow();
        ticker.advance(1, TimeUnit.SECONDS);
        loop.runNow();

        assertThat(heard).containsExactly("reset", "reset");
    }
}
