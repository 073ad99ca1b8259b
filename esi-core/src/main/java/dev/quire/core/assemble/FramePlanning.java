package dev.quire.core.assemble;

import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.expression.Scope;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans the frames of one page, and has the {@link Assembler} open their parts in order. */
final class FramePlanning<B extends PartBody> {

    /*
     * Planning a frame stops after a part that must be decided first, an eval or a try that
     * assigns, and resumes when it has been. Frames that can be planned further are queued, so a
     * page of many such parts does not use the thread's stack.
     *
     * A page shares its thread with others, so it works in turns. When a turn is over, each frame
     * that is being planned or opened is suspended, the innermost first, and they continue in that
     * order. So parts are evaluated and opened in the same order as in a single turn.
     */

    private final Assembler<B> assembler;
    private final PageConsumer<B> consumer;
    private final PageInputs surroundings;
    private final Turn turn;
    private final ArrayDeque<Frame<B>> plannable = new ArrayDeque<>(0);

    /** The frames interrupted by the end of the turn, the innermost first; null before any is. */
    private @Nullable ArrayDeque<Frame<B>> suspended;

    private @Nullable Evaluation evaluation;

    /** The key of the document being planned. */
    private @Nullable CacheKey current;

    private int fragments;
    private boolean isPlanning;
    private boolean personal;

    FramePlanning(
            Assembler<B> assembler, PageConsumer<B> consumer, PageInputs surroundings, Turn turn) {
        this.assembler = assembler;
        this.consumer = consumer;
        this.surroundings = surroundings;
        this.turn = turn;
    }

    /**
     * Returns null if {@code compiled} has one plan for all requests.
     *
     * @param region the only nodes of it to include; null for all
     */
    @Nullable Planner planner(
            CompiledPage compiled,
            @Nullable List<EsiNode> region,
            CacheKey key,
            Value.Source confidentiality,
            Plan.@Nullable Replacing replacing) {
        // A document with a fixed plan has no regions, so nothing in it is replaced.
        if (compiled.fixed() != null && region == null) {
            return null;
        }
        var nodes = region == null ? compiled.nodes() : region;
        return new Planner(
                compiled, nodes, assembler.client(), scope(key, confidentiality), replacing);
    }

    private Scope scope(CacheKey key, Value.Source confidentiality) {
        if (evaluation == null) {
            evaluation =
                    surroundings.evaluation(
                            what -> consumer.problem(current == null ? key : current, what));
            evaluation.beginTurn(turn.steps());
        }
        var variables = surroundings.variables(key);
        return new Scope(AddressedInConfidence.of(variables, confidentiality), evaluation);
    }

    void beginTurn() {
        fragments = 0;
        if (evaluation != null) {
            evaluation.beginTurn(turn.steps());
        }
    }

    private boolean isTurnOver() {
        return hasOpenedEnough() || (evaluation != null && evaluation.isTurnOver());
    }

    /** A turn that is over opens what it has planned: its fragments should not wait. */
    private boolean hasOpenedEnough() {
        return fragments >= turn.fragments();
    }

    /** Whether it can go on in the next turn. */
    boolean isUnfinished() {
        return !plannable.isEmpty() || (suspended != null && !suspended.isEmpty());
    }

    /** Plans no further. */
    void clear() {
        plannable.clear();
        suspended = null;
    }

    /** Continues, if the turn is not over. */
    void goOn() {
        if (isPlanning) {
            return;
        }
        isPlanning = true;
        while (isUnfinished() && !assembler.hasEnded() && !isTurnOver()) {
            while (suspended != null && !suspended.isEmpty()) {
                plannable.addFirst(suspended.removeLast());
            }
            plan(plannable.removeFirst());
        }
        isPlanning = false;
    }

    /** Plans and opens {@code frame}, of a document. */
    void begin(Frame<B> frame, CompiledPage compiled) {
        var fixed = compiled.fixed();
        if (frame.planner == null && fixed != null) {
            frame.add(fixed);
            // A document that arrives between two turns comes after what was known before.
            if (isPlanning || !isUnfinished()) {
                open(frame);
                return;
            }
        }
        planFurther(frame);
    }

    void planFurther(Frame<B> frame) {
        plannable.addLast(frame);
        goOn();
    }

    private void plan(Frame<B> frame) {
        if (frame.isDropped) {
            return;
        }
        var planner = frame.planner;
        current = frame.key;
        if (planner == null || frame.opened < frame.size()) {
            open(frame);
        } else {
            add(frame, planner, planner.more());
        }
    }

    /** Adds {@code plan} to {@code frame} and opens its parts. */
    void add(Frame<B> frame, Planner planner, Plan plan) {
        if (!personal && planner.scope().hasReadClient()) {
            personal = true;
            consumer.isPersonal();
        }
        frame.add(plan);
        open(frame);
    }

    /** Opens the parts of {@code frame} that have not been opened. */
    private void open(Frame<B> frame) {
        // Opening a part may decide it at once and end a loop, and with it the planning. The frame
        // is then queued, and is found complete when it is planned further.
        boolean isAll = frame.isPlanned;
        while (frame.opened < frame.size() && !assembler.hasEnded() && !frame.isDropped) {
            if (hasOpenedEnough()) {
                suspend(frame);
                return;
            }
            int at = frame.opened++;
            if (assembler.open(frame, at)) {
                fragments++;
            }
        }
        var planner = frame.planner;
        if (frame.isDropped) {
            return;
        }
        if (planner == null) {
            assembler.oneLessPending(frame);
        } else if (isAll) {
            planned(frame, planner);
        } else if (planner.isPaused()) {
            suspend(frame);
        }
    }

    private void suspend(Frame<B> frame) {
        if (suspended == null) {
            suspended = new ArrayDeque<>();
        }
        suspended.addLast(frame);
    }

    /** Called when all parts of {@code frame} are known. */
    private void planned(Frame<B> frame, Planner planner) {
        var owner = frame.owner;
        // The assignments of an attempt only take effect if it succeeds.
        boolean isAwaited =
                frame.kind == Frame.Kind.EVALUATED
                        || (frame.kind == Frame.Kind.EXCEPT && TryRules.isAwaited(owner));
        if (isAwaited && owner != null) {
            decided(owner.frame, planner);
        }
        boolean isAmended = frame.kind == Frame.Kind.PAGE && frame.isBuffered;
        boolean hasOwnScope = frame.kind == Frame.Kind.PAGE || frame.kind == Frame.Kind.DOCUMENT;
        if (hasOwnScope && !isAmended && !planner.scope().edits().equals(ResponseEdits.NONE)) {
            planner.scope().problem("response functions are allowed only in the page itself");
        }
        assembler.oneLessPending(frame);
    }

    /** Resumes the planning of {@code frame} after a decision. */
    void decided(Frame<B> frame, Planner outcome) {
        if (frame.planner != null) {
            frame.planner.decided(outcome.scope(), outcome.isBroken());
            planFurther(frame);
        }
    }
}
