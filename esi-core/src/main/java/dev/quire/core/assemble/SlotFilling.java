package dev.quire.core.assemble;

import dev.quire.core.assemble.Slot.State;
import dev.quire.core.policy.CacheKey;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Fills the slots of one page with the bodies that arrive, for its {@link Assembler}. */
final class SlotFilling<B extends PartBody> {
    private final Assembler<B> assembler;
    private final FragmentSource<B> source;
    private final PageConsumer<B> consumer;
    private final Limits limits;
    private final ErrorPolicy policy;
    private final FramePlanning<B> planning;
    private final FetchQueue<B> fetches;

    SlotFilling(
            Assembler<B> assembler,
            FragmentSource<B> source,
            PageConsumer<B> consumer,
            Limits limits,
            ErrorPolicy policy,
            FramePlanning<B> planning,
            FetchQueue<B> fetches) {
        this.assembler = assembler;
        this.source = source;
        this.consumer = consumer;
        this.limits = limits;
        this.policy = policy;
        this.planning = planning;
        this.fetches = fetches;
    }

    /** Whether a page or fragment is only written after it is complete. */
    boolean isBuffered(CompiledPage compiled) {
        return compiled.mustBeWhole()
                || (policy == ErrorPolicy.FAIL && compiled.asksForFragments());
    }

    /** Fills the slot with the body of its fragment; takes over one reference. */
    void arrived(Slot<B> slot, B body) {
        consumer.joined(body);
        var full = slot.frame.charge(body.length(), limits.maxBufferedBytes());
        if (full != null) {
            if (full.kind == Frame.Kind.ATTEMPT) {
                assembler.attemptFailed(full, limits.tooLarge());
            } else {
                assembler.documentFailed(full, limits.tooLarge());
            }
            body.release();
            return;
        }
        if (slot.fragment().isPrimary() && slot.frame.document().owner == null) {
            assembler.answersLike(body.status());
        }
        var compiled = body.compiled();
        if (compiled == null) {
            if (slot.fragment().region().isPresent()) {
                body.release();
                assembler.failed(slot, FetchQueue.missing("fragment", slot));
            } else {
                plain(slot, body);
            }
        } else if (slot.part instanceof Plan.Part.Evaluated(var ignored, boolean ownFirst)) {
            if (!compiled.base().isOfSameAuthority(slot.frame.key)) {
                body.release();
                assembler.failed(slot, FetchQueue.evalOfOthers());
            } else if (ownFirst) {
                nest(slot, body, compiled, true);
            } else {
                evaluate(slot, slot.key(), body, compiled);
            }
        } else {
            nest(slot, body, compiled, slot.fragment().select().isPresent());
        }
    }

    /** Fills the slot with a body that is not a document, transformed as the include asks. */
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
        if (assembler.hasEnded() || slot.attempt != attempt || slot.state != State.PENDING) {
            if (part != null) {
                part.release();
            }
            return;
        }
        assembler.enter();
        try {
            if (part == null) {
                assembler.failed(slot, FetchQueue.missing("select", slot));
            } else {
                whole(slot, part);
            }
        } finally {
            assembler.leave();
        }
        assembler.progressed();
    }

    private void whole(Slot<B> slot, B body) {
        var escape = slot.fragment().escape();
        slot.settle(State.WHOLE, escape.isEmpty() ? body : source.escaped(body, escape.get()));
        assembler.settled(slot);
    }

    /** Fills the slot with a document in its own namespace. */
    private void nest(Slot<B> slot, B body, CompiledPage compiled, boolean isMadeAnew) {
        var fragment = slot.fragment();
        var region = fragment.region();
        var nodes = region.isPresent() ? compiled.region(region.get()) : null;
        if (region.isPresent() && nodes == null) {
            body.release();
            assembler.failed(slot, FetchQueue.missing("fragment", slot));
            return;
        }
        var nested =
                new Frame<>(
                        Frame.Kind.DOCUMENT,
                        slot.key(),
                        body,
                        slot,
                        planning.planner(
                                compiled,
                                nodes,
                                compiled.base(),
                                fragment.confidentiality(),
                                fragment.replacing().orElse(null)),
                        isMadeAnew || isBuffered(compiled),
                        isMadeAnew ? List.of() : slot.escapes());
        slot.settle(State.NESTED, nested);
        planning.begin(nested, compiled);
    }

    /** Fills the slot with a document in the namespace of the document that evaluates it. */
    private void evaluate(Slot<B> slot, CacheKey key, B body, CompiledPage compiled) {
        var enclosing = slot.frame.planner;
        if (enclosing == null) {
            throw new IllegalStateException("an eval in a page that is not evaluated");
        }
        var nested =
                new Frame<>(
                        Frame.Kind.EVALUATED,
                        key,
                        body,
                        slot,
                        Planner.ofAll(compiled, assembler.client(), enclosing.scope()),
                        false,
                        slot.frame.escapes);
        slot.settle(State.NESTED, nested);
        planning.planFurther(nested);
    }

    /** Fills {@code slot} with the content that replaces a region of the document around it. */
    void replaced(Frame<B> frame, Slot<B> slot, Plan.Part.Replaced replaced) {
        var including = frame.including();
        if (including == null) {
            throw new IllegalStateException("a replaced region without an include");
        }
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
                                assembler.client(),
                                replacing.namespace().fork(),
                                null),
                        false,
                        frame.escapes);
        slot.settle(State.NESTED, nested);
        planning.planFurther(nested);
    }

    /** Fills {@code owner} with the text of {@code frame}, which is complete. */
    void reassemble(Frame<B> frame, Slot<B> owner) {
        if (FrameText.length(frame) > limits.maxBufferedBytes()) {
            frame.drop(fetches);
            owner.settle(State.PENDING, null);
            assembler.failed(owner, limits.tooLarge());
            return;
        }
        var bytes = FrameText.take(frame);
        var key = frame.key;
        var rules = Objects.requireNonNull(frame.body.compiled()).rules();
        frame.drop(fetches);
        owner.settle(State.PENDING, null);
        if (owner.part instanceof Plan.Part.Evaluated) {
            var compiled = CompiledPage.of(bytes, key, rules);
            evaluate(owner, key, source.made(key, bytes, compiled), compiled);
        } else {
            plain(owner, source.made(key, bytes, null));
        }
    }
}
