package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.quire.proxy.cache.RecordPosition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How far invalidations have come.
 *
 * @param wanted how far they should come
 * @param position in the log; null if they are not in the log yet
 * @param nodes the names of the nodes that have applied them, with this one, and are not missing;
 *     empty if the store was not asked for the nodes, or has not answered
 * @param missing the names of the nodes that have not, or are silent, or of which another process
 *     of the same name is or may be
 * @param replicas of the store that have them; empty if they are not waited for
 */
public record Acknowledged(
        Ack wanted,
        @Nullable RecordPosition position,
        Set<String> nodes,
        Set<String> missing,
        Optional<Replicas> replicas) {

    /**
     * Replicas of the store.
     *
     * @param wanted how many should have something
     * @param found how many have it
     */
    public record Replicas(int wanted, int found) {

        boolean areEnough() {
            return found >= wanted;
        }
    }

    public Acknowledged {
        var absent = Set.copyOf(missing);
        missing = absent;
        nodes = nodes.stream().filter(name -> !absent.contains(name)).collect(toUnmodifiableSet());
    }

    /** Without replicas. */
    public Acknowledged(
            Ack wanted, @Nullable RecordPosition position, Set<String> nodes, Set<String> missing) {
        this(wanted, position, nodes, missing, Optional.empty());
    }

    Acknowledged with(Replicas found) {
        return new Acknowledged(wanted, position, nodes, missing, Optional.of(found));
    }

    /** How far they came. */
    public Ack reached() {
        if (position == null) {
            return Ack.LOCAL;
        }
        return wanted == Ack.FLEET && isConfirmed() ? Ack.FLEET : Ack.LOG;
    }

    private boolean isConfirmed() {
        return !nodes.isEmpty() && missing.isEmpty();
    }

    /** The members of an answer. */
    public Map<String, Object> members() {
        var members = new LinkedHashMap<String, Object>();
        if (position != null) {
            members.put("position", LogId.text(position));
        }
        members.put("applied", reached().text());
        if (wanted == Ack.FLEET) {
            members.put("nodes", nodes.size() + missing.size());
            members.put("acked", nodes.size());
            members.put("missing", new TreeSet<>(missing));
        }
        replicas.ifPresent(each -> {
            members.put("replicas", each.wanted());
            members.put("replicated", each.found());
        });
        return members;
    }

    /** Whether they came as far as it was wanted. */
    public boolean isComplete() {
        return switch (wanted) {
            case LOCAL -> true;
            case LOG -> position != null && areReplicated();
            case FLEET -> position != null && isConfirmed() && areReplicated();
        };
    }

    private boolean areReplicated() {
        return replicas.map(Replicas::areEnough).orElse(true);
    }
}
