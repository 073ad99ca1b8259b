package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The groups that unsafe requests have made untrue (RFC 9875 §3), at most {@value #MAX_GROUPS}.
 * Safe for all threads; adding to it takes its lock, asking it whether something is hidden takes
 * none.
 */
final class GroupInvalidations {

    /*
     * As with bans nothing walks through the store. Invalidations are numbered; each stored response
     * bears the number of the newest one when its fetch began, or when it was last found untouched. Of
     * a group only its last invalidation counts. When there are too many groups the one that has
     * rested longest is forgotten: what has not been tested since then, and is in any group, is
     * hidden, whether or not it was in that one. It is fetched once more, and that is all.
     */

    static final int MAX_GROUPS = 10_000;

    /**
     * A group of one origin; one of the same name elsewhere is another (RFC 9875 §2.1).
     *
     * @param authority as in {@link CacheKey}
     */
    record Group(Scheme scheme, String authority, String name) {}

    private final ConcurrentMap<Group, Long> numbers = new ConcurrentHashMap<>();

    /** The same in order, the oldest first; under the lock. */
    private final LinkedHashMap<Group, Long> inOrder = new LinkedHashMap<>();

    private volatile long newest;

    /** Of the forgotten ones the newest. */
    private volatile long forgotten;

    /** The groups that the response to {@code key} with {@code fields} is in. */
    static List<Group> of(CacheKey key, Fields fields) {
        return groups(key, CacheGroups.of(fields));
    }

    private static List<Group> groups(CacheKey member, Set<String> names) {
        return names.stream()
                .map(name -> new Group(member.scheme(), member.authority(), name))
                .toList();
    }

    /** The number of the newest invalidation; 0 before the first. */
    long newest() {
        return newest;
    }

    /**
     * Invalidates what is in any of the groups called one of {@code names}, now.
     *
     * @param member any resource of their origin
     */
    synchronized void add(CacheKey member, Set<String> names) {
        long number = newest + 1;
        for (var group : groups(member, names)) {
            numbers.put(group, number);
            inOrder.remove(group);
            inOrder.put(group, number);
        }
        while (inOrder.size() > MAX_GROUPS) {
            var oldest = inOrder.firstEntry();
            // Before it goes: whoever does not find it finds this.
            forgotten = oldest.getValue();
            numbers.remove(oldest.getKey());
            inOrder.remove(oldest.getKey());
        }
        // Last: who reads this number finds its groups.
        newest = number;
    }

    /** Whether a group of {@code response} was invalidated since its fetch began. */
    boolean hides(StoredResponse response) {
        var groups = response.groups();
        if (groups.isEmpty()) {
            return false;
        }
        long upTo = newest;
        long tested = response.groupsTested();
        if (tested >= upTo) {
            return false;
        }
        for (var group : groups) {
            var number = numbers.get(group);
            if (number != null && number > tested) {
                return true;
            }
        }
        if (forgotten > tested) {
            return true;
        }
        response.marks().groupsTested(upTo);
        return false;
    }
}
