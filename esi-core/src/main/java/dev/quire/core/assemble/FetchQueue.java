package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.parse.Subrequest.Dca;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one page that wait to be fetched, and the counters for {@link Limits}. Confined
 * to the thread of its {@link Assembler}.
 */
final class FetchQueue<B extends PartBody> {

    private final Limits limits;

    // Minimal capacity: a page of hits queues nothing.
    private final ArrayDeque<Slot<B>> queued = new ArrayDeque<>(0);

    private int opened;
    private int asked;
    private int inFlight;
    private @Nullable Failure late;

    FetchQueue(Limits limits) {
        this.limits = limits;
    }

    /** Counts a slot for a fragment; false if the page has reached its limit. */
    boolean mayOpen() {
        if (opened == limits.maxIncludes()) {
            return false;
        }
        opened++;
        return true;
    }

    /** Counts a fragment to be requested; returns the failure if it is not allowed. */
    @Nullable Failure refusal(Slot<B> slot, Reference.Allowed reference) {
        var frame = slot.frame;
        if (slot.part instanceof Plan.Part.Evaluated
                && !Planner.isOfAuthority(reference, frame.key)) {
            return evalOfOthers();
        }
        if (frame.depth >= limits.maxDepth()) {
            return new Failure(Side.ORIGIN, Kind.DEPTH, "nested deeper than " + limits.maxDepth());
        }
        if (asked >= limits.maxIncludes()) {
            return limits.tooManyIncludes();
        }
        for (var each = frame; each != null; each = each.owner == null ? null : each.owner.frame) {
            if (each.isAt(reference.key())) {
                return new Failure(
                        Side.ORIGIN, Kind.LOOP, reference.key().target() + " includes itself");
            }
        }
        asked++;
        return null;
    }

    /** Returns the failure of an eval of a document of another host. */
    static Failure evalOfOthers() {
        return new Failure(
                Side.PROXY, Kind.DENIED, "esi:eval of a document on another host than the page");
    }

    /** Returns the failure of {@code slot} if {@code attribute} selects no part of its fragment. */
    static Failure missing(String attribute, Slot<?> slot) {
        return new Failure(
                Side.ORIGIN,
                Kind.MALFORMED,
                slot.key().url() + " has no part that matches the include's " + attribute);
    }

    static FragmentRequest request(Slot<?> slot) {
        var terms = slot.terms();
        // A fragment that is read as a document, or that planning waits for, must not flow either.
        return new FragmentRequest(
                slot.key(),
                slot.frame.key,
                slot.frame.depth + 1,
                terms,
                slot.frame.isWithinBuffered
                        || terms.dca() == Dca.ESI
                        || slot.fragment().isTransformed()
                        || !slot.frame.escapes.isEmpty());
    }

    void add(Slot<B> slot) {
        queued.addLast(slot);
    }

    /** Removes {@code slot} from the queue; false if it is not queued. */
    boolean remove(Slot<B> slot) {
        return queued.remove(slot);
    }

    /**
     * Removes and returns the next slot to be fetched; null if the queue is empty or the in-flight
     * limit is reached.
     */
    @Nullable Slot<B> next() {
        while (inFlight < limits.maxInFlight() && !queued.isEmpty()) {
            var slot = queued.removeFirst();
            if (!slot.frame.isDropped) {
                return slot;
            }
        }
        return null;
    }

    void clear() {
        queued.clear();
    }

    /** Stops all fetching: from now on every fragment fails with {@code failure}. */
    void close(Failure failure) {
        queued.clear();
        late = failure;
    }

    /** Returns the failure of every fragment that is not stored; null before {@link #close}. */
    @Nullable Failure late() {
        return late;
    }

    void started(Slot<B> slot) {
        inFlight++;
        slot.isInFlight = true;
    }

    /** Ends the fetch of {@code slot}, if there is one. */
    void landed(Slot<B> slot) {
        if (slot.isInFlight) {
            slot.isInFlight = false;
            inFlight--;
        }
    }

    /** Cancels the fetch of {@code slot}. */
    void giveUp(Slot<B> slot) {
        landed(slot);
        slot.cancel();
    }
}
