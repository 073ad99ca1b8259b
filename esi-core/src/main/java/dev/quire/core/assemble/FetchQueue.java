package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.parse.Subrequest.Dca;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one page that wait for a place in flight, and how many there were of each kind
 * that {@link Limits} counts. Confined to the thread of its {@link Assembler}.
 */
final class FetchQueue<B extends PartBody> {

    private final Limits limits;

    // Room for one: a page of hits queues nothing.
    private final ArrayDeque<Slot<B>> queued = new ArrayDeque<>(0);

    private int opened;
    private int asked;
    private int inFlight;
    private @Nullable Failure late;

    FetchQueue(Limits limits) {
        this.limits = limits;
    }

    /** Counts a place for a fragment; false if the page has all it may have. */
    boolean mayOpen() {
        if (opened == limits.maxIncludes()) {
            return false;
        }
        opened++;
        return true;
    }

    /** Counts a fragment that is asked for; the failure if it must not be. */
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

    /** What evaluating a document of another host fails with. */
    static Failure evalOfOthers() {
        return new Failure(
                Side.PROXY,
                Kind.DENIED,
                "esi:eval of a document on another host than the page");
    }

    /** What {@code slot} fails with if its fragment lacks what {@code attribute} names. */
    static Failure missing(String attribute, Slot<?> slot) {
        return new Failure(
                Side.ORIGIN,
                Kind.MALFORMED,
                slot.key().url() + " has no part that matches the include's " + attribute);
    }

    /** What the source is asked for. */
    static FragmentRequest request(Slot<?> slot) {
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

    void add(Slot<B> slot) {
        queued.addLast(slot);
    }

    /** Takes {@code slot} out of its turn; false if it is not queued. */
    boolean remove(Slot<B> slot) {
        return queued.remove(slot);
    }

    /** Takes the next one that can be started; null if there is none, or no room in flight. */
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

    /** Nothing is fetched any more: every fragment fails with {@code failure} from now on. */
    void close(Failure failure) {
        queued.clear();
        late = failure;
    }

    /** What every fragment fails with that is not at hand; null while there is time. */
    @Nullable Failure late() {
        return late;
    }

    /** The fetch of {@code slot} takes a place in flight. */
    void started(Slot<B> slot) {
        inFlight++;
        slot.isInFlight = true;
    }

    /** The fetch of {@code slot}, if there is one, is over. */
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
