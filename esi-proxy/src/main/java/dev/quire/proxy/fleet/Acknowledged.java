package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far invalidations have come.
 *
 * @param wanted how far they should come
 * @param position in the log; null if they are not in the log yet
 * @param nodes the names of the nodes that have applied them, with this one; empty if the store was
 *     not asked for the nodes, or has not answered
 * @param missing the names of the nodes that have not, or are silent
 */
public record Acknowledged(
        Ack wanted, @Nullable RecordPosition position, Set<String> nodes, Set<String> missing) {

    public Acknowledged {
        nodes = Set.copyOf(nodes);
        missing = Set.copyOf(missing);
    }

    /** How far they came. */
    public Ack reached() {
        if (position == null) {
            return Ack.LOCAL;
        }
        return wanted == Ack.FLEET && isComplete() ? Ack.FLEET : Ack.LOG;
    }

    /** Whether they came as far as it was wanted. */
    public boolean isComplete() {
        return switch (wanted) {
            case LOCAL -> true;
            case LOG -> position != null;
            case FLEET -> position != null && !nodes.isEmpty() && missing.isEmpty();
        };
    }
}
