package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.metrics.OriginMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;

/**
 * Counts one answer of an origin on its way to {@code sink}. One that was not asked for is not
 * counted, nor one that is given up before its head has come: the origin did nothing wrong. One
 * that is given up later is, or an error in whose place something stored stands would not show.
 */
final class CountedAnswer implements ResponseSink {
    private final ResponseSink sink;
    private final OriginMetrics metrics;
    private final Ticker ticker;
    private final long startedNanos;
    private int status;
    private boolean isCounted;

    CountedAnswer(ResponseSink sink, OriginMetrics metrics, Ticker ticker) {
        this.sink = sink;
        this.metrics = metrics;
        this.ticker = ticker;
        this.startedNanos = ticker.nanoTime();
    }

    @Override
    public void asked(Stamp stamp) {
        sink.asked(stamp);
    }

    @Override
    public void interim(ResponseHead head) {
        sink.interim(head);
    }

    @Override
    public void head(ResponseHead head, BodyFlow flow) {
        status = head.status();
        sink.head(head, new Tap(flow));
    }

    @Override
    public void data(ByteBuf data) {
        sink.data(data);
    }

    @Override
    public void end() {
        answered();
        sink.end();
    }

    @Override
    public void failed(Failure failure) {
        boolean isAsked = failure.kind() != Failure.Kind.CIRCUIT_OPEN;
        if (!isCounted && isAsked && failure.side() != Failure.Side.CLIENT) {
            isCounted = true;
            metrics.failed(took());
        }
        sink.failed(failure);
    }

    private void answered() {
        if (!isCounted) {
            isCounted = true;
            metrics.answered(status, took());
        }
    }

    private Duration took() {
        return Duration.ofNanos(ticker.nanoTime() - startedNanos);
    }

    /** The tap of the body; closing it ends the answer. */
    private final class Tap implements BodyFlow {
        private final BodyFlow flow;

        Tap(BodyFlow flow) {
            this.flow = flow;
        }

        @Override
        public void pause() {
            flow.pause();
        }

        @Override
        public void resume() {
            flow.resume();
        }

        @Override
        public void cancel() {
            answered();
            flow.cancel();
        }
    }
}
