package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentSource.Fetching;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Puts one page together for one request: starts its fragments side by side and drains what is
 * ready in document order. Confined to one thread; never waits.
 */
public final class Assembler<B extends PartBody> {

    /*
     * A page and each fragment that is itself an ESI document is a Frame: its plan, a Slot for each
     * fragment within the limit, and a cursor. Opening a frame starts its fragments, so a nested
     * fragment is under way as soon as its parent has arrived, wherever the cursor stands. The
     * cursors form a stack, top first; draining moves the top one until it meets a fragment that is
     * not there yet.
     *
     * Source and consumer may call back from inside any call. While frames are being changed further
     * up the stack, cancelling only says that it is over, draining is left to the call under way or
     * to its caller, and the consumer hears of progress once: when the outermost call returns.
     */

    private final FragmentSource<B> source;
    private final PageConsumer<B> consumer;
    private final Limits limits;
    private final ArrayDeque<Slot> queued = new ArrayDeque<>();

    private @Nullable Frame top;
    private int opened;
    private int asked;
    private int inFlight;
    private int pending;
    private int calls;
    private boolean feeding;
    private boolean streaming;
    private boolean overrun;
    private boolean ended;

    public Assembler(FragmentSource<B> source, PageConsumer<B> consumer, Limits limits) {
        this.source = source;
        this.consumer = consumer;
        this.limits = limits;
    }

    /**
     * Starts the fragments of {@code page}. Nothing is written before the first {@link #drain}.
     *
     * @param page an ESI document; the assembler takes over one reference
     */
    public void start(CacheKey key, B page) {
        var frame = new Frame(key, page, planOf(page), null);
        top = frame;
        calls++;
        try {
            open(frame);
        } finally {
            leave();
        }
    }

    /** Whether every fragment of every level has arrived or failed. */
    public boolean isComplete() {
        return pending == 0;
    }

    /** Writes what is ready, in order, while the consumer takes it. */
    public void drain() {
        if (calls > 0) {
            return;
        }
        calls++;
        try {
            while (!ended && !streaming && consumer.isWritable() && step()) {}
        } finally {
            leave();
        }
    }

    /** The flowing fragment that was being written has been written whole. */
    public void streamed() {
        streaming = false;
        drain();
    }

    /**
     * Every fragment that is still missing fails, without its alternative: the page's own deadline
     * has passed. The caller drains afterwards.
     */
    public void expire(Failure failure) {
        queued.clear();
        calls++;
        try {
            for (Frame frame = top; frame != null; frame = frame.under) {
                expire(frame, failure);
            }
        } finally {
            leave();
        }
    }

    /**
     * Drops everything: whoever asked has gone. A flowing fragment that has been handed to the
     * consumer is the consumer's to cancel.
     */
    public void cancel() {
        ended = true;
        queued.clear();
        if (calls == 0) {
            drop();
        }
    }

    /** The end of a call that changes frames. */
    private void leave() {
        calls--;
        if (calls == 0 && ended) {
            drop();
        }
    }

    private void drop() {
        Frame frame = top;
        top = null;
        while (frame != null) {
            drop(frame);
            frame = frame.under;
        }
    }

    /** One piece further; false when the next piece is not there yet. */
    private boolean step() {
        Frame frame = top;
        if (frame == null) {
            return false;
        }
        if (frame.cursor == frame.plan.parts().size()) {
            close(frame);
            return true;
        }
        return switch (frame.plan.parts().get(frame.cursor)) {
            case Plan.Part.Text text -> {
                frame.cursor++;
                consumer.write(text.text());
                yield true;
            }
            case Plan.Part.Bytes text -> {
                frame.cursor++;
                consumer.write(frame.body, text.span().start(), text.span().end());
                yield true;
            }
            case Plan.Part.Fragment ignored -> {
                var slot = frame.slotOrNull(frame.cursor);
                if (slot == null) {
                    frame.cursor++;
                    yield true;
                }
                yield step(frame, slot);
            }
        };
    }

    private boolean step(Frame frame, Slot slot) {
        if (slot.state == State.PENDING) {
            // Those in flight may all be held back until their turn, which comes after this one's.
            if (slot.fetching == null && queued.remove(slot)) {
                fetch(slot);
            }
            slot.turn();
            return slot.state != State.PENDING;
        }
        frame.cursor++;
        switch (slot.state) {
            case WHOLE -> {
                B body = slot.takeBody();
                try {
                    consumer.write(body, 0, body.length());
                } finally {
                    body.release();
                }
            }
            case DOCUMENT -> {
                Frame nested = slot.takeFrame();
                nested.under = frame;
                top = nested;
            }
            case FLOWING -> {
                streaming = true;
                consumer.write(slot.takeStream());
            }
            case OMITTED -> {}
            case PENDING -> throw new IllegalStateException("a pending fragment was passed over");
        }
        return true;
    }

    private void close(Frame frame) {
        top = frame.under;
        if (top == null) {
            ended = true;
            consumer.finished();
        }
        frame.body.release();
    }

    private void open(Frame frame) {
        var parts = frame.plan.parts();
        for (int i = 0; i < parts.size() && !ended; i++) {
            if (parts.get(i) instanceof Plan.Part.Fragment fragment) {
                if (opened == limits.maxIncludes()) {
                    leaveOut(fragment);
                    continue;
                }
                opened++;
                var slot = new Slot(frame, fragment);
                frame.put(i, slot);
                pending++;
                ask(slot, fragment.src());
            }
        }
    }

    /** Beyond the limit a fragment costs nothing: the first is told of, and speaks for the rest. */
    private void leaveOut(Plan.Part.Fragment fragment) {
        if (!overrun && fragment.onError() != OnError.CONTINUE) {
            overrun = true;
            consumer.omitted(fragment.at(), usedUp());
        }
    }

    private void ask(Slot slot, Reference reference) {
        switch (reference) {
            case Reference.Denied denied ->
                    failed(slot, new Failure(Side.PROXY, Kind.DENIED, denied.why()));
            case Reference.Allowed allowed -> {
                var refusal = refusal(slot.frame, allowed.key());
                if (refusal != null) {
                    failed(slot, refusal);
                    return;
                }
                asked++;
                slot.key = allowed.key();
                B atHand = source.stored(request(slot));
                if (atHand != null) {
                    arrived(slot, atHand);
                } else {
                    queued.addLast(slot);
                    feed();
                }
            }
        }
    }

    private @Nullable Failure refusal(Frame frame, CacheKey key) {
        if (frame.depth >= limits.maxDepth()) {
            return new Failure(Side.ORIGIN, Kind.DEPTH, "deeper than " + limits.maxDepth());
        }
        if (asked >= limits.maxIncludes()) {
            return usedUp();
        }
        for (Frame each = frame; each != null; each = each.parent) {
            if (each.key.equals(key)) {
                return new Failure(Side.ORIGIN, Kind.LOOP, key.target() + " includes itself");
            }
        }
        return null;
    }

    private Failure usedUp() {
        return new Failure(Side.ORIGIN, Kind.BUDGET, "more than " + limits.maxIncludes());
    }

    /** Starts queued fetches while there is room; a loop, since a source may answer at once. */
    private void feed() {
        if (feeding) {
            return;
        }
        feeding = true;
        while (!ended && inFlight < limits.maxInFlight() && !queued.isEmpty()) {
            fetch(queued.removeFirst());
        }
        feeding = false;
    }

    private void fetch(Slot slot) {
        inFlight++;
        var attempt = ++slot.attempt;
        var fetching = source.fetch(request(slot), answer -> answered(slot, attempt, answer));
        if (slot.attempt == attempt && slot.state == State.PENDING) {
            slot.fetching = fetching;
        }
    }

    private FragmentRequest request(Slot slot) {
        return new FragmentRequest(
                slot.key(), slot.frame.key, slot.frame.depth + 1, slot.fragment.terms(), false);
    }

    private void answered(Slot slot, int attempt, FragmentAnswer<B> answer) {
        if (ended || slot.attempt != attempt || slot.state != State.PENDING) {
            discard(answer);
            return;
        }
        calls++;
        try {
            inFlight--;
            slot.fetching = null;
            take(slot, answer);
            feed();
        } finally {
            leave();
        }
        if (calls == 0 && !ended) {
            consumer.progressed();
        }
    }

    private void take(Slot slot, FragmentAnswer<B> answer) {
        switch (answer) {
            case FragmentAnswer.Whole<B> whole -> arrived(slot, whole.body());
            case FragmentAnswer.Flowing<B> flowing -> {
                consumer.joined(flowing.stream());
                slot.settle(State.FLOWING, flowing.stream());
            }
            case FragmentAnswer.Failed<B> failed -> failed(slot, failed.failure());
        }
    }

    private void arrived(Slot slot, B body) {
        consumer.joined(body);
        var compiled = body.compiled();
        Plan plan = compiled == null ? null : compiled.fixed();
        if (plan == null) {
            slot.settle(State.WHOLE, body);
        } else {
            var frame = new Frame(slot.key(), body, plan, slot.frame);
            slot.settle(State.DOCUMENT, frame);
            open(frame);
        }
    }

    private void failed(Slot slot, Failure failure) {
        var alternative = slot.takeAlternative();
        if (alternative != null) {
            ask(slot, alternative);
            return;
        }
        slot.settle(State.OMITTED, null);
        if (slot.fragment.onError() != OnError.CONTINUE) {
            consumer.omitted(slot.fragment.at(), failure);
        }
    }

    private void discard(FragmentAnswer<B> answer) {
        switch (answer) {
            case FragmentAnswer.Whole<B> whole -> whole.body().release();
            case FragmentAnswer.Flowing<B> flowing -> flowing.stream().cancel();
            case FragmentAnswer.Failed<B> ignored -> {}
        }
    }

    private void expire(Frame frame, Failure failure) {
        for (int i = frame.cursor; i < frame.plan.parts().size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot == null) {
                continue;
            }
            if (slot.state == State.PENDING) {
                slot.settle(State.OMITTED, null);
                slot.cancel();
                if (slot.fragment.onError() != OnError.CONTINUE) {
                    consumer.omitted(slot.fragment.at(), failure);
                }
            } else if (slot.state == State.DOCUMENT) {
                expire(slot.frame(), failure);
            }
        }
    }

    private void drop(Frame frame) {
        for (int i = frame.cursor; i < frame.plan.parts().size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot != null) {
                drop(slot);
            }
        }
        frame.body.release();
    }

    private void drop(Slot slot) {
        switch (slot.state) {
            case PENDING -> slot.cancel();
            case WHOLE -> slot.takeBody().release();
            case DOCUMENT -> drop(slot.takeFrame());
            case FLOWING -> slot.takeStream().cancel();
            case OMITTED -> {}
        }
    }

    private static Plan planOf(PartBody page) {
        var compiled = page.compiled();
        if (compiled == null) {
            throw new IllegalArgumentException("not an ESI document");
        }
        return compiled.fixed();
    }

    private enum State {
        PENDING,
        WHOLE,
        DOCUMENT,
        FLOWING,
        OMITTED
    }

    /** One ESI document being assembled. */
    private final class Frame {
        final CacheKey key;
        final B body;
        final Plan plan;

        /** The document that includes this one. */
        final @Nullable Frame parent;

        final int depth;
        private final @Nullable Object[] slots;
        int cursor;

        /** The next frame of the stack, set while this one is drained. */
        @Nullable Frame under;

        Frame(CacheKey key, B body, Plan plan, @Nullable Frame parent) {
            this.key = key;
            this.body = body;
            this.plan = plan;
            this.parent = parent;
            this.depth = parent == null ? 0 : parent.depth + 1;
            this.slots = new Object[plan.parts().size()];
        }

        void put(int part, Slot slot) {
            slots[part] = slot;
        }

        /** The place of the fragment at {@code part}, null if it has none: text, or left out. */
        @SuppressWarnings("unchecked") // only put() writes, and it takes a Slot
        @Nullable Slot slotOrNull(int part) {
            return (Slot) slots[part];
        }
    }

    /** The place of one fragment. */
    private final class Slot {
        final Frame frame;
        final Plan.Part.Fragment fragment;
        State state = State.PENDING;
        @Nullable Fetching fetching;
        int attempt;
        @Nullable CacheKey key;
        private boolean alternativeTaken;
        private boolean turnTold;
        private @Nullable Object content;

        Slot(Frame frame, Plan.Part.Fragment fragment) {
            this.frame = frame;
            this.fragment = fragment;
        }

        CacheKey key() {
            return present(key);
        }

        void settle(State settled, @Nullable Object with) {
            pending--;
            state = settled;
            content = with;
        }

        void cancel() {
            var cancelled = fetching;
            fetching = null;
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
            if (alternativeTaken) {
                return null;
            }
            alternativeTaken = true;
            turnTold = false;
            attempt++;
            return fragment.alternative().orElse(null);
        }

        @SuppressWarnings("unchecked") // state WHOLE is settled with a B
        B takeBody() {
            return (B) take();
        }

        @SuppressWarnings("unchecked") // state DOCUMENT is settled with a Frame
        Frame takeFrame() {
            return (Frame) take();
        }

        FragmentStream takeStream() {
            return (FragmentStream) take();
        }

        @SuppressWarnings("unchecked") // state DOCUMENT is settled with a Frame
        Frame frame() {
            return (Frame) present(content);
        }

        private Object take() {
            Object taken = present(content);
            content = null;
            state = State.OMITTED;
            return taken;
        }

        private static <T> T present(@Nullable T value) {
            if (value == null) {
                throw new IllegalStateException("nothing where a fragment was expected");
            }
            return value;
        }
    }
}
