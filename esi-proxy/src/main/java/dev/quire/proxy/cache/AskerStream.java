package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a response to the asker, the sink that started the fetch, with back-pressure. If
 * the response is not stored, the origin is paused until the asker has caught up. If it is being
 * stored, the origin is not paused and the asker reads from the stored bytes. Confined to the loop
 * of the fetch, which is the asker's loop.
 */
final class AskerStream implements BodyFlow {

    /** Limit per call while the asker catches up. */
    private static final int PIECE_BYTES = 64 * 1024;

    interface End {
        void left();

        /** The asker has received everything that is not stored. */
        void drained();
    }

    private final ResponseAdmission admission;
    private final Backlog backlog;
    private final Supplier<FetchState> state;
    private final End end;

    private @Nullable AnswerSink asker;
    private @Nullable BodyFlow origin;
    private long handedBytes;
    private boolean isPaused;
    private boolean isEndDue;

    /**
     * @param admission holds the bytes that are being stored
     * @param state the state of the fetch
     */
    AskerStream(
            ResponseAdmission admission,
            InFlightBudget transit,
            Supplier<FetchState> state,
            End end) {
        this.admission = admission;
        this.backlog = new Backlog(transit);
        this.state = state;
        this.end = end;
    }

    void begin(AnswerSink to, BodyFlow from, ResponseHead head) {
        asker = to;
        origin = from;
        to.arriving(admission.kind());
        to.head(head, this);
    }

    boolean hasBegun() {
        return asker != null;
    }

    /** Whether the asker has received all stored bytes. */
    boolean isLevel() {
        return handedBytes == admission.keptBytes();
    }

    /** Passes on {@code data}, which was just stored and follows the bytes already received. */
    void handOn(ByteBuf data) {
        if (!isPaused) {
            handedBytes += data.readableBytes();
            asker().data(data.retain());
        }
    }

    /** Passes on {@code data}, which is not stored, or queues it until the asker has caught up. */
    void pass(ByteBuf data) {
        if (backlog.isEmpty() && !isPaused) {
            asker().data(data.retain());
        } else {
            backlog.add(data.retain());
        }
    }

    /** Stops storing: queues the stored bytes that the asker has not received, and {@code data}. */
    void keepNoMore(ByteBuf data) {
        var kept = admission.surrender();
        if (kept != null) {
            backlog.add(kept.skipBytes((int) handedBytes));
        }
        backlog.add(data.retain());
    }

    /** The origin has sent the end of a response that is not stored. */
    void endPassing() {
        isEndDue = true;
        if (backlog.isEmpty()) {
            end.drained();
        }
    }

    /**
     * Passes on the end of {@code response}. The asker may have received only part of it.
     *
     * @param complete stores it, and releases the caller's reference
     */
    void end(StoredResponse response, Runnable complete) {
        boolean isRetained = handedBytes < response.length() && response.tryRetain();
        try {
            complete.run();
        } catch (RuntimeException | Error fault) {
            if (isRetained) {
                response.release();
            }
            asker().failed(new Failure(Side.PROXY, Kind.BUG, fault.toString()));
            throw fault;
        }
        if (isRetained) {
            asker().remainder(response, (int) handedBytes);
        } else {
            asker().end();
        }
    }

    /** Passes on queued data while the asker accepts it. */
    void drain() {
        while (!isPaused && state.get() == FetchState.FLOWING && !backlog.isEmpty()) {
            asker().data(backlog.next(PIECE_BYTES));
        }
        if (state.get() != FetchState.FLOWING || origin == null) {
            return;
        }
        if (!backlog.isEmpty()) {
            origin.pause();
        } else if (isEndDue) {
            end.drained();
        } else if (!isPaused) {
            origin.resume();
        }
    }

    void discard() {
        backlog.discard();
    }

    @Override
    public void pause() {
        isPaused = true;
        if (state.get() == FetchState.FLOWING && origin != null) {
            origin.pause();
        }
    }

    @Override
    public void resume() {
        isPaused = false;
        switch (state.get()) {
            case STORING_AND_FLOWING -> catchUp();
            case FLOWING -> drain();
            case AWAITED, OVERDUE, STORING, COMPILING, ENDED -> {}
        }
    }

    @Override
    public void cancel() {
        end.left();
    }

    private void catchUp() {
        while (!isPaused
                && state.get() == FetchState.STORING_AND_FLOWING
                && handedBytes < admission.keptBytes()) {
            var piece = admission.copy((int) handedBytes, PIECE_BYTES);
            handedBytes += piece.readableBytes();
            asker().data(piece);
        }
    }

    private AnswerSink asker() {
        if (asker == null) {
            throw new IllegalStateException("body data before the head");
        }
        return asker;
    }
}
