package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.route.PathPattern;
import java.util.List;
import java.util.Set;

/**
 * Which stored responses are to go: those of any of the URLs, with any of the tags, of any of the
 * hosts, or under any of the paths.
 *
 * @param keys of the URLs
 * @param hosts authorities in lower case, without the default port
 * @param paths patterns: {@code *} is any run without {@code /}, {@code **} any run
 */
public record Purge(
        Set<CacheKey> keys, Set<String> tags, Set<String> hosts, List<PathPattern> paths) {

    public Purge {
        keys = Set.copyOf(keys);
        tags = Set.copyOf(tags);
        hosts = Set.copyOf(hosts);
        paths = List.copyOf(paths);
    }

    /** Everything stored for one resource. */
    static Purge of(CacheKey key) {
        return new Purge(Set.of(key), Set.of(), Set.of(), List.of());
    }

    /** Whether it covers nothing, whatever is stored. */
    public boolean isEmpty() {
        return keys.isEmpty() && tags.isEmpty() && hosts.isEmpty() && paths.isEmpty();
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
        return isUnderPaths(key) || (carrier != null && isUnderPaths(carrier))
                ? Covered.PATH
                : Covered.NOTHING;
    }

    private boolean isUnderPaths(CacheKey key) {
        return !paths.isEmpty() && paths.stream().anyMatch(path -> path.matches(key.path()));
    }
}
