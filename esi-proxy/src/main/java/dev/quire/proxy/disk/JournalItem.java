package dev.quire.proxy.disk;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.LogNote;
import java.util.List;

/** The content of one frame of a journal. */
sealed interface JournalItem {

    /** The first item, and only that. */
    record Begin(long seed, long factor, long newest, long floor) implements JournalItem {}

    /** The begin of an epoch. */
    record EpochItem(InvalidationState.Epoch epoch) implements JournalItem {}

    /** A part of the positions of unsafe requests. */
    record Positions(List<InvalidationState.Position> all) implements JournalItem {

        public Positions {
            all = List.copyOf(all);
        }
    }

    /** A change of what is known of the log of the fleet. */
    record Note(LogNote note) implements JournalItem {}

    /** An invalidation, with the number that it has in its sequence. */
    record Entry(long number, InvalidationEntry entry) implements JournalItem {}
}
