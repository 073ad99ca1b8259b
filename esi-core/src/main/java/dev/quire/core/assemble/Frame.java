package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A document being assembled, or a piece of one that succeeds or fails by itself. */
final class Frame<B extends PartBody> {

    /** What a frame is of the page. */
    enum Kind {
        /** The page itself. */
        PAGE,
        /** A fragment that is an ESI document. */
        DOCUMENT,
        /** A document processed as if it stood where its eval stands. */
        EVALUATED,
        /** What is attempted: all of it or nothing. */
        ATTEMPT,
        /** What stands in for a failed attempt. */
        EXCEPT,
        /** What stands in for a region of a fragment. */
        REPLACEMENT
    }

    final Kind kind;

    /** Of the document it belongs to. */
    final CacheKey key;

    /** That document, whose bytes its parts name. */
    final B body;

    /** The place it fills; null for the page. */
    final @Nullable Slot<B> owner;

    /** How many documents it is below the page. */
    final int depth;

    /** Null if all parts were known from the start. */
    final @Nullable Planner planner;

    /** Whether nothing of it is written before all of it is there. */
    final boolean isHeld;

    /** Whether it, or something around it, is held. */
    final boolean isWithinHeld;

    /** What all its bytes are written as, the innermost first. */
    final List<Escape> escapes;

    private List<Plan.Part> parts = List.of();
    private @Nullable Object[] slots = {};

    /** What is not there yet: slots, and what is still to be planned. */
    int missing = 1;

    /** Of the bytes within it, as far as they have come. */
    long heldBytes;

    /** Nothing of it counts any more. */
    boolean isDropped;

    /** The next part to be written. */
    int cursor;

    /** The next frame of the stack, set while this one is drained. */
    @Nullable Frame<B> under;

    Frame(
            Kind kind,
            CacheKey key,
            B body,
            @Nullable Slot<B> owner,
            @Nullable Planner planner,
            boolean isHeld,
            List<Escape> escapes) {
        this.kind = kind;
        this.key = key;
        this.body = body;
        this.owner = owner;
        this.planner = planner;
        this.isHeld = isHeld;
        this.isWithinHeld = isHeld || (owner != null && owner.frame.isWithinHeld);
        this.escapes = escapes;
        this.depth = owner == null ? 0 : owner.frame.depth + (isDocument() ? 1 : 0);
    }

    /** Whether it is a document of its own, not a piece of one. */
    boolean isDocument() {
        return switch (kind) {
            case PAGE, DOCUMENT, EVALUATED -> true;
            case ATTEMPT, EXCEPT, REPLACEMENT -> false;
        };
    }

    /** Whether its document is the one at {@code asked}, by that name or by where it came from. */
    boolean isAt(CacheKey asked) {
        var compiled = body.compiled();
        return key.equals(asked) || (compiled != null && compiled.base().equals(asked));
    }

    boolean isComplete() {
        return missing == 0;
    }

    int size() {
        return parts.size();
    }

    Plan.Part part(int index) {
        return parts.get(index);
    }

    /** Adds what has been planned. */
    void add(Plan plan) {
        if (planner == null) {
            parts = plan.parts();
            slots = new Object[parts.size()];
            return;
        }
        if (parts.isEmpty()) {
            parts = new ArrayList<>(plan.parts());
        } else {
            parts.addAll(plan.parts());
        }
        if (parts.size() > slots.length) {
            slots = Arrays.copyOf(slots, Math.max(parts.size(), 2 * slots.length));
        }
    }

    /** Counts {@code bytes} that are held; the innermost frame that holds too many, or null. */
    @Nullable Frame<B> charge(int bytes, long maxHeldBytes) {
        if (!isWithinHeld) {
            return null;
        }
        for (var each = this; each != null; each = each.owner == null ? null : each.owner.frame) {
            each.heldBytes += bytes;
            if (each.isHeld && each.heldBytes > maxHeldBytes) {
                return each;
            }
        }
        return null;
    }

    /** Releases and cancels all that is in it and has not been written. */
    void drop(FetchQueue<B> fetches) {
        isDropped = true;
        for (int i = cursor; i < size(); i++) {
            var slot = slotOrNull(i);
            if (slot != null) {
                slot.drop(fetches);
            }
        }
        releaseBody();
    }

    /** A document holds a reference of its body, a piece of one does not. */
    void releaseBody() {
        if (isDocument()) {
            body.release();
        }
    }

    /** Adds every place that is still to be filled, in document order. */
    void pending(List<Slot<B>> into) {
        for (int i = cursor; i < size(); i++) {
            var slot = slotOrNull(i);
            if (slot != null && slot.state == Slot.State.PENDING) {
                into.add(slot);
            } else if (slot != null && slot.state == Slot.State.NESTED) {
                slot.nested().pending(into);
            }
        }
    }

    /** The place that is missing first; null if it is still to be planned, or none is missing. */
    @Nullable Slot<B> firstPending() {
        for (int i = cursor; i < size() && !isDropped; i++) {
            var slot = slotOrNull(i);
            if (slot != null && slot.state == Slot.State.PENDING) {
                return slot;
            }
            if (slot != null && slot.state == Slot.State.NESTED && !slot.nested().isComplete()) {
                return slot.nested().firstPending();
            }
        }
        return null;
    }

    /** Whether what it comes to is not written, but made something else of. */
    boolean isMadeAnew() {
        return kind == Kind.DOCUMENT
                && owner != null
                && owner.fragment != null
                && (owner.part instanceof Plan.Part.Evaluated
                        || owner.fragment.select().isPresent());
    }

    void put(int part, Slot<B> slot) {
        slots[part] = slot;
    }

    /** The place at {@code part}, null if it has none: text, or left out. */
    @SuppressWarnings("unchecked") // only put() writes, and it takes a Slot
    @Nullable Slot<B> slotOrNull(int part) {
        return (Slot<B>) slots[part];
    }

    /** The document it belongs to, as far as failing is concerned. */
    Frame<B> document() {
        var each = this;
        while (each.kind != Kind.DOCUMENT) {
            var around = each.around();
            if (around == null) {
                return each;
            }
            each = around;
        }
        return each;
    }

    /** The frame its text was written in: of a replacement, that of the include it came with. */
    @Nullable Frame<B> around() {
        if (kind == Kind.REPLACEMENT) {
            return including();
        }
        return owner == null ? null : owner.frame;
    }

    /** The frame whose include brought the document it belongs to. */
    @Nullable Frame<B> including() {
        var each = this;
        while (!each.isDocument() && each.owner != null) {
            each = each.owner.frame;
        }
        return each.owner == null ? null : each.owner.frame;
    }
}
