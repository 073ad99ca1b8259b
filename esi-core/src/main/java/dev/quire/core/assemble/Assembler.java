package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.Slot.State;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.expression.Scope;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.CacheKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts one page together for one request: plans it, starts its fragments side by side and drains
 * what is ready in document order. Confined to one thread; never waits.
 */
public final class Assembler<B extends PartBody> {

    /*
     * A page, each fragment that is itself an ESI document, and each piece of one that succeeds or
     * fails by itself is a Frame: its parts as far as they are planned, a Slot for each fragment
     * within the limit, and a cursor. Opening a frame starts its fragments, so a nested fragment is
     * under way as soon as its parent has arrived, wherever the cursor stands. The cursors form a
     * stack, top first; draining moves the top one until it meets what is not there yet.
     *
     * Planning a frame stops behind what must be decided first, an eval or a try that assigns, and
     * goes on when that is. Frames that can be planned further stand in a queue, so a page of many
     * such pieces costs no stack of the thread.
     *
     * A frame counts what it still misses. At zero it is complete, and its slot is there for the
     * frame around it. A held frame is not drained before: it may yet fail, and is then dropped
     * with all that is in it.
     *
     * Source and consumer may call back from inside any call. While frames are being changed further
     * up the stack, cancelling only says that it is over, draining is left to the call under way or
     * to its caller, and the consumer hears of progress once: when the outermost call returns.
     */

    private static final String EVAL_OF_OTHERS =
            "only what is of the document's own host may be evaluated";

    private final FragmentSource<B> source;
    private final PageConsumer<B> consumer;
    private final Limits limits;
    private final ErrorPolicy policy;
    private final Surroundings surroundings;
    private final ArrayDeque<Slot<B>> queued = new ArrayDeque<>();
    private final ArrayDeque<Frame<B>> plannable = new ArrayDeque<>();

    private @Nullable Frame<B> top;
    private @Nullable CacheKey client;
    private @Nullable Evaluation evaluation;
    private @Nullable CacheKey planned;
    private @Nullable Map<CacheKey, CompiledPage.Inline> inlines;

    /** What every fragment fails with from now on. */
    private @Nullable Failure late;

    /** What the page fails with. */
    private @Nullable Failure pageFailure;

    private int primaryStatus;
    private int opened;
    private int asked;
    private int inFlight;
    private int calls;
    private boolean feeding;
    private boolean planning;
    private boolean streaming;
    private boolean overrun;
    private boolean personal;
    private boolean amended;
    private boolean ended;

    public Assembler(
            FragmentSource<B> source,
            PageConsumer<B> consumer,
            Limits limits,
            ErrorPolicy policy,
            Surroundings surroundings) {
        this.source = source;
        this.consumer = consumer;
        this.limits = limits;
        this.policy = policy;
        this.surroundings = surroundings;
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
        calls++;
        try {
            client = key;
            var frame =
                    new Frame<>(
                            Frame.Kind.PAGE,
                            key,
                            page,
                            null,
                            planner(compiled, null, key, Value.Source.AUTHOR, null),
                            isHeld(compiled),
                            List.of());
            top = frame;
            open(frame, compiled);
        } finally {
            leave();
        }
    }

    /** Whether the page is written only once all of it is there. */
    public boolean holdsPage() {
        return top != null && top.isHeld;
    }

    /** Whether every fragment of every level has arrived or failed. */
    public boolean isComplete() {
        var frame = top;
        while (frame != null && frame.under != null) {
            frame = frame.under;
        }
        return frame == null || frame.isComplete();
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
     * Every fragment that is still missing fails, without its alternative, and none is asked for
     * any more: the page's own deadline has passed. The caller drains afterwards.
     */
    public void expire(Failure failure) {
        queued.clear();
        late = failure;
        calls++;
        try {
            var missing = new ArrayList<Slot<B>>();
            for (var frame = top; frame != null; frame = frame.under) {
                pending(frame, missing);
            }
            for (var slot : missing) {
                if (slot.state == State.PENDING && !slot.frame.isDropped) {
                    slot.dropAlternative();
                    giveUp(slot);
                    failed(slot, failure);
                }
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
            var failure = pageFailure;
            if (failure != null) {
                pageFailure = null;
                consumer.failed(failure);
            }
        }
    }

    private void drop() {
        var frame = top;
        top = null;
        while (frame != null) {
            drop(frame);
            frame = frame.under;
        }
    }

    // Draining

    /** One piece further; false when the next piece is not there yet. */
    private boolean step() {
        var frame = top;
        if (frame == null) {
            return false;
        }
        if (frame.isHeld && !isReady(frame)) {
            return false;
        }
        if (frame.owner == null && frame.isHeld && !amended) {
            return amend(frame);
        }
        if (frame.cursor == frame.size()) {
            if (frame.planner != null && !frame.planner.isDone()) {
                return false;
            }
            close(frame);
            return true;
        }
        var slot = frame.slotOrNull(frame.cursor);
        if (slot != null) {
            return step(frame, slot);
        }
        var part = frame.part(frame.cursor++);
        if (part instanceof Plan.Part.Bytes bytes) {
            write(frame, frame.body, bytes.span().start(), bytes.span().end());
        } else if (part instanceof Plan.Part.Text text) {
            consumer.write(escaped(text.bytes(), frame.escapes));
        }
        return true;
    }

    private boolean step(Frame<B> frame, Slot<B> slot) {
        if (slot.state == State.PENDING) {
            turn(slot);
            return slot.state != State.PENDING;
        }
        if (slot.state == State.NESTED && slot.nested().isHeld && !isReady(slot.nested())) {
            return false;
        }
        frame.cursor++;
        switch (slot.state) {
            case WHOLE -> {
                B body = slot.takeBody();
                try {
                    write(frame, body, 0, body.length());
                } finally {
                    body.release();
                }
            }
            case NESTED -> {
                var nested = slot.takeFrame();
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

    /** Whether all of a held frame is there; if not, what is missing first hears of its turn. */
    private boolean isReady(Frame<B> frame) {
        if (!frame.isComplete()) {
            turnWithin(frame);
        }
        return frame.isComplete();
    }

    private void turnWithin(Frame<B> frame) {
        for (int i = frame.cursor; i < frame.size() && !frame.isDropped; i++) {
            var slot = frame.slotOrNull(i);
            if (slot != null && slot.state == State.PENDING) {
                turn(slot);
                return;
            }
            if (slot != null && slot.state == State.NESTED && !slot.nested().isComplete()) {
                turnWithin(slot.nested());
                return;
            }
        }
    }

    /** Those in flight may all be held back until their turn, which comes after this one's. */
    private void turn(Slot<B> slot) {
        if (slot.fetching == null && queued.remove(slot)) {
            fetch(slot);
        }
        slot.turn();
    }

    private boolean amend(Frame<B> page) {
        amended = true;
        var edits = page.planner == null ? ResponseEdits.NONE : page.planner.scope().edits();
        consumer.amended(edits, primaryStatus);
        var body = edits.body();
        if (body != null) {
            consumer.write(body.getBytes(StandardCharsets.ISO_8859_1));
            ended = true;
            consumer.finished();
        }
        return body == null;
    }

    private void write(Frame<B> frame, B body, int start, int end) {
        if (frame.escapes.isEmpty()) {
            consumer.write(body, start, end);
        } else {
            consumer.write(escaped(body.copy(start, end), frame.escapes));
        }
    }

    private static byte[] escaped(byte[] bytes, List<Escape> escapes) {
        var escaped = bytes;
        for (var escape : escapes) {
            escaped = escape.applied(escaped);
        }
        return escaped;
    }

    private void close(Frame<B> frame) {
        top = frame.under;
        try {
            if (top == null) {
                ended = true;
                consumer.finished();
            }
        } finally {
            if (frame.ownsBody()) {
                frame.body.release();
            }
        }
    }

    // Planning

    private boolean isHeld(CompiledPage compiled) {
        return compiled.mustBeWhole()
                || (policy == ErrorPolicy.FAIL && compiled.asksForFragments());
    }

    /**
     * Null if {@code compiled} has one plan for all requests.
     *
     * @param region the only nodes of it that are wanted; null for all
     */
    private @Nullable Planner planner(
            CompiledPage compiled,
            @Nullable List<EsiNode> region,
            CacheKey key,
            Value.Source confidentiality,
            Plan.@Nullable Replacing replacing) {
        // What has one plan has no regions, so nothing of it is replaced.
        if (compiled.fixed() != null && region == null) {
            return null;
        }
        var nodes = region == null ? compiled.nodes() : region;
        return new Planner(compiled, nodes, client(), scope(key, confidentiality), replacing);
    }

    private Scope scope(CacheKey key, Value.Source confidentiality) {
        if (evaluation == null) {
            evaluation =
                    surroundings.evaluation(
                            what -> consumer.problem(planned == null ? key : planned, what));
        }
        var variables = surroundings.variables(key);
        return new Scope(
                confidentiality.compareTo(Value.Source.ADDRESS) <= 0
                        ? variables
                        : new AddressedInConfidence(variables, confidentiality),
                evaluation);
    }

    private void open(Frame<B> frame, CompiledPage compiled) {
        var fixed = compiled.fixed();
        if (frame.planner == null && fixed != null) {
            frame.add(fixed);
            open(frame, 0);
            lessMissing(frame);
        } else {
            planFurther(frame);
        }
    }

    private void planFurther(Frame<B> frame) {
        plannable.addLast(frame);
        if (planning) {
            return;
        }
        planning = true;
        while (!plannable.isEmpty() && !ended) {
            plan(plannable.removeFirst());
        }
        planning = false;
    }

    private void plan(Frame<B> frame) {
        var planner = frame.planner;
        if (planner == null || frame.isDropped) {
            return;
        }
        planned = frame.key;
        add(frame, planner, planner.more());
    }

    private void add(Frame<B> frame, Planner planner, Plan plan) {
        if (!personal && planner.scope().hasReadClient()) {
            personal = true;
            consumer.isPersonal();
        }
        int from = frame.size();
        frame.add(plan);
        // What is opened may be decided at once and end a loop, and so the planning: that is told
        // of
        // when the frame, which has then been queued, is planned further.
        boolean isAll = planner.isDone();
        open(frame, from);
        if (isAll && !frame.isDropped) {
            planned(frame, planner);
        }
    }

    /** All parts of {@code frame} are known. */
    private void planned(Frame<B> frame, Planner planner) {
        var owner = frame.owner;
        boolean isAwaited =
                switch (frame.kind) {
                    case EVALUATED -> true;
                    case EXCEPT -> isAwaited(owner);
                    // Its assignments count only once it has succeeded.
                    case ATTEMPT -> false;
                    case PAGE, DOCUMENT, REPLACEMENT -> false;
                };
        if (isAwaited && owner != null) {
            decided(owner.frame, planner);
        }
        boolean isAmended = frame.kind == Frame.Kind.PAGE && frame.isHeld;
        boolean hasOwnScope = frame.kind == Frame.Kind.PAGE || frame.kind == Frame.Kind.DOCUMENT;
        if (hasOwnScope && !isAmended && !planner.scope().edits().equals(ResponseEdits.NONE)) {
            planner.scope().problem("response functions work in the page itself only");
        }
        lessMissing(frame);
    }

    private static boolean isAwaited(@Nullable Slot<?> slot) {
        return slot != null
                && slot.part instanceof Plan.Part.Attempt attempt
                && attempt.isAwaited();
    }

    /** What the planning of {@code frame} has waited for is decided. */
    private void decided(Frame<B> frame, Planner outcome) {
        if (frame.planner != null) {
            frame.planner.decided(outcome.scope(), outcome.isBroken());
            planFurther(frame);
        }
    }

    private void open(Frame<B> frame, int from) {
        for (int i = from; i < frame.size() && !ended && !frame.isDropped; i++) {
            switch (frame.part(i)) {
                case Plan.Part.Bytes ignored -> {}
                case Plan.Part.Text ignored -> {}
                case Plan.Part.Fragment fragment -> open(frame, i, fragment, fragment);
                case Plan.Part.Evaluated evaluated -> {
                    if (!open(frame, i, evaluated, evaluated.fragment())) {
                        planFurther(frame);
                    }
                }
                case Plan.Part.Attempt attempt -> open(frame, i, attempt);
                case Plan.Part.Replaced replaced -> open(frame, i, replaced);
                case Plan.Part.Inline inline -> {
                    if (inlines == null) {
                        inlines = new HashMap<>();
                    }
                    inlines.put(inline.document().key(), inline.document());
                }
            }
        }
    }

    /** False if it is left out. */
    private boolean open(Frame<B> frame, int at, Plan.Part part, Plan.Part.Fragment fragment) {
        if (opened == limits.maxIncludes()) {
            leaveOut(frame, fragment);
            return false;
        }
        opened++;
        ask(place(frame, at, part, fragment), fragment.src());
        return true;
    }

    private void open(Frame<B> frame, int at, Plan.Part.Attempt attempt) {
        var slot = place(frame, at, attempt, null);
        var nested =
                new Frame<>(
                        Frame.Kind.ATTEMPT,
                        frame.key,
                        frame.body,
                        slot,
                        attempt.planner(),
                        true,
                        frame.escapes);
        slot.settle(State.NESTED, nested);
        add(nested, attempt.planner(), attempt.begun());
    }

    private void open(Frame<B> frame, int at, Plan.Part.Replaced replaced) {
        var including = frame.including();
        if (including == null) {
            throw new IllegalStateException("a region is replaced though nothing includes it");
        }
        var slot = place(frame, at, replaced, null);
        var replacing = replaced.replacing();
        var nested =
                new Frame<>(
                        Frame.Kind.REPLACEMENT,
                        including.key,
                        including.body,
                        slot,
                        new Planner(
                                replacing.of(),
                                replaced.content(),
                                client(),
                                replacing.namespace().fork(),
                                null),
                        false,
                        frame.escapes);
        slot.settle(State.NESTED, nested);
        planFurther(nested);
    }

    private Slot<B> place(
            Frame<B> frame, int at, Plan.Part part, Plan.Part.@Nullable Fragment fragment) {
        var slot = new Slot<>(frame, part, fragment);
        frame.put(at, slot);
        frame.missing++;
        return slot;
    }

    /** Beyond the limit a fragment costs nothing: the first is told of, and speaks for the rest. */
    private void leaveOut(Frame<B> frame, Plan.Part.Fragment fragment) {
        if (fragment.onError() == OnError.CONTINUE) {
            return;
        }
        boolean matters = attempt(frame) != null || fails(frame, fragment.onError());
        if (matters || !overrun) {
            overrun |= !matters;
            raise(frame, fragment.onError(), fragment.at(), usedUp());
        }
    }

    // Fetching

    private void ask(Slot<B> slot, Reference reference) {
        switch (reference) {
            case Reference.Denied denied ->
                    refused(slot, null, new Failure(Side.PROXY, Kind.DENIED, denied.why()));
            case Reference.Allowed allowed -> {
                var refusal = refusal(slot, allowed);
                if (refusal != null) {
                    refused(slot, allowed.key(), refusal);
                    return;
                }
                asked++;
                slot.key = allowed.key();
                var inline = inlines == null ? null : inlines.get(allowed.key());
                B atHand =
                        inline == null
                                ? source.stored(request(slot))
                                : source.made(inline.key(), inline.bytes(), inline.compiled());
                if (atHand != null) {
                    arrived(slot, atHand);
                } else if (late != null) {
                    refused(slot, slot.key(), late);
                } else {
                    queued.addLast(slot);
                    feed();
                }
            }
        }
    }

    /** It is not asked for. */
    private void refused(Slot<B> slot, @Nullable CacheKey key, Failure failure) {
        source.refused(key, slot.frame.key, slot.frame.depth + 1, failure);
        failed(slot, failure);
    }

    private @Nullable Failure refusal(Slot<B> slot, Reference.Allowed reference) {
        var frame = slot.frame;
        if (slot.part instanceof Plan.Part.Evaluated
                && !Planner.isOfAuthority(reference, frame.key)) {
            return new Failure(Side.PROXY, Kind.DENIED, EVAL_OF_OTHERS);
        }
        if (frame.depth >= limits.maxDepth()) {
            return new Failure(Side.ORIGIN, Kind.DEPTH, "deeper than " + limits.maxDepth());
        }
        if (asked >= limits.maxIncludes()) {
            return usedUp();
        }
        var each = frame;
        while (true) {
            if (each.isAt(reference.key())) {
                return new Failure(
                        Side.ORIGIN, Kind.LOOP, reference.key().target() + " includes itself");
            }
            if (each.owner == null) {
                return null;
            }
            each = each.owner.frame;
        }
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
            var slot = queued.removeFirst();
            if (!slot.frame.isDropped) {
                fetch(slot);
            }
        }
        feeding = false;
    }

    private void fetch(Slot<B> slot) {
        inFlight++;
        slot.isInFlight = true;
        var attempt = ++slot.attempt;
        var fetching = source.fetch(request(slot), answer -> answered(slot, attempt, answer));
        if (slot.attempt == attempt && slot.state == State.PENDING) {
            slot.fetching = fetching;
        }
    }

    private FragmentRequest request(Slot<B> slot) {
        var terms = slot.terms();
        // Nor can flow what is to be read as a document, or planning waits for.
        return new FragmentRequest(
                slot.key(),
                slot.frame.key,
                slot.frame.depth + 1,
                terms,
                slot.frame.isWithinHeld
                        || terms.dca() == Dca.ESI
                        || slot.fragment().isTransformed()
                        || !slot.frame.escapes.isEmpty());
    }

    private void answered(Slot<B> slot, int attempt, FragmentAnswer<B> answer) {
        if (ended || slot.attempt != attempt || slot.state != State.PENDING) {
            discard(answer);
            return;
        }
        calls++;
        try {
            landed(slot);
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

    private void landed(Slot<B> slot) {
        if (slot.isInFlight) {
            slot.isInFlight = false;
            inFlight--;
        }
    }

    private void take(Slot<B> slot, FragmentAnswer<B> answer) {
        switch (answer) {
            case FragmentAnswer.Whole<B> whole -> arrived(slot, whole.body());
            case FragmentAnswer.Flowing<B> flowing -> {
                consumer.joined(flowing.stream());
                slot.settle(State.FLOWING, flowing.stream());
                there(slot);
            }
            case FragmentAnswer.Failed<B> failed -> failed(slot, failed.failure());
        }
    }

    private void arrived(Slot<B> slot, B body) {
        consumer.joined(body);
        if (!charge(slot.frame, body.length())) {
            body.release();
            return;
        }
        if (slot.fragment().isPrimary() && slot.frame.document().owner == null) {
            answersLike(body.status());
        }
        var compiled = body.compiled();
        if (compiled == null) {
            if (slot.fragment().region().isPresent()) {
                body.release();
                failed(slot, missing("fragment", slot));
            } else {
                plain(slot, body);
            }
        } else if (slot.part instanceof Plan.Part.Evaluated(var ignored, boolean ownFirst)) {
            if (!compiled.base().isOfSameAuthority(slot.frame.key)) {
                body.release();
                failed(slot, new Failure(Side.PROXY, Kind.DENIED, EVAL_OF_OTHERS));
            } else if (ownFirst) {
                nest(slot, body, compiled, true);
            } else {
                evaluate(slot, slot.key(), body, compiled);
            }
        } else {
            nest(slot, body, compiled, slot.fragment().select().isPresent());
        }
    }

    /** A body that is written as it is, or as its include says. */
    private void plain(Slot<B> slot, B body) {
        var select = slot.fragment().select();
        if (select.isEmpty()) {
            whole(slot, body);
            return;
        }
        slot.settle(State.PENDING, null);
        var attempt = ++slot.attempt;
        source.select(body, select.get(), part -> selected(slot, attempt, part));
    }

    private void selected(Slot<B> slot, int attempt, @Nullable B part) {
        if (ended || slot.attempt != attempt || slot.state != State.PENDING) {
            if (part != null) {
                part.release();
            }
            return;
        }
        calls++;
        try {
            if (part == null) {
                failed(slot, missing("select", slot));
            } else {
                whole(slot, part);
            }
        } finally {
            leave();
        }
        if (calls == 0 && !ended) {
            consumer.progressed();
        }
    }

    private void whole(Slot<B> slot, B body) {
        var escape = slot.fragment().escape();
        slot.settle(State.WHOLE, escape.isEmpty() ? body : source.escaped(body, escape.get()));
        if (slot.part instanceof Plan.Part.Evaluated) {
            planFurther(slot.frame);
        }
        there(slot);
    }

    private static Failure missing(String attribute, Slot<?> slot) {
        return new Failure(
                Side.ORIGIN,
                Kind.MALFORMED,
                slot.key().url() + " has nothing that its include's " + attribute + " names");
    }

    /** A document of its own. */
    private void nest(Slot<B> slot, B body, CompiledPage compiled, boolean isMadeAnew) {
        var fragment = slot.fragment();
        var region = fragment.region();
        var nodes = region.isPresent() ? compiled.region(region.get()) : null;
        if (region.isPresent() && nodes == null) {
            body.release();
            failed(slot, missing("fragment", slot));
            return;
        }
        var escapes = slot.frame.escapes;
        if (isMadeAnew) {
            escapes = List.of();
        } else if (fragment.escape().isPresent()) {
            escapes = new ArrayList<>(escapes);
            escapes.addFirst(fragment.escape().get());
        }
        var nested =
                new Frame<>(
                        Frame.Kind.DOCUMENT,
                        slot.key(),
                        body,
                        slot,
                        planner(
                                compiled,
                                nodes,
                                compiled.base(),
                                fragment.confidentiality(),
                                fragment.replacing()),
                        isMadeAnew || isHeld(compiled),
                        escapes);
        slot.settle(State.NESTED, nested);
        open(nested, compiled);
    }

    /** A document in the namespace of the one that evaluates it. */
    private void evaluate(Slot<B> slot, CacheKey key, B body, CompiledPage compiled) {
        var around = slot.frame.planner;
        if (around == null) {
            throw new IllegalStateException("an eval in a page that is not evaluated");
        }
        var nested =
                new Frame<>(
                        Frame.Kind.EVALUATED,
                        key,
                        body,
                        slot,
                        Planner.ofAll(compiled, client(), around.scope()),
                        false,
                        slot.frame.escapes);
        slot.settle(State.NESTED, nested);
        planFurther(nested);
    }

    /** Counts {@code bytes} within what is held; false if that made it fail. */
    private boolean charge(Frame<B> frame, int bytes) {
        if (!frame.isWithinHeld) {
            return true;
        }
        var each = frame;
        while (true) {
            each.heldBytes += bytes;
            if (each.isHeld && each.heldBytes > limits.maxHeldBytes()) {
                if (each.kind == Frame.Kind.ATTEMPT) {
                    attemptFailed(each, tooLarge());
                } else {
                    documentFailed(each, tooLarge());
                }
                return false;
            }
            if (each.owner == null) {
                return true;
            }
            each = each.owner.frame;
        }
    }

    private Failure tooLarge() {
        return new Failure(
                Side.ORIGIN,
                Kind.TOO_LARGE,
                "more than " + limits.maxHeldBytes() + " bytes to be held");
    }

    // Completing

    private void there(Slot<B> slot) {
        if (!slot.isComplete && !slot.frame.isDropped) {
            slot.isComplete = true;
            lessMissing(slot.frame);
        }
    }

    /** One thing less is missing from {@code frame}; what it completes is there in turn. */
    private void lessMissing(Frame<B> frame) {
        var each = frame;
        while (true) {
            each.missing--;
            var owner = each.owner;
            if (each.missing > 0 || each.isDropped || owner == null) {
                return;
            }
            if (each.kind == Frame.Kind.ATTEMPT && each.planner != null && isAwaited(owner)) {
                decided(owner.frame, each.planner);
            }
            if (isMadeAnew(each, owner)) {
                makeAnew(each, owner);
                return;
            }
            if (owner.isComplete) {
                return;
            }
            owner.isComplete = true;
            each = owner.frame;
        }
    }

    /** Whether what {@code frame} comes to is not written, but made something else of. */
    private static boolean isMadeAnew(Frame<?> frame, Slot<?> owner) {
        return frame.kind == Frame.Kind.DOCUMENT
                && owner.fragment != null
                && (owner.part instanceof Plan.Part.Evaluated
                        || owner.fragment.select().isPresent());
    }

    private void makeAnew(Frame<B> frame, Slot<B> owner) {
        if (length(frame) > limits.maxHeldBytes()) {
            drop(frame);
            owner.settle(State.PENDING, null);
            failed(owner, tooLarge());
            return;
        }
        var chunks = new ArrayList<byte[]>();
        collect(frame, chunks);
        var bytes = joined(chunks);
        var key = frame.key;
        var rules = present(frame.body.compiled()).rules();
        drop(frame);
        owner.settle(State.PENDING, null);
        if (owner.part instanceof Plan.Part.Evaluated) {
            var compiled = CompiledPage.of(bytes, key, rules);
            evaluate(owner, key, source.made(key, bytes, compiled), compiled);
        } else {
            plain(owner, source.made(key, bytes, null));
        }
    }

    /**
     * What is written of {@code frame}, before it is escaped: a loop repeats what is there once.
     */
    private long length(Frame<B> frame) {
        long length = 0;
        for (int i = 0; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot == null) {
                length +=
                        switch (frame.part(i)) {
                            case Plan.Part.Bytes(var span) -> span.end() - span.start();
                            case Plan.Part.Text(var text) -> text.length();
                            case Plan.Part.Fragment ignored -> 0;
                            case Plan.Part.Evaluated ignored -> 0;
                            case Plan.Part.Attempt ignored -> 0;
                            case Plan.Part.Replaced ignored -> 0;
                            case Plan.Part.Inline ignored -> 0;
                        };
            } else if (slot.state == State.NESTED) {
                length += length(slot.nested());
            } else if (slot.state == State.WHOLE) {
                length += slot.body().length();
            }
        }
        return length;
    }

    private void collect(Frame<B> frame, List<byte[]> chunks) {
        for (int i = 0; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot == null) {
                if (frame.part(i) instanceof Plan.Part.Bytes bytes) {
                    var copy = frame.body.copy(bytes.span().start(), bytes.span().end());
                    chunks.add(escaped(copy, frame.escapes));
                } else if (frame.part(i) instanceof Plan.Part.Text text) {
                    chunks.add(escaped(text.bytes(), frame.escapes));
                }
                continue;
            }
            switch (slot.state) {
                case WHOLE -> {
                    B body = slot.takeBody();
                    chunks.add(escaped(body.copy(0, body.length()), frame.escapes));
                    body.release();
                }
                case NESTED -> collect(slot.nested(), chunks);
                case OMITTED -> {}
                case FLOWING, PENDING ->
                        throw new IllegalStateException("a complete frame misses something");
            }
        }
    }

    private static byte[] joined(List<byte[]> chunks) {
        int length = 0;
        for (var chunk : chunks) {
            length += chunk.length;
        }
        var bytes = new byte[length];
        int at = 0;
        for (var chunk : chunks) {
            System.arraycopy(chunk, 0, bytes, at, chunk.length);
            at += chunk.length;
        }
        return bytes;
    }

    // Failing

    private void failed(Slot<B> slot, Failure failure) {
        failed(slot, failure, failure.status());
    }

    /**
     * @param ownStatus the fragment's own; 0 if it has none, or failed for what is included in it
     */
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
            if (decides && slot.frame.document().owner == null && attempt(slot.frame) == null) {
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
            if (slot.part instanceof Plan.Part.Evaluated) {
                planFurther(slot.frame);
            }
            there(slot);
        }
    }

    private void answersLike(int status) {
        if (primaryStatus == 0 && status != 200) {
            primaryStatus = status;
        }
    }

    /** A fragment of {@code frame} is missing, and nobody has said that this is no error. */
    private void raise(Frame<B> frame, OnError onError, Position at, Failure failure) {
        var attempt = attempt(frame);
        if (attempt != null) {
            attemptFailed(attempt, failure);
            return;
        }
        if (fails(frame, onError)) {
            documentFailed(frame.document(), failure);
        } else {
            consumer.omitted(at, failure);
        }
    }

    /** Whether a missing fragment of {@code frame} is the end of its document. */
    private boolean fails(Frame<B> frame, OnError onError) {
        return (onError == OnError.FAIL || policy == ErrorPolicy.FAIL) && frame.document().isHeld;
    }

    /** The innermost attempt of its document that {@code frame} is in, or null. */
    private static <B extends PartBody> @Nullable Frame<B> attempt(Frame<B> frame) {
        var each = frame;
        while (each.kind != Frame.Kind.ATTEMPT) {
            var around = each.around();
            if (each.kind == Frame.Kind.DOCUMENT || around == null) {
                return null;
            }
            each = around;
        }
        return each;
    }

    private void attemptFailed(Frame<B> frame, Failure failure) {
        var slot = frame.owner;
        if (slot == null || !(slot.part instanceof Plan.Part.Attempt attempt)) {
            throw new IllegalStateException("an attempt outside of a try");
        }
        drop(frame);
        var except = except(attempt.node(), failure.status());
        if (except == null) {
            slot.settle(State.OMITTED, null);
            if (attempt.isAwaited()) {
                planFurther(slot.frame);
            }
            there(slot);
            return;
        }
        var nested =
                new Frame<>(
                        Frame.Kind.EXCEPT,
                        frame.key,
                        frame.body,
                        slot,
                        attempt.planner().except(except, attempt.before()),
                        false,
                        frame.escapes);
        slot.settle(State.NESTED, nested);
        planFurther(nested);
    }

    /** The first for {@code status}, else the first for any. */
    private static EsiNode.@Nullable Except except(EsiNode.Try node, int status) {
        EsiNode.Except any = null;
        for (var except : node.excepts()) {
            if (except.code().isEmpty()) {
                any = any == null ? except : any;
            } else if (status != 0 && except.code().getAsInt() == status) {
                return except;
            }
        }
        return any;
    }

    private void documentFailed(Frame<B> document, Failure failure) {
        var slot = document.owner;
        if (slot == null) {
            pageFailure = failure;
            ended = true;
            return;
        }
        drop(document);
        slot.settle(State.PENDING, null);
        failed(slot, failure, 0);
    }

    private void pending(Frame<B> frame, List<Slot<B>> into) {
        for (int i = frame.cursor; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot != null && slot.state == State.PENDING) {
                into.add(slot);
            } else if (slot != null && slot.state == State.NESTED) {
                pending(slot.nested(), into);
            }
        }
    }

    private void giveUp(Slot<B> slot) {
        landed(slot);
        slot.cancel();
    }

    private void drop(Frame<B> frame) {
        frame.isDropped = true;
        for (int i = frame.cursor; i < frame.size(); i++) {
            var slot = frame.slotOrNull(i);
            if (slot != null) {
                drop(slot);
            }
        }
        if (frame.ownsBody()) {
            frame.body.release();
        }
    }

    private void drop(Slot<B> slot) {
        switch (slot.state) {
            case PENDING -> giveUp(slot);
            case WHOLE -> slot.takeBody().release();
            case NESTED -> drop(slot.takeFrame());
            case FLOWING -> slot.takeStream().cancel();
            case OMITTED -> {}
        }
    }

    private void discard(FragmentAnswer<B> answer) {
        switch (answer) {
            case FragmentAnswer.Whole<B> whole -> whole.body().release();
            case FragmentAnswer.Flowing<B> flowing -> flowing.stream().cancel();
            case FragmentAnswer.Failed<B> ignored -> {}
        }
    }

    private CacheKey client() {
        return present(client);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the page has not been started");
        }
        return value;
    }
}
