package dev.quire.core.assemble;

import dev.quire.core.assemble.FragmentSource.Fetching;
import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The place of one fragment, or of one try, in a frame. */
final class Slot<B extends PartBody> {

    /** How far the place has come to be filled. */
    enum State {
        PENDING,
        WHOLE,
        /** A frame stands here. */
        NESTED,
        FLOWING,
        OMITTED
    }

    final Frame<B> frame;
    final Plan.Part part;

    /** Null where no fragment is asked for. */
    final Plan.Part.@Nullable Fragment fragment;

    State state = State.PENDING;
    @Nullable Fetching fetching;

    /** Which of its fetches counts: those before it have been given up. */
    int attempt;

    @Nullable CacheKey key;

    /** Whether its fetch takes one of the places in flight. */
    boolean isInFlight;

    /** Whether it has been counted as there. */
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

    /** Fills it with a piece of the document around it; nothing of that is planned yet. */
    Frame<B> fill(Frame.Kind kind, Planner planner) {
        boolean isHeld = kind == Frame.Kind.ATTEMPT;
        var piece = new Frame<>(kind, frame.key, frame.body, this, planner, isHeld, frame.escapes);
        settle(State.NESTED, piece);
        return piece;
    }

    /** Releases or cancels what has come of it. */
    void drop(FetchQueue<B> fetches) {
        switch (state) {
            case PENDING -> fetches.giveUp(this);
            case WHOLE -> takeBody().release();
            case NESTED -> takeFrame().drop(fetches);
            case FLOWING -> takeStream().cancel();
            case OMITTED -> {}
        }
    }

    /** What the bytes of a document in it are written as, the innermost first. */
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

    /** A loop: told of its turn, a fetch may fail at once and leave it to the alternative. */
    void turn() {
        while (!turnTold && fetching != null) {
            turnTold = true;
            fetching.turn();
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

    /** What is asked for besides the address. */
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
