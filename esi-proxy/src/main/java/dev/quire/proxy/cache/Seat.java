package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Freshness;
import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A place in a fetch: stands between the flight and the sink, on the sink's loop, and lets nothing
 * through once the sink has left.
 */
public final class Seat implements AnswerSink {
    private final Flight flight;
    private final AnswerSink taker;
    private final LongAdder waiting;
    private boolean isWaiting = true;
    private boolean hasLeft;
    private boolean isCollapsed;

    Seat(Flight flight, AnswerSink taker, LongAdder waiting) {
        this.flight = flight;
        this.taker = taker;
        this.waiting = waiting;
        waiting.increment();
    }

    /** Waits no more: the sink is not called again. */
    public void leave() {
        if (hasLeft) {
            return;
        }
        hasLeft = true;
        answered();
        call(flight.loop(), () -> flight.leave(this));
    }

    /** Whether it has joined a fetch that another request had caused. */
    public boolean isCollapsed() {
        return isCollapsed;
    }

    /**
     * The status of the origin's answer that it was given, or that one stood in for; 0 for none.
     */
    public int originStatus() {
        return flight.originStatus();
    }

    /** Whether what flows to it is being stored as well. */
    public boolean isBeingStored() {
        return flight.isBeingStored();
    }

    /** How long what flows to it will be kept; empty if it is not being stored. */
    public Optional<Freshness> freshness() {
        return flight.isBeingStored() ? flight.freshness() : Optional.empty();
    }

    /** Joins a flight that is already under way. */
    void enter() {
        isCollapsed = true;
        boolean isAsked =
                call(
                        flight.loop(),
                        () -> {
                            if (!flight.add(this)) {
                                call(loop(), this::again);
                            }
                        });
        if (!isAsked) {
            failed(new Failure(Side.PROXY, Kind.CANCELLED, "the proxy is shutting down"));
        }
    }

    @Override
    public EventLoop loop() {
        return taker.loop();
    }

    @Override
    public RequestHead request() {
        return taker.request();
    }

    @Override
    public boolean wantsWhole() {
        return taker.wantsWhole();
    }

    @Override
    public void stored(StoredResponse response) {
        if (hasLeft) {
            response.release();
        } else {
            end(() -> taker.stored(response));
        }
    }

    @Override
    public void rest(StoredResponse response, int from) {
        if (hasLeft) {
            response.release();
        } else {
            end(() -> taker.rest(response, from));
        }
    }

    @Override
    public void alone() {
        if (!hasLeft) {
            end(taker::alone);
        }
    }

    @Override
    public void again() {
        if (!hasLeft) {
            end(taker::again);
        }
    }

    @Override
    public void interim(ResponseHead head) {
        if (!hasLeft) {
            guarded(() -> taker.interim(head));
        }
    }

    @Override
    public void stamped() {
        if (!hasLeft) {
            guarded(taker::stamped);
        }
    }

    @Override
    public void head(ResponseHead head, BodyFlow flow) {
        answered();
        if (!hasLeft) {
            guarded(() -> taker.head(head, flow));
        }
    }

    @Override
    public void data(ByteBuf data) {
        if (hasLeft) {
            data.release();
        } else {
            guarded(() -> taker.data(data));
        }
    }

    @Override
    public void end() {
        if (!hasLeft) {
            end(taker::end);
        }
    }

    @Override
    public void failed(Failure failure) {
        if (!hasLeft) {
            end(() -> taker.failed(failure));
        }
    }

    @Override
    public void failed(RuntimeException bug) {
        taker.failed(bug);
    }

    /** Many wait for one fetch: a bug in one of them is his alone. */
    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException bug) {
            taker.failed(bug);
        }
    }

    private void end(Runnable last) {
        hasLeft = true;
        answered();
        guarded(last);
    }

    private void answered() {
        if (isWaiting) {
            isWaiting = false;
            waiting.decrement();
        }
    }

    /** False if {@code loop} has ended, and with it whatever lived there. */
    static boolean call(EventLoop loop, Runnable what) {
        if (loop.inEventLoop()) {
            what.run();
            return true;
        }
        try {
            loop.execute(what);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }
}
