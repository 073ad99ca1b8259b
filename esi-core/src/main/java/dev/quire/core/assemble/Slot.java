package dev.quire.core.assemble;

import dev.quire.core.assemble.FragmentSource.Fetching;
import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The place of one fragment, or of one try, in a frame. */
final class Slot<B extends PartBody> {

    enum State {
        PENDING,
        WHOLE,
        /** Filled with a frame. */
        NESTED,
        FLOWING,
        OMITTED
    }

    final Frame<B> frame;
    final Plan.Part part;

    /** Null if no fragment is requested. */
    final Plan.Part.@Nullable Fragment fragment;

    State state = State.PENDING;
    @Nullable Fetching fetching;

    /** The number of the current fetch; earlier ones were cancelled. */
    int attempt;

    @Nullable CacheKey key;

    /** Whether its fetch counts as in flight. */
    boolean isInFlight;

    /** Whether it has been counted as complete. */
    boolean isComplete;

    private boolean alternativeTaken;
    private boolean turnTold;
    private @Nullable Object content;

    Slot(Frame<B> frame, Plan.Part part, Plan.Part.@Nullable Fragment fragment) {
        this.frame = frame;
        this.part = part;
        this.fragment = fragment;
    }

    Plan.Part.Fragment fragment() {
        return present(fragment);
    }

    CacheKey key() {
        return present(key);
    }

    void settle(State settled, @Nullable Object with) {
        state = settled;
        content = with;
    }

    /** Fills it with a piece of the enclosing document, of which nothing is planned yet. */
    Frame<B> fill(Frame.Kind kind, Planner planner) {
        boolean isBuffered = kind == Frame.Kind.ATTEMPT;
        var piece =
                new Frame<>(kind, frame.key, frame.body, this, planner, isBuffered, frame.escapes);
        settle(State.NESTED, piece);
        return piece;
    }

    /** Releases or cancels its content. */
    void drop(FetchQueue<B> fetches) {
        switch (state) {
            case PENDING -> fetches.giveUp(this);
            case WHOLE -> takeBody().release();
            case NESTED -> takeFrame().drop(fetches);
            case FLOWING -> takeStream().cancel();
            case OMITTED -> {}
        }
    }

    /** Returns the escapes of a document in it, the innermost first. */
    List<Escape> escapes() {
        var escape = fragment().escape();
        if (escape.isEmpty()) {
            return frame.escapes;
        }
        var escapes = new ArrayList<>(frame.escapes);
        escapes.addFirst(escape.get());
        return escapes;
    }

    void cancel() {
        var cancelled = fetching;
        fetching = null;
        attempt++;
        if (cancelled != null) {
            cancelled.cancel();
        }
    }

    /** A loop, since a fetch may fail at once on its turn and be replaced by the alternative. */
    void onTurn() {
        while (!turnTold && fetching != null) {
            turnTold = true;
            fetching.onTurn();
        }
    }

    @Nullable Reference takeAlternative() {
        if (alternativeTaken || fragment == null) {
            return null;
        }
        alternativeTaken = true;
        turnTold = false;
        attempt++;
        return fragment.alternative().orElse(null);
    }

    /** Returns the terms of the current address. */
    FragmentTerms terms() {
        return alternativeTaken ? fragment().alternativeTerms() : fragment().terms();
    }

    void dropAlternative() {
        alternativeTaken = true;
    }

    @SuppressWarnings("unchecked") // state WHOLE is settled with a B
    B takeBody() {
        return (B) take();
    }

    @SuppressWarnings("unchecked") // state WHOLE is settled with a B
    B body() {
        return (B) present(content);
    }

    FragmentStream takeStream() {
        return (FragmentStream) take();
    }

    @SuppressWarnings("unchecked") // state NESTED is settled with a Frame
    Frame<B> takeFrame() {
        return (Frame<B>) take();
    }

    @SuppressWarnings("unchecked") // state NESTED is settled with a Frame
    Frame<B> nested() {
        return (Frame<B>) present(content);
    }

    private Object take() {
        Object taken = present(content);
        content = null;
        state = State.OMITTED;
        return taken;
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("expected a fragment, found none");
        }
        return value;
    }
}
