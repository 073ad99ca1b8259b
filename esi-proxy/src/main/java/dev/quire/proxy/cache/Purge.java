package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.PathPattern;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The condition of a purge: covers stored responses with any of the URLs, tags, hosts or paths.
 *
 * @param keys of the URLs, without values of rules
 * @param hosts authorities in lower case, without the default port
 * @param paths patterns: {@code *} matches any characters except {@code /}, {@code **} any
 *     characters
 */
public record Purge(
        Set<CacheKey> keys, Set<String> tags, Set<String> hosts, List<PathPattern> paths) {

    public Purge {
        keys = Set.copyOf(keys);
        tags = Set.copyOf(tags);
        hosts = Set.copyOf(hosts);
        paths = List.copyOf(paths);
    }

    /** Returns a purge of all variants of one URL. */
    static Purge of(CacheKey key) {
        return of(List.of(key));
    }

    /** Returns a purge of all variants of the URLs of {@code keys}. */
    public static Purge of(Collection<CacheKey> keys) {
        return new Purge(
                keys.stream().map(CacheKey::ofUrl).collect(Collectors.toSet()),
                Set.of(),
                Set.of(),
                List.of());
    }

    /** Whether it has no conditions but URLs. */
    boolean isOfUrls() {
        return tags.isEmpty() && hosts.isEmpty() && paths.isEmpty();
    }

    /** Whether it has no conditions. */
    public boolean isEmpty() {
        return keys.isEmpty() && tags.isEmpty() && hosts.isEmpty() && paths.isEmpty();
    }

    /** Returns {@code response}, counted for the first condition it meets. */
    Covered covered(StoredResponse response) {
        var key = response.key();
        if (keys.contains(key.ofUrl())) {
            return Covered.URL;
        }
        if (!tags.isEmpty() && response.tags().stream().anyMatch(tags::contains)) {
            return Covered.TAG;
        }
        if (hosts.contains(key.authority())) {
            return Covered.HOST;
        }
        return paths.stream().anyMatch(path -> path.matches(key.path()))
                ? Covered.PATH
                : Covered.NOTHING;
    }
}
