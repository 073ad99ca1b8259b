package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A document being assembled, or a piece of one that succeeds or fails as a unit. */
final class Frame<B extends PartBody> {

    /** The role of a frame in the page. */
    enum Kind {
        PAGE,
        /** A fragment that is an ESI document. */
        DOCUMENT,
        /** A document processed in place of its eval. */
        EVALUATED,
        /** An attempt of a try: included completely or not at all. */
        ATTEMPT,
        /** The replacement of a failed attempt. */
        EXCEPT,
        /** The replacement of a region of a fragment. */
        REPLACEMENT
    }

    final Kind kind;

    /** The key of its document. */
    final CacheKey key;

    /** The body of its document, to which its parts refer. */
    final B body;

    /** The slot it fills; null for the page. */
    final @Nullable Slot<B> owner;

    /** How many documents it is below the page. */
    final int depth;

    /** Null if all parts were known from the start. */
    final @Nullable Planner planner;

    /** Whether it is only written after it is complete. */
    final boolean isBuffered;

    /** Whether it, or an enclosing frame, is buffered. */
    final boolean isWithinBuffered;

    /** The escapes applied to all its bytes, the innermost first. */
    final List<Escape> escapes;

    private List<Plan.Part> parts = List.of();
    private @Nullable Object[] slots = {};

    /** The number of incomplete slots, plus one until planning is complete. */
    int missing = 1;

    /** The bytes buffered within it so far. */
    long bufferedBytes;

    /** How many of its parts have been opened. */
    int opened;

    /** Whether all of its parts are known. */
    boolean isPlanned;

    /** Set when it has been discarded. */
    boolean isDropped;

    /** The inline documents of its document so far, if it is the document's frame. */
    private @Nullable Map<CacheKey, CompiledPage.Inline> inlines;

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
            boolean isBuffered,
            List<Escape> escapes) {
        this.kind = kind;
        this.key = key;
        this.body = body;
        this.owner = owner;
        this.planner = planner;
        this.isBuffered = isBuffered;
        this.isWithinBuffered = isBuffered || (owner != null && owner.frame.isWithinBuffered);
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

    /** Whether its document is the one at {@code asked}, by its name or its base. */
    boolean isAt(CacheKey asked) {
        var compiled = body.compiled();
        return key.equals(asked) || (compiled != null && compiled.base().equals(asked));
    }

    /** Records that its document contains {@code inline}. */
    void contains(CompiledPage.Inline inline) {
        var document = document();
        if (document.inlines == null) {
            document.inlines = new HashMap<>();
        }
        document.inlines.put(inline.key(), inline);
    }

    /**
     * Returns the inline document {@code name} of its document or of one that includes it, or null.
     * Those of its fragments have no effect on it: their text is not its own.
     */
    CompiledPage.@Nullable Inline inline(CacheKey name) {
        for (var each = this; each != null; each = each.enclosing()) {
            var found = each.inlines == null ? null : each.inlines.get(name);
            if (found != null) {
                return found;
            }
        }
        return null;
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

    /** Adds newly planned parts. */
    void add(Plan plan) {
        if (planner == null) {
            parts = plan.parts();
            slots = new Object[parts.size()];
            isPlanned = true;
            return;
        }
        if (parts.isEmpty()) {
            parts = new ArrayList<>(plan.parts());
        } else {
            parts.addAll(plan.parts());
        }
        isPlanned = planner.isDone();
        if (parts.size() > slots.length) {
            slots = Arrays.copyOf(slots, Math.max(parts.size(), 2 * slots.length));
        }
    }

    /**
     * Counts {@code bytes} as buffered; returns the innermost frame that exceeds the limit, or
     * null.
     */
    @Nullable Frame<B> charge(int bytes, long maxBufferedBytes) {
        if (!isWithinBuffered) {
            return null;
        }
        for (var each = this; each != null; each = each.owner == null ? null : each.owner.frame) {
            each.bufferedBytes += bytes;
            if (each.isBuffered && each.bufferedBytes > maxBufferedBytes) {
                return each;
            }
        }
        return null;
    }

    /** Releases and cancels all content that has not been written. */
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

    /** A document holds a reference of its body; a piece of one does not. */
    void releaseBody() {
        if (isDocument()) {
            body.release();
        }
    }

    /** Adds every pending slot, in document order. */
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

    /** Returns the first pending slot; null if it is not planned yet, or none is pending. */
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

    /** Whether its text is not written but processed further. */
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

    /** Returns the slot at {@code part}; null for text and for omitted fragments. */
    @SuppressWarnings("unchecked") // only put() writes, and it takes a Slot
    @Nullable Slot<B> slotOrNull(int part) {
        return (Slot<B>) slots[part];
    }

    /** Returns the frame of the document that its failure affects. */
    Frame<B> document() {
        var each = this;
        while (each.kind != Kind.DOCUMENT) {
            var enclosing = each.enclosing();
            if (enclosing == null) {
                return each;
            }
            each = enclosing;
        }
        return each;
    }

    /** Returns the frame that contains its text: for a replacement, the one of its include. */
    @Nullable Frame<B> enclosing() {
        if (kind == Kind.REPLACEMENT) {
            return including();
        }
        return owner == null ? null : owner.frame;
    }

    /** Returns the frame whose include fetched its document. */
    @Nullable Frame<B> including() {
        var each = this;
        while (!each.isDocument() && each.owner != null) {
            each = each.owner.frame;
        }
        return each.owner == null ? null : each.owner.frame;
    }
}
