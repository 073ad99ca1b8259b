package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.Slot.State;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assembles one page for one request: plans it, fetches its fragments concurrently and writes
 * finished parts in document order. Confined to one thread; never blocks.
 */
public final class Assembler<B extends PartBody> {

    /*
     * A Frame is a page, a fragment that is itself an ESI document, or a piece of one that succeeds
     * or fails as a unit. It has the parts planned so far, a Slot for each fragment within the
     * limit, and a cursor. Opening a frame starts its fragments, so a nested fragment is fetched as
     * soon as its parent has arrived, independent of the cursor (PageWriter).
     *
     * A frame counts its missing parts. At zero it is complete, and so is its slot in the enclosing
     * frame. A buffered frame is not drained before: it may still fail, and is then dropped with
     * everything inside it.
     *
     * Source and consumer may call back from inside any call. While frames are being changed
     * further up the stack, cancelling only sets a flag, draining is left to the current call or
     * its caller, and the consumer is notified of progress once: when the outermost call returns.
     */

    private final FragmentSource<B> source;
    private final PageConsumer<B> consumer;
    private final Limits limits;
    private final ErrorPolicy policy;
    private final FramePlanning<B> planning;
    private final FetchQueue<B> fetches;
    private final PageWriter<B> writer;
    private final SlotFilling<B> filling;
    private final Turn turn;

    private @Nullable CacheKey client;

    /** The failure of the page, or null. */
    private @Nullable Failure pageFailure;

    private int primaryStatus;
    private int calls;
    private boolean feeding;
    private boolean isContinuing;
    private boolean overrun;
    private boolean ended;

    public Assembler(
            FragmentSource<B> source,
            PageConsumer<B> consumer,
            Limits limits,
            ErrorPolicy policy,
            PageInputs surroundings) {
        this(source, consumer, limits, policy, surroundings, Turn.STANDARD);
    }

    Assembler(
            FragmentSource<B> source,
            PageConsumer<B> consumer,
            Limits limits,
            ErrorPolicy policy,
            PageInputs surroundings,
            Turn turn) {
        this.source = source;
        this.consumer = consumer;
        this.limits = limits;
        this.policy = policy;
        this.turn = turn;
        this.fetches = new FetchQueue<>(limits);
        this.planning = new FramePlanning<>(this, consumer, surroundings, turn);
        this.writer = new PageWriter<>(this, consumer);
        this.filling = new SlotFilling<>(this, source, consumer, limits, policy, planning, fetches);
    }

    /**
     * Starts the fragments of {@code page}. Nothing is written before the first {@link #drain}.
     *
     * @param page an ESI document; the assembler takes over one reference
     */
    public void start(CacheKey key, B page) {
        var compiled = page.compiled();
        if (compiled == null) {
            throw new IllegalArgumentException("not an ESI document");
        }
        enter();
        try {
            client = key;
            var frame =
                    new Frame<>(
                            Frame.Kind.PAGE,
                            key,
                            page,
                            null,
                            planning.planner(compiled, null, key, Value.Source.AUTHOR, null),
                            filling.isBuffered(compiled),
                            List.of());
            writer.begin(frame);
            planning.begin(frame, compiled);
        } finally {
            leave();
        }
    }

    /** Whether the page is only written after it is complete. */
    public boolean holdsPage() {
        return writer.holdsPage();
    }

    /** Whether every fragment at every level has arrived or failed. */
    public boolean isComplete() {
        return writer.isComplete();
    }

    /** Writes finished parts, in order, while the consumer is writable. */
    public void drain() {
        if (calls > 0) {
            return;
        }
        enter();
        try {
            int steps = 0;
            while (!ended && !writer.isStreaming() && consumer.isWritable() && writer.step()) {
                if (++steps == turn.pieces()) {
                    if (continuesLater()) {
                        break;
                    }
                    steps = 0;
                }
            }
        } finally {
            leave();
        }
    }

    /** Called when the flowing fragment has been written completely. */
    public void streamed() {
        writer.streamed();
        drain();
    }

    /**
     * Fails every missing fragment, without its alternative, and fetches no more: the page's
     * deadline has passed. The caller drains afterwards.
     */
    public void expire(Failure failure) {
        fetches.close(failure);
        enter();
        try {
            for (var slot : writer.missing()) {
                if (slot.state == State.PENDING && !slot.frame.isDropped) {
                    slot.dropAlternative();
                    fetches.giveUp(slot);
                    failed(slot, failure);
                }
            }
        } finally {
            leave();
        }
    }

    /**
     * Drops everything: the client has gone. A flowing fragment that the consumer has received must
     * be cancelled by the consumer.
     */
    public void cancel() {
        ended = true;
        fetches.clear();
        planning.clear();
        if (calls == 0) {
            writer.drop(fetches);
        }
    }

    /** Begins a call that changes frames; the outermost is a turn. */
    void enter() {
        if (calls++ == 0) {
            planning.beginTurn();
        }
    }

    /** Ends a call that changes frames. */
    void leave() {
        while (calls == 1 && !ended && planning.isUnfinished() && !continuesLater()) {
            planning.beginTurn();
            planning.goOn();
        }
        calls--;
        if (calls == 0 && ended) {
            writer.drop(fetches);
            var failure = pageFailure;
            if (failure != null) {
                pageFailure = null;
                consumer.failed(failure);
            }
        }
    }

    /**
     * Ends the turn; false if the thread has no other work, so that the next one begins at once.
     */
    private boolean continuesLater() {
        if (!isContinuing) {
            isContinuing = consumer.later(this::continued);
        }
        return isContinuing;
    }

    private void continued() {
        isContinuing = false;
        if (ended) {
            return;
        }
        enter();
        try {
            planning.goOn();
        } finally {
            leave();
        }
        progressed();
    }

    /** Notifies the consumer after the outermost call from the source. */
    void progressed() {
        if (calls == 0 && !ended) {
            consumer.progressed();
        }
    }

    /**
     * Fetches a queued slot out of order: all fetches in flight may be waiting for their turn,
     * which is after this slot's.
     */
    void fetchOutOfOrder(Slot<B> slot) {
        if (slot.fetching == null && fetches.remove(slot)) {
            fetch(slot);
        }
        slot.onTurn();
    }

    // Planning

    /**
     * Opens the part of {@code frame} at {@code at}: starts its fragment, or plans its content.
     * Returns false for text, which costs nothing.
     */
    boolean open(Frame<B> frame, int at) {
        switch (frame.part(at)) {
            case Plan.Part.Bytes ignored -> {
                return false;
            }
            case Plan.Part.Text ignored -> {
                return false;
            }
            case Plan.Part.Fragment fragment -> open(frame, at, fragment, fragment);
            case Plan.Part.Evaluated evaluated -> {
                if (!open(frame, at, evaluated, evaluated.fragment())) {
                    planning.planFurther(frame);
                }
            }
            case Plan.Part.Attempt attempt -> open(frame, at, attempt);
            case Plan.Part.Replaced replaced ->
                    filling.replaced(frame, place(frame, at, replaced, null), replaced);
            case Plan.Part.Inline inline -> frame.contains(inline.document());
        }
        return true;
    }

    /** Returns false if it is omitted. */
    private boolean open(Frame<B> frame, int at, Plan.Part part, Plan.Part.Fragment fragment) {
        if (!fetches.mayOpen()) {
            leaveOut(frame, fragment);
            return false;
        }
        ask(place(frame, at, part, fragment), fragment.src());
        return true;
    }

    private void open(Frame<B> frame, int at, Plan.Part.Attempt attempt) {
        var slot = place(frame, at, attempt, null);
        var nested = slot.fill(Frame.Kind.ATTEMPT, attempt.planner());
        planning.add(nested, attempt.planner(), attempt.begun());
    }

    private Slot<B> place(
            Frame<B> frame, int at, Plan.Part part, Plan.Part.@Nullable Fragment fragment) {
        var slot = new Slot<>(frame, part, fragment);
        frame.put(at, slot);
        frame.missing++;
        return slot;
    }

    /** Omits a fragment beyond the limit at no cost: only the first is reported, for all. */
    private void leaveOut(Frame<B> frame, Plan.Part.Fragment fragment) {
        if (fragment.onError() == OnError.CONTINUE) {
            return;
        }
        boolean matters =
                TryRules.attempt(frame) != null
                        || TryRules.fails(frame, fragment.onError(), policy);
        if (matters || !overrun) {
            overrun |= !matters;
            raise(frame, fragment.onError(), fragment.at(), limits.tooManyIncludes());
        }
    }

    // Fetching

    private void ask(Slot<B> slot, Reference reference) {
        switch (reference) {
            case Reference.Denied denied ->
                    refused(slot, null, new Failure(Side.PROXY, Kind.DENIED, denied.why()));
            case Reference.Allowed allowed -> {
                var refusal = fetches.refusal(slot, allowed);
                if (refusal != null) {
                    refused(slot, allowed.key(), refusal);
                    return;
                }
                slot.key = allowed.key();
                var inline = slot.frame.inline(allowed.key());
                B atHand =
                        inline == null
                                ? source.stored(FetchQueue.request(slot))
                                : source.made(inline.key(), inline.bytes(), inline.compiled());
                var late = fetches.late();
                if (atHand != null) {
                    filling.arrived(slot, atHand);
                } else if (late != null) {
                    refused(slot, slot.key(), late);
                } else {
                    fetches.add(slot);
                    feed();
                }
            }
        }
    }

    /** Reports a fragment that must not be fetched. */
    private void refused(Slot<B> slot, @Nullable CacheKey key, Failure failure) {
        source.refused(key, slot.frame.key, slot.frame.depth + 1, failure);
        failed(slot, failure);
    }

    /** Starts queued fetches within the limit; a loop, since a source may answer at once. */
    private void feed() {
        if (feeding) {
            return;
        }
        feeding = true;
        for (Slot<B> next; !ended && (next = fetches.next()) != null; ) {
            fetch(next);
        }
        feeding = false;
    }

    private void fetch(Slot<B> slot) {
        fetches.started(slot);
        var attempt = ++slot.attempt;
        var fetching =
                source.fetch(FetchQueue.request(slot), answer -> answered(slot, attempt, answer));
        if (slot.attempt == attempt && slot.state == State.PENDING) {
            slot.fetching = fetching;
        }
    }

    private void answered(Slot<B> slot, int attempt, FragmentAnswer<B> answer) {
        if (ended || slot.attempt != attempt || slot.state != State.PENDING) {
            answer.discard();
            return;
        }
        enter();
        try {
            fetches.landed(slot);
            slot.fetching = null;
            take(slot, answer);
            feed();
        } finally {
            leave();
        }
        progressed();
    }

    private void take(Slot<B> slot, FragmentAnswer<B> answer) {
        switch (answer) {
            case FragmentAnswer.Whole<B> whole -> filling.arrived(slot, whole.body());
            case FragmentAnswer.Flowing<B> flowing -> {
                consumer.joined(flowing.stream());
                slot.settle(State.FLOWING, flowing.stream());
                completed(slot);
            }
            case FragmentAnswer.Failed<B> failed -> failed(slot, failed.failure());
        }
    }

    // Completing

    /** Called when {@code slot} is final; resumes planning that waited for it. */
    void settled(Slot<B> slot) {
        if (slot.part instanceof Plan.Part.Evaluated || TryRules.isAwaited(slot)) {
            planning.planFurther(slot.frame);
        }
        completed(slot);
    }

    private void completed(Slot<B> slot) {
        if (!slot.isComplete && !slot.frame.isDropped) {
            slot.isComplete = true;
            oneLessPending(slot.frame);
        }
    }

    /** Counts one part of {@code frame} as complete, and frames that this completes in turn. */
    void oneLessPending(Frame<B> frame) {
        var each = frame;
        while (true) {
            each.missing--;
            var owner = each.owner;
            if (each.missing > 0 || each.isDropped || owner == null) {
                return;
            }
            if (each.kind == Frame.Kind.ATTEMPT
                    && each.planner != null
                    && TryRules.isAwaited(owner)) {
                planning.decided(owner.frame, each.planner);
            }
            if (each.isMadeAnew()) {
                filling.reassemble(each, owner);
                return;
            }
            if (owner.isComplete) {
                return;
            }
            owner.isComplete = true;
            each = owner.frame;
        }
    }

    // Failing

    void failed(Slot<B> slot, Failure failure) {
        failed(slot, failure, failure.status());
    }

    /** {@code ownStatus} is 0 if the fragment has none, or if an include in it failed. */
    private void failed(Slot<B> slot, Failure failure, int ownStatus) {
        if (slot.frame.isDropped) {
            return;
        }
        var alternative = slot.takeAlternative();
        if (alternative != null) {
            ask(slot, alternative);
            return;
        }
        slot.settle(State.OMITTED, null);
        var fragment = slot.fragment();
        if (fragment.onError() != OnError.CONTINUE) {
            boolean decides = fragment.isPrimary() && ownStatus >= 400;
            if (decides
                    && slot.frame.document().owner == null
                    && TryRules.attempt(slot.frame) == null) {
                answersLike(ownStatus);
                consumer.omitted(fragment.at(), failure);
            } else {
                raise(
                        slot.frame,
                        fragment.isPrimary() ? OnError.FAIL : fragment.onError(),
                        fragment.at(),
                        failure);
            }
        }
        if (!slot.frame.isDropped) {
            settled(slot);
        }
    }

    void answersLike(int status) {
        if (primaryStatus == 0 && status != 200) {
            primaryStatus = status;
        }
    }

    /** Handles a missing fragment of {@code frame} without {@code onerror="continue"}. */
    private void raise(Frame<B> frame, OnError onError, Position at, Failure failure) {
        var attempt = TryRules.attempt(frame);
        if (attempt != null) {
            attemptFailed(attempt, failure);
            return;
        }
        if (TryRules.fails(frame, onError, policy)) {
            documentFailed(frame.document(), failure);
        } else {
            consumer.omitted(at, failure);
        }
    }

    void attemptFailed(Frame<B> frame, Failure failure) {
        var slot = frame.owner;
        if (slot == null || !(slot.part instanceof Plan.Part.Attempt attempt)) {
            throw new IllegalStateException("an attempt outside of a try");
        }
        frame.drop(fetches);
        var except = TryRules.except(attempt.node(), failure.status());
        if (except == null) {
            slot.settle(State.OMITTED, null);
            settled(slot);
            return;
        }
        planning.planFurther(
                slot.fill(Frame.Kind.EXCEPT, attempt.planner().except(except, attempt.before())));
    }

    void documentFailed(Frame<B> document, Failure failure) {
        var slot = document.owner;
        if (slot == null) {
            pageFailure = failure;
            ended = true;
            return;
        }
        document.drop(fetches);
        slot.settle(State.PENDING, null);
        failed(slot, failure, 0);
    }

    /** Whether the page is complete, has failed or is no longer needed. */
    boolean hasEnded() {
        return ended;
    }

    /** All has been written. */
    void finished() {
        ended = true;
        consumer.finished();
    }

    /** The status of the primary fragment, if it is not 200; or 0. */
    int primaryStatus() {
        return primaryStatus;
    }

    /** The key of the page. */
    CacheKey client() {
        if (client == null) {
            throw new IllegalStateException("the page has not been started");
        }
        return client;
    }
}
