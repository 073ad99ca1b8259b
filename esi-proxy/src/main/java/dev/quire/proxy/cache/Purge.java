package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.route.PathPattern;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which stored responses are to go: those of any of the URLs, with any of the tags, of any of the
 * hosts, under any of the paths, or in any of an origin's groups.
 *
 * @param keys of the URLs
 * @param hosts authorities in lower case, without the default port
 * @param paths patterns: {@code *} is any run without {@code /}, {@code **} any run
 * @param groups null for those of no origin
 */
public record Purge(
        Set<CacheKey> keys,
        Set<String> tags,
        Set<String> hosts,
        List<PathPattern> paths,
        @Nullable Groups groups) {

    /**
     * Groups of one origin; those of the same name elsewhere are others (RFC 9875 §2.1).
     *
     * @param member any resource of the origin
     */
    record Groups(CacheKey member, Set<String> names) {
        Groups {
            names = Set.copyOf(names);
        }

        boolean cover(StoredResponse response) {
            return response.key().isOfSameAuthority(member)
                    && CacheGroups.of(response.head().fields()).stream().anyMatch(names::contains);
        }
    }

    public Purge {
        keys = Set.copyOf(keys);
        tags = Set.copyOf(tags);
        hosts = Set.copyOf(hosts);
        paths = List.copyOf(paths);
    }

    public Purge(Set<CacheKey> keys, Set<String> tags, Set<String> hosts, List<PathPattern> paths) {
        this(keys, tags, hosts, paths, null);
    }

    /** Everything stored for one resource. */
    static Purge of(CacheKey key) {
        return new Purge(Set.of(key), Set.of(), Set.of(), List.of());
    }

    /** Everything stored in any of {@code names} of the origin that {@code member} is of. */
    static Purge ofGroups(CacheKey member, Set<String> names) {
        return new Purge(Set.of(), Set.of(), Set.of(), List.of(), new Groups(member, names));
    }

    /** Whether it covers nothing, whatever is stored. */
    public boolean isEmpty() {
        return keys.isEmpty()
                && tags.isEmpty()
                && hosts.isEmpty()
                && paths.isEmpty()
                && groups == null;
    }

    /** Whether it names URLs alone, and {@code key} is none of them. */
    boolean leavesAlone(CacheKey key) {
        return tags.isEmpty()
                && hosts.isEmpty()
                && paths.isEmpty()
                && groups == null
                && !keys.contains(key);
    }

    boolean covers(StoredResponse response) {
        return !covered(response).equals(Covered.NOTHING);
    }

    /** {@code response}, counted for the first condition it meets. */
    Covered covered(StoredResponse response) {
        var key = response.key();
        // What a page brought along goes with it.
        var carrier = response.carrier();
        if (keys.contains(key) || (carrier != null && keys.contains(carrier))) {
            return Covered.URL;
        }
        if (!tags.isEmpty() && response.tags().stream().anyMatch(tags::contains)) {
            return Covered.TAG;
        }
        if (hosts.contains(key.authority())
                || (carrier != null && hosts.contains(carrier.authority()))) {
            return Covered.HOST;
        }
        if (isUnderPaths(key) || (carrier != null && isUnderPaths(carrier))) {
            return Covered.PATH;
        }
        return groups != null && groups.cover(response) ? Covered.GROUP : Covered.NOTHING;
    }

    private boolean isUnderPaths(CacheKey key) {
        return !paths.isEmpty() && paths.stream().anyMatch(path -> path.matches(key.path()));
    }
}
