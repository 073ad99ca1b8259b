package dev.quire.proxy.cache;

import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.cache.LogState.Place;
import java.util.List;

/** A change of the {@link LogState}. */
public sealed interface LogNote {

    /**
     * An epoch has begun: no entry has a place in it yet, and no own entry is in its log.
     *
     * @param applied the node has not read any entry after this one
     */
    record Begun(long epoch, long floor, long applied) implements LogNote {}

    /**
     * Entries were read from the log.
     *
     * @param applied the last one of them
     * @param places of those with an effect, ascending
     * @param own those of this node among them
     */
    record Read(long epoch, long floor, long applied, List<Place> places, List<OwnId> own)
            implements LogNote {

        public Read {
            places = List.copyOf(places);
            own = List.copyOf(own);
        }

        boolean hasDropped() {
            return own.stream().anyMatch(each -> each.id() == 0);
        }
    }

    /** An own entry was made, or is in the log. */
    record Made(Own own) implements LogNote {}

    /**
     * The place of an own entry.
     *
     * @param number of the entry
     * @param id 0 if it was dropped, whatever the epoch is
     */
    record OwnId(long number, long id) {}
}
