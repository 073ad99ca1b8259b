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
 * The groups invalidated by unsafe requests (RFC 9875 §3), at most {@value #MAX_GROUPS}.
 * Thread-safe: changes take a lock, queries do not.
 */
final class GroupInvalidations {

    /*
     * As with bans, nothing walks through the store. Invalidations are numbered. Each stored
     * response has the number of the newest one when its fetch began, or when it was last found
     * valid. Of a group, only the last invalidation counts. If there are too many groups, the one
     * invalidated least recently is dropped. Then every response that is in any group and has not
     * been tested since is hidden. At worst it is fetched once more.
     */

    static final int MAX_GROUPS = 10_000;

    /**
     * A group of one origin; groups of different origins are distinct (RFC 9875 §2.1).
     *
     * @param authority as in {@link CacheKey}
     */
    record Group(Scheme scheme, String authority, String name) {}

    private final ConcurrentMap<Group, Long> numbers = new ConcurrentHashMap<>();

    /** The same, oldest first; guarded by the lock. */
    private final LinkedHashMap<Group, Long> inOrder = new LinkedHashMap<>();

    private volatile long newest;

    /** The newest number among the dropped groups. */
    private volatile long forgotten;

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
     * Invalidates all responses in any of the groups {@code names}, now.
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
            // Set before it is removed, so that a reader sees one of the two.
            forgotten = oldest.getValue();
            numbers.remove(oldest.getKey());
            inOrder.remove(oldest.getKey());
        }
        // Set last, so that a reader of this number finds its groups.
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
