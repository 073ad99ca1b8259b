package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.toSet;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogServer.Member;
import dev.quire.proxy.fleet.LogServer.Members;
import dev.quire.proxy.fleet.LogServer.Overview;
import dev.quire.proxy.fleet.LogServer.Registration;
import dev.quire.proxy.fleet.LogServer.State;
import dev.quire.proxy.fleet.LogServer.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The callers that wait for the log or for other nodes. Not thread-safe. */
final class AckWaits {

    /** A node that is silent for longer is not expected back. */
    static final Duration LONGEST_SILENCE = Duration.ofHours(1);

    /** A fleet of fewer nodes is compared with each tick, a larger one less often. */
    private static final int SMALL_FLEET = 100;

    private final String self;
    private final Duration lease;
    private final List<Wait> all = new ArrayList<>();
    private boolean isOver;
    private boolean wasRegistered;
    private boolean hasOthers;

    /** Those of {@link #present}. */
    private Table table = Table.UNKNOWN;

    private long registrations;

    /** When the store may have known no node, by its clock. */
    private long begunMillis;

    /** The clock of the store at the last tick. */
    private long lastMillis;

    /** By name, the last ticks of the nodes that the store knows, by its clock. */
    private final Map<String, Long> present = new HashMap<>();

    /** Likewise those of former epochs that the store may have forgotten. */
    private final Map<String, Long> former = new HashMap<>();

    /** One caller. */
    static final class Wait {
        final long sequence;
        final boolean isForFleet;
        final CompletableFuture<Acknowledged> done = new CompletableFuture<>();

        /** In the present epoch. */
        @Nullable RecordPosition position;

        /** In any epoch. */
        @Nullable RecordPosition logged;

        @Nullable Members members;
        final Set<String> told = new HashSet<>();

        /**
         * @param sequence of the last entry of this node that it waits for
         */
        Wait(long sequence, boolean isForFleet) {
            this.sequence = sequence;
            this.isForFleet = isForFleet;
        }
    }

    AckWaits(String self, Duration lease) {
        this.self = self;
        this.lease = lease;
    }

    void add(Wait wait) {
        all.add(wait);
        if (isOver) {
            end(wait);
        }
    }

    /** The log has the entries of this node up to {@code sequence}. */
    void logged(long sequence, RecordPosition position) {
        for (var wait : List.copyOf(all)) {
            if (wait.position == null && wait.sequence <= sequence) {
                wait.position = position;
                wait.logged = position;
                if (!wait.isForFleet) {
                    end(wait);
                }
            }
        }
    }

    /**
     * All positions of entries that come again are void. The store may know none of the nodes yet:
     * it does after a lease.
     *
     * @param millis when the epoch began, by the clock of the store
     */
    private void beginEpoch(long millis) {
        forgotten(millis);
        all.forEach(wait -> {
            wait.position = null;
            wait.members = null;
            wait.told.clear();
        });
    }

    /** The store does not know the nodes; it does after a lease. */
    private void forgotten(long millis) {
        begunMillis = millis;
        table = Table.UNKNOWN;
        former.putAll(present);
        forget(former, millis);
        present.clear();
    }

    /** Returns what a tick tells the store: it learns the nodes that it has forgotten. */
    Registration registration(long epoch, long applied) {
        var others = new HashMap<>(former);
        others.remove(NodeName.of(self));
        // All nodes read the whole table after each change of it.
        boolean isAsked = registrations++ % (1 + table.size() / SMALL_FLEET) == 0;
        return new Registration(self, epoch, applied, isAsked ? table : null, others);
    }

    /**
     * The store has registered this node.
     *
     * @param isOfNextEpoch whether this node was in another epoch
     */
    void registered(State state, boolean isOfNextEpoch) {
        if (wasRegistered && hasPaused(state.millis())) {
            begunMillis = state.millis();
        }
        // Its clock may be set back.
        begunMillis = Math.min(begunMillis, state.millis());
        lastMillis = state.millis();
        if (isOfNextEpoch) {
            beginEpoch(Math.min(LogId.millis(state.start()), state.millis()));
        }
        wasRegistered = true;
        state.members().ifPresent(this::known);
    }

    /**
     * The nodes do not register while the store does not answer: it may not know all of them in a
     * young epoch, and after a long time it has none that is not silent.
     */
    private boolean hasPaused(long millis) {
        long pause = millis - lastMillis;
        return pause >= LONGEST_SILENCE.toMillis() / 2
                || (!areAll(lastMillis) && pause >= lease.toMillis() / 2);
    }

    /** Returns those that need answers of the other nodes. */
    List<Wait> forFleet() {
        return all.stream().filter(wait -> wait.isForFleet && wait.position != null).toList();
    }

    /** {@code node} has applied the entries of {@code position}. */
    void told(String node, RecordPosition position) {
        for (var wait : List.copyOf(all)) {
            if (isReached(wait, position.epoch(), position.number())) {
                wait.told.add(node);
                endIfComplete(wait);
            }
        }
    }

    /** Remembers the nodes: a store that loses its content does not know them any more. */
    void known(Members members) {
        if (table.isLost(members.table()) || !members.byNode().containsKey(self)) {
            forgotten(members.millis());
        }
        forget(former, members.millis());
        table = members.table();
        present.clear();
        members.byNode()
                .forEach((node, member) ->
                        present.merge(NodeName.of(node), member.tickMillis(), Math::max));
        hasOthers |= !Set.of(NodeName.of(self)).containsAll(present.keySet());
        forget(present, members.millis());
        former.keySet().removeAll(present.keySet());
    }

    /** Whether the store has ever named a node that is not a process of this one. */
    boolean hasOthers() {
        return hasOthers;
    }

    private static void forget(Map<String, Long> nodes, long millis) {
        nodes.values().removeIf(last -> millis - last >= LONGEST_SILENCE.toMillis());
    }

    void known(Wait wait, Overview overview) {
        var members = overview.members();
        known(members);
        wait.members = members;
        members.byNode()
                .forEach((node, member) -> {
                    // Or it has read entries that the log has lost.
                    boolean isOfLog = member.applied() <= overview.extent().last();
                    if (isOfLog && isReached(wait, member.epoch(), member.applied())) {
                        wait.told.add(node);
                    }
                });
        endIfComplete(wait);
    }

    private static boolean isReached(Wait wait, long epoch, long applied) {
        var position = wait.position;
        return wait.isForFleet
                && position != null
                && position.epoch() == epoch
                && position.number() <= applied;
    }

    private void endIfComplete(Wait wait) {
        var members = wait.members;
        if (members != null
                && areAll(members.millis())
                && wait.told.contains(self)
                && members.byNode().entrySet().stream()
                        .filter(each -> isLive(each.getValue(), members))
                        .allMatch(each -> wait.told.contains(each.getKey()))) {
            end(wait);
        }
    }

    /** Whether the store knows each node that is not cut off. */
    private boolean areAll(long millis) {
        return millis - begunMillis >= lease.toMillis();
    }

    private boolean isLive(Member member, Members members) {
        return members.millis() - member.tickMillis() < lease.toMillis();
    }

    /** Answers with what is known so far. */
    void end(Wait wait) {
        all.remove(wait);
        var missing = missing(wait);
        boolean areKnown =
                wait.members != null && (areAll(wait.members.millis()) || !missing.isEmpty());
        wait.done.complete(
                new Acknowledged(
                        wait.isForFleet ? Ack.FLEET : Ack.LOG,
                        wait.logged,
                        areKnown ? wait.told.stream().map(NodeName::of).collect(toSet()) : Set.of(),
                        missing));
    }

    private Set<String> missing(Wait wait) {
        var members = wait.members;
        var told = wait.told.stream().map(NodeName::of).collect(toSet());
        if (members == null) {
            return Set.of();
        }
        var registered =
                members.byNode().entrySet().stream()
                        .filter(each -> !wait.told.contains(each.getKey()))
                        .filter(each -> isMissed(each, members, told))
                        .map(each -> NodeName.of(each.getKey()));
        return Stream.concat(
                        registered, former.keySet().stream().filter(name -> !told.contains(name)))
                .collect(toSet());
    }

    /** A silent node is missed unless it has begun again since then. */
    private boolean isMissed(Map.Entry<String, Member> node, Members members, Set<String> told) {
        long silence = members.millis() - node.getValue().tickMillis();
        return isLive(node.getValue(), members)
                || (silence < LONGEST_SILENCE.toMillis()
                        && !told.contains(NodeName.of(node.getKey())));
    }

    /** Answers all, and those that come later at once. */
    void endAll() {
        isOver = true;
        List.copyOf(all).forEach(this::end);
    }
}
