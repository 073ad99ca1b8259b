package dev.quire.proxy.cache;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of the fleet as this node has read it, for the journal. Thread-safe, with a lock of its
 * own, which may be taken while that of the {@link Invalidations} is held.
 */
public final class LogNotes {

    /*
     * When an epoch begins, this node may be behind the others in the former one. That is known
     * after a while, and until then the journal has the former epoch: the next process must compare
     * too. So the notes of the new one are only collected until it is settled.
     */

    // Guarded by this.
    private LogFold present = new LogFold();
    private @Nullable LogFold next;
    private LogNote.@Nullable Begun begun;
    private @Nullable Consumer<LogNote> journal;
    private boolean isPastUnknown;

    /**
     * Continues what a former process has noted.
     *
     * @param state null if its journal has no notes
     */
    synchronized void resume(@Nullable LogState state) {
        present = state == null ? new LogFold() : LogFold.of(state);
        isPastUnknown = state == null || state.epoch() == 0;
    }

    /** Returns the state for the next process; null if there is not one. */
    public synchronized @Nullable LogState state() {
        return present.isEmpty() ? null : present.state();
    }

    /** Whether a former process has left responses and it is not known which log it has read. */
    public synchronized boolean isPastUnknown() {
        return isPastUnknown;
    }

    /** Passes all further notes to {@code journal}, which does not wait. */
    public synchronized void passTo(Consumer<LogNote> journal) {
        this.journal = journal;
    }

    /** Passes no more notes. */
    synchronized void endPassing() {
        journal = null;
    }

    /** Passes no more notes to {@code former}. */
    public synchronized void endPassing(Consumer<LogNote> former) {
        if (former.equals(journal)) {
            journal = null;
        }
    }

    /** Adds a note, but not the begin of an epoch. */
    public synchronized void add(LogNote note) {
        if (next != null) {
            next.accept(note);
        }
        boolean isOfNext = next != null && note instanceof LogNote.Read read && !read.hasDropped();
        if (!isOfNext) {
            present.accept(note);
            pass(note);
        }
    }

    private void pass(LogNote note) {
        if (journal != null) {
            journal.accept(note);
        }
    }

    /**
     * An epoch begins, of which the next process learns once it is {@linkplain #settle settled}.
     *
     * @param known the numbers of own entries that are appended again; all others in the former log
     *     are forgotten
     */
    public synchronized void begin(LogNote.Begun begun, Set<Long> known) {
        var forgotten =
                present.state().own().stream()
                        .filter(each -> !each.isPending() && !known.contains(each.number()))
                        .map(each -> new LogNote.OwnId(each.number(), 0))
                        .toList();
        if (!forgotten.isEmpty()) {
            add(new LogNote.Read(0, 0, 0, List.of(), forgotten));
        }
        this.begun = begun;
        next = LogFold.of(present.state());
        next.accept(begun);
    }

    /** This node is not behind any other one, or has purged everything. */
    public synchronized void settle() {
        if (next != null && begun != null) {
            present = next;
            next = null;
            pass(begun);
            pass(present.state().read());
        }
    }

    /**
     * The number up to which any record that the next process may use was tested at least; {@link
     * Long#MAX_VALUE} without any.
     */
    public synchronized long oldest() {
        return Math.min(present.oldest(), next == null ? Long.MAX_VALUE : next.oldest());
    }

    /** This node is in no fleet. */
    public synchronized void end() {
        present = new LogFold();
        next = null;
    }
}
