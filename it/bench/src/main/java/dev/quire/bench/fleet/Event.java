package dev.quire.bench.fleet;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A fact of a run. Times are of {@link System#nanoTime} in the process of the clients, and begin
 * and end an interval that contains the event.
 */
sealed interface Event {

    /**
     * An answer that a client received.
     *
     * @param node that answered, from 0
     * @param url of the page or fragment
     * @param variant that was asked for, whether the response has variants or not
     * @param version that the body shows, or {@link #WRONG}
     * @param age in seconds; empty if the answer does not say it, such as for a fragment
     * @param source the tier that the answer names, or the origin
     * @param isStale whether the answer says that it is, or does not say how fresh it is, such as
     *     for a fragment
     */
    record Read(
            int node,
            String url,
            String variant,
            long version,
            OptionalLong age,
            String source,
            boolean isStale,
            long started,
            long ended)
            implements Event {
        /** The version of a body that is not an undamaged one of its URL. */
        static final long WRONG = -1;

        boolean isWrong() {
            return version <= 0;
        }
    }

    /** The origin made a new version; each URL begins with version 1. */
    record Change(String url, long version, long begun, long ended) implements Event {}

    /**
     * An invalidation that was answered: a purge, a ban, or the success of an unsafe request.
     *
     * @param node that was asked
     * @param effect on responses
     * @param names the URLs, tags, hosts and paths
     * @param ack what the answer waited for
     * @param isDurable whether the answer promises that it outlives a kill of the node
     * @param missing nodes that the answer names because they have not acknowledged
     */
    record Purge(
            int node,
            Effect effect,
            List<String> names,
            Ack ack,
            boolean isDurable,
            Set<Integer> missing,
            long invoked,
            long answered)
            implements Event {
        /** Whether what it covers must not be used again, whatever happens later. */
        boolean isHard() {
            return effect == Effect.HARD;
        }
    }

    /** The end of bans that cover a name, which was answered. */
    record Lift(String name, long invoked, long answered) implements Event {}

    /** The effect of an invalidation. */
    enum Effect {
        HARD,
        /** Responses become stale. */
        SOFT,
        /** A soft purge that was not answered: it may have been made. */
        PERHAPS_SOFT,
        /** The same as a hard one until it is {@linkplain Lift lifted}. */
        UNTIL_LIFTED
    }

    /** The condition for the answer to a purge. */
    enum Ack {
        LOCAL,
        LOG,
        FLEET;

        static final List<Ack> ALL = List.of(values());

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A time in which nodes may be behind.
     *
     * @param what happened, for reports
     * @param nodes that may be behind
     */
    record Disturbance(String what, Set<Integer> nodes, Kind kind, long begun, long ended)
            implements Event {
        boolean isKill() {
            return kind == Kind.KILL;
        }

        boolean mayLoseEntries() {
            return kind == Kind.LOSS || kind == Kind.ANEW;
        }

        boolean isLoss() {
            return kind == Kind.LOSS;
        }
    }

    /** The knowledge that a node may lack after a disturbance. */
    enum Kind {
        /** The nodes were killed and started again; it ends when they are ready. */
        KILL,
        /**
         * The log may have lost its last entries, of which a node that was started without a
         * journal does not know.
         */
        LOSS,
        /** The log may have lost entries. */
        ANEW,
        OTHER
    }
}
