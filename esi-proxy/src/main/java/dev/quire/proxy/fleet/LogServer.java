package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The store of the log. All calls return at once; a call fails if the store does not answer it, or
 * may never complete. Thread-safe; dependents run on any thread and must not wait.
 */
public interface LogServer extends AutoCloseable {

    /** An entry of the log. */
    final class Entry {
        private final long id;
        private final byte[] bytes;

        /**
         * @param bytes not copied
         */
        public Entry(long id, byte[] bytes) {
            this.id = id;
            this.bytes = bytes;
        }

        long id() {
            return id;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    /**
     * The fleet and the version that the log is for.
     *
     * @param schema see {@link FleetEntry#SCHEMA}
     */
    record Owner(String fleet, int schema) {}

    /**
     * A node as it is registered.
     *
     * @param node its name and its incarnation
     * @param epoch that it is in; 0 for none
     * @param applied the last entry that it has applied, without gaps
     * @param table of the nodes that it knows; null if it does not ask for them
     * @param former by name, the last known ticks of nodes of a former epoch: those that the store
     *     does not know are registered too, as silent
     */
    record Registration(
            String node,
            long epoch,
            long applied,
            @Nullable Table table,
            Map<String, Long> former) {
        public Registration {
            former = Map.copyOf(former);
        }
    }

    /** The answer to a tick. */
    sealed interface Tick {}

    /** There is no log yet, or not any more. */
    record NoEpoch() implements Tick {}

    /** The log is that of another fleet, or of another version. */
    record Other(Owner owner) implements Tick {

        String insteadOf(Owner expected) {
            return ("the namespace is that of fleet %s with schema %d"
                            + " (expected fleet %s with schema %d, or another shared.namespace)")
                    .formatted(owner.fleet(), owner.schema(), expected.fleet(), expected.schema());
        }
    }

    /**
     * The log.
     *
     * @param start the id of the first entry of the epoch
     * @param millis the clock of the store
     * @param extent the entries that it keeps
     * @param keptMillis nodes have removed entries that were older than this; 0 for none
     * @param entries the first entries from the registered one on, with that; if it was in another
     *     epoch, the last ones up to it and the next one, without their bytes
     * @param members the registered nodes, with former ones; empty if their table is that of the
     *     registration, or they were not asked for
     */
    record State(
            long epoch,
            long start,
            long millis,
            Extent extent,
            long keptMillis,
            List<Entry> entries,
            Optional<Members> members)
            implements Tick {

        /**
         * Whether the log has entries after these, and some of these are after {@code from}. The id
         * of a deleted entry may be the last one.
         */
        boolean hasMoreThan(long from) {
            return !entries.isEmpty()
                    && entries.getLast().id() > from
                    && entries.getLast().id() < extent.last();
        }

        /**
         * Entries before this time, by the clock of the store, may be removed: by this node, which
         * keeps them for {@code retention}, or by one that keeps them for less time.
         */
        long oldestMillis(Duration retention) {
            long own = retention.toMillis();
            return millis - (keptMillis == 0 ? own : Math.min(own, keptMillis));
        }

        /** Whether the entry {@code id} is the first one. */
        boolean beginsWith(long id) {
            return !entries.isEmpty() && entries.getFirst().id() == id;
        }

        /**
         * Whether the log may have its first entry: it is among the entries, later, or old enough
         * to be forgotten.
         */
        boolean mayHaveStart(long oldestMillis) {
            var next = entries.stream().filter(entry -> entry.id() >= start).findFirst();
            return extent.hasForgotten(start, oldestMillis)
                    || next.map(entry -> entry.id() == start).orElse(extent.last() >= start);
        }
    }

    /**
     * The entries that a log keeps.
     *
     * @param first the id of the first one; {@link LogId#NONE} if there are none
     * @param last the id of the newest one there ever was
     * @param length their number
     * @param added the number of all there ever were
     */
    record Extent(long first, long last, long length, long added) {

        /** Trimming is approximate, so a log of this length may have been trimmed. */
        private static final int FULL = FleetPositions.MAX_ENTRIES - 1_000;

        /**
         * Whether it is normal that the entry {@code id} is absent.
         *
         * @param oldestMillis older entries are not kept
         */
        boolean hasForgotten(long id, long oldestMillis) {
            return first > id && (LogId.millis(id) < oldestMillis || length >= FULL);
        }
    }

    /** The answer to an append. */
    sealed interface Append {}

    /** The log is in another epoch, or must begin one; nothing was appended. */
    record OtherEpoch() implements Append {}

    /**
     * The entries are in the log, one after the other.
     *
     * @param previous the entry before the first one
     */
    record Appended(long previous, List<Long> ids) implements Append {}

    /**
     * A state of the table of registered nodes.
     *
     * @param sinceMillis when the table was made, by the clock of the store
     * @param entered the number of nodes that were entered ever since the log has been there
     * @param size the number of nodes in it
     * @param newest the node that was entered last
     */
    record Table(long sinceMillis, long entered, long size, String newest) {
        public static final Table UNKNOWN = new Table(0, 0, 0, "");

        /** Whether the store has {@code now} since it has lost nodes of this table. */
        public boolean isLost(Table now) {
            return !equals(UNKNOWN)
                    && (now.sinceMillis() != sinceMillis
                            || now.entered() < entered
                            || (now.entered() == entered && !now.newest().equals(newest)));
        }
    }

    /**
     * The registered nodes.
     *
     * @param millis the clock of the store
     */
    record Members(long millis, Table table, Map<String, Member> byNode) {}

    /**
     * A node at its last tick.
     *
     * @param tickMillis the time of that, by the clock of the store
     * @param build empty if it registers none
     */
    record Member(long epoch, long applied, long tickMillis, Optional<NodeBuild> build) {

        /**
         * Returns a node as the store has it.
         *
         * @param build the text of a {@link NodeBuild}
         */
        public static Member of(long epoch, long applied, long tickMillis, String build) {
            return new Member(epoch, applied, tickMillis, NodeBuild.of(build));
        }
    }

    /**
     * The notes of nodes about epochs that have ended.
     *
     * @param last of their positions
     * @param areMany whether another node has noted its own, and none that of another epoch
     * @param compared the last one when a node had compared, which had read up to there; {@link
     *     LogId#NONE} if none has
     * @param wasNoted whether a node had noted its own of the same epoch before
     * @param others the other epochs of which a node has noted its own
     */
    record Ends(long last, boolean areMany, long compared, boolean wasNoted, List<Long> others) {
        public Ends {
            others = List.copyOf(others);
        }

        /** Whether a node has read a log that those of {@code epoch} have not. */
        boolean haveOneUnorderedWith(long epoch) {
            return others.stream().anyMatch(other -> EpochNumber.areUnordered(epoch, other));
        }
    }

    /**
     * The log and the nodes at a moment.
     *
     * @param policy by which the store evicts keys, in its own words, or an empty text for none;
     *     empty if it is not known
     */
    record Overview(Extent extent, Members members, Optional<String> policy) {}

    /**
     * Which entries replicas of the store have.
     *
     * @param entries that the store has, of those that were asked for
     * @param replicas that have these too
     */
    record Copies(Set<RecordPosition> entries, int replicas) {
        public Copies {
            entries = Set.copyOf(entries);
        }
    }

    /** Receives messages of the other nodes, and of this one. Must not wait. */
    interface Listener {

        /** A connection is made, perhaps again: messages may have been lost. */
        void connected();

        /**
         * Messages arrive, or they do not.
         *
         * @param fault why they do not; null if they do
         */
        void listening(@Nullable String fault);

        /** An entry was appended after {@code previous}. */
        void appended(long previous, Entry entry);

        /** An epoch has begun. */
        void begun();

        /** {@code node} asks all others to tell it once they have applied that entry. */
        void asked(String node, RecordPosition position);

        /** {@code node} has applied that entry, and those before it. */
        void applied(String node, RecordPosition position);
    }

    /** The addresses of the store in the configuration. */
    String addresses();

    /** Begins to connect, in the background. Once, before all other calls. */
    void connect(Listener listener);

    /**
     * Registers a node, unless the log has another owner.
     *
     * @param most at most so many entries are returned
     */
    CompletionStage<Tick> tick(Owner owner, Registration registration, int most);

    /**
     * Appends {@code entries} in {@code epoch}, and forgets entries.
     *
     * @param applied nothing is appended to a log that ends before this entry
     * @param retention entries that are older, in milliseconds, may be forgotten
     * @param most at most about so many are kept
     */
    CompletionStage<Append> append(
            long epoch, long applied, List<byte[]> entries, long retention, int most);

    /**
     * Begins an epoch, unless the log is not in epoch {@code former}.
     *
     * @param former 0 for none
     * @param after the id of its first entry will be later
     */
    CompletionStage<Boolean> begin(Owner owner, long former, long epoch, long after, byte[] first);

    /**
     * Notes how far a node had read the log of {@code epoch}, which has ended.
     *
     * @param name of the node, without its incarnation
     * @param hasCompared whether it takes {@code applied} for the end of that log if no other one
     *     has read more
     */
    CompletionStage<Ends> end(long epoch, long applied, String name, boolean hasCompared);

    /**
     * Returns the log and all nodes, and asks these as {@link Listener#asked}, for {@code node}.
     */
    CompletionStage<Overview> ask(String node, RecordPosition position);

    /**
     * Returns the log and all nodes, without a message to them.
     *
     * @param longestSilence nodes that are silent for longer are removed
     */
    CompletionStage<Overview> overview(Duration longestSilence);

    /**
     * Waits for a moment until replicas of the store have what it has now.
     *
     * @param entries that a server may lack which has become the primary one meanwhile
     */
    CompletionStage<Copies> copies(Set<RecordPosition> entries);

    /** Answers {@link Listener#asked}. */
    void tell(String asker, String node, RecordPosition position);

    /**
     * Removes a node, and former processes of it; returns how many.
     *
     * @param silence nodes of its name that are silent for so long are former processes
     */
    CompletionStage<Long> leave(String node, Duration silence);

    /** Ends the connections. Does not wait. */
    @Override
    void close();
}
