package dev.quire.proxy.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The newest purge of each name. Changed with a lock held, and read without it. */
final class PurgedNames {
    private final ConcurrentMap<PurgedName, ActiveInvalidation> names = new ConcurrentHashMap<>();

    /** The same names, those with the oldest entries first. */
    private final LinkedHashMap<PurgedName, ActiveInvalidation> inOrder = new LinkedHashMap<>();

    private long bytes;

    void put(Covered by, Object value, ActiveInvalidation added) {
        var name = new PurgedName(by, value, added.isSoft());
        if (inOrder.remove(name) == null) {
            bytes += name.heapBytes();
        }
        inOrder.put(name, added);
        names.put(name, added);
    }

    @Nullable ActiveInvalidation get(PurgedName name) {
        return names.get(name);
    }

    /** A view of all. */
    Map<PurgedName, ActiveInvalidation> all() {
        return names;
    }

    /** The heap that they need. */
    long bytes() {
        return bytes;
    }

    /** The number of the oldest entry. */
    long oldest() {
        return inOrder.firstEntry().getValue().number();
    }

    /**
     * Forgets the names of the entries up to {@code upTo}, at most {@code most}; returns whether
     * there are more.
     */
    boolean forget(long upTo, int most) {
        for (int i = 0; !inOrder.isEmpty() && oldest() <= upTo; i++) {
            if (i == most) {
                return true;
            }
            var name = inOrder.pollFirstEntry().getKey();
            names.remove(name);
            bytes -= name.heapBytes();
        }
        return false;
    }
}
