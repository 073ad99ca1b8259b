package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What flows to the asker while it comes, at the asker's speed. The origin of what is not stored is
 * not read while the asker has not had what came. What is being stored does not wait: the asker
 * catches up from what is kept. Confined to the loop that fetches, which is the asker's.
 */
final class AskerStream implements BodyFlow {

    /** An asker who catches up is handed no more than this at a time. */
    private static final int PIECE_BYTES = 64 * 1024;

    /** The end of a stream. */
    interface End {
        /** The asker wants no more. */
        void left();

        /** The asker has had all that flows past. */
        void drained();
    }

    private final Intake intake;
    private final Backlog backlog;
    private final Supplier<Flight.State> state;
    private final End end;

    private @Nullable AnswerSink asker;
    private @Nullable BodyFlow origin;
    private long handedBytes;
    private boolean isPaused;
    private boolean isEndDue;

    /**
     * @param intake keeps what is being stored
     * @param state of the fetch
     */
    AskerStream(Intake intake, Transit transit, Supplier<Flight.State> state, End end) {
        this.intake = intake;
        this.backlog = new Backlog(transit);
        this.state = state;
        this.end = end;
    }

    /** Begins to flow from {@code from} to {@code to}. */
    void begin(AnswerSink to, BodyFlow from, ResponseHead head) {
        asker = to;
        origin = from;
        to.head(head, this);
    }

    boolean hasBegun() {
        return asker != null;
    }

    /** How much the asker has had. */
    int handedBytes() {
        return (int) handedBytes;
    }

    /** Whether the asker has had all that is kept. */
    boolean isLevel() {
        return handedBytes == intake.keptBytes();
    }

    /** Hands on {@code data}, which is kept now and follows what the asker has had. */
    void handOn(ByteBuf data) {
        if (!isPaused) {
            handedBytes += data.readableBytes();
            asker().data(data.retain());
        }
    }

    /** Hands on {@code data}, which flows past, or holds it until the asker has had the rest. */
    void pass(ByteBuf data) {
        if (backlog.isEmpty() && !isPaused) {
            asker().data(data.retain());
        } else {
            backlog.add(data.retain());
        }
    }

    /**
     * What was kept is not stored after all: the asker is to have the rest of it, and {@code data}.
     */
    void keepNoMore(ByteBuf data) {
        var kept = intake.surrender();
        if (kept != null) {
            backlog.add(kept.skipBytes((int) handedBytes));
        }
        backlog.add(data.retain());
    }

    /** All that flows past has come. */
    void endPassing() {
        isEndDue = true;
        if (backlog.isEmpty()) {
            end.drained();
        }
    }

    /** Hands over what is held, piece by piece, while the asker takes it. */
    void drain() {
        while (!isPaused && state.get() == Flight.State.FLOWING && !backlog.isEmpty()) {
            asker().data(backlog.next(PIECE_BYTES));
        }
        if (state.get() != Flight.State.FLOWING || origin == null) {
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
        if (state.get() == Flight.State.FLOWING && origin != null) {
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
                && state.get() == Flight.State.STORING_AND_FLOWING
                && handedBytes < intake.keptBytes()) {
            var piece = intake.copy((int) handedBytes, PIECE_BYTES);
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
