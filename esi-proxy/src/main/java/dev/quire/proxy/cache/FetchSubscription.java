package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.FetchReport;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The place of a sink in a fetch. Passes calls from the fetch to the sink on the sink's loop, until
 * the sink has left.
 */
public final class FetchSubscription implements AnswerSink, FetchReport {
    private final CoalescedFetch fetch;
    private final AnswerSink taker;
    private final LongAdder waiting;

    // Read once, on the loop of the sink: the fetch reads them on its own.
    private final SentRequest request;

    private final boolean hasStandIn;
    private final boolean takesStored;

    private boolean isWaiting = true;
    private boolean hasLeft;
    private boolean isCollapsed;

    /**
     * @param request that of {@code taker}
     */
    FetchSubscription(
            CoalescedFetch fetch, AnswerSink taker, SentRequest request, LongAdder waiting) {
        this.fetch = fetch;
        this.taker = taker;
        this.waiting = waiting;
        this.request = request;
        this.hasStandIn = taker.hasStandIn();
        this.takesStored = taker.takesStored();
        waiting.increment();
    }

    /** Leaves the fetch: the sink is not called again. */
    public void leave() {
        if (hasLeft) {
            return;
        }
        hasLeft = true;
        answered();
        call(fetch.loop(), () -> fetch.leave(this));
    }

    /** Like {@link #leave}, to ask for a part instead; called by the asker. */
    public void leaveForPart() {
        hasLeft = true;
        fetch.leaveForPart(this);
    }

    /** Whether the request to the origin has the client's Range. */
    public boolean isForPart() {
        return fetch.isForPart();
    }

    /**
     * Whether the response streamed to it is collected for the store, which may still fail; called
     * by the asker.
     */
    public boolean isFeedingStore() {
        return fetch.isFeedingStore();
    }

    /** Whether the origin was asked twice, since its 304 did not apply; called by the asker. */
    public boolean isRepeated() {
        return fetch.isRepeated();
    }

    /** Whether it joined the fetch of another request. */
    public boolean isCollapsed() {
        return isCollapsed;
    }

    /**
     * The status of the origin's response, also if a stale one was used in its place; 0 if there
     * was none.
     */
    public int originStatus() {
        return fetch.server().status();
    }

    /** Whether the response streamed to it is also stored. */
    public boolean isBeingStored() {
        return fetch.isBeingStored();
    }

    /** The freshness of the response streamed to it; empty if it is not being stored. */
    public Optional<Freshness> freshness() {
        return fetch.isBeingStored() ? fetch.freshness() : Optional.empty();
    }

    @Override
    public @Nullable String server() {
        return fetch.server().url();
    }

    @Override
    public long originNanos() {
        return fetch.server().nanos();
    }

    @Override
    public @Nullable String refusal() {
        return fetch.refusal();
    }

    /** Joins a fetch. */
    void enter() {
        isCollapsed = true;
        boolean isAsked =
                call(
                        fetch.loop(),
                        () -> {
                            if (!fetch.add(this)) {
                                call(loop(), this::retryLookup);
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
    public SentRequest request() {
        return request;
    }

    @Override
    public boolean wantsWhole() {
        return taker.wantsWhole();
    }

    @Override
    public boolean hasStandIn() {
        return hasStandIn;
    }

    @Override
    public boolean takesStored() {
        return takesStored;
    }

    @Override
    public boolean isServedStale() {
        if (hasLeft) {
            return false;
        }
        // A sink that ends within this call must not end the fetch as a client that leaves does.
        hasLeft = true;
        guarded(() -> hasLeft = taker.isServedStale());
        if (hasLeft) {
            answered();
            call(fetch.loop(), () -> fetch.goOnWithout(this));
        }
        return hasLeft;
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
    public void remainder(StoredResponse response, int from) {
        if (hasLeft) {
            response.release();
        } else {
            end(() -> taker.remainder(response, from));
        }
    }

    @Override
    public void fetchSeparately() {
        if (!hasLeft) {
            end(taker::fetchSeparately);
        }
    }

    @Override
    public void retryLookup() {
        if (!hasLeft) {
            end(taker::retryLookup);
        }
    }

    @Override
    public void interim(ResponseHead head) {
        if (!hasLeft) {
            guarded(() -> taker.interim(head));
        }
    }

    @Override
    public void switched(ResponseHead head, TunnelEnd origin) {
        if (hasLeft) {
            origin.close();
        } else {
            end(() -> taker.switched(head, origin));
        }
    }

    @Override
    public void arriving(DocumentKind kind) {
        if (!hasLeft) {
            guarded(() -> taker.arriving(kind));
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
    public void trailers(Fields fields) {
        if (!hasLeft) {
            guarded(() -> taker.trailers(fields));
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
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        throw new IllegalStateException("a search ends before a fetch begins");
    }

    @Override
    public void failed(Throwable bug) {
        taker.failed(bug);
    }

    /** A bug in one waiting request must not affect the others. */
    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error bug) {
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

    /** Returns false if {@code loop} has terminated, along with everything confined to it. */
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
