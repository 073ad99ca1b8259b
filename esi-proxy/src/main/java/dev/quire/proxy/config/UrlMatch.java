package dev.quire.proxy.config;

import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import java.util.List;

/**
 * The URLs that a match can accept: all combinations of these hosts and paths, or fewer.
 *
 * @param isExact whether nothing else is matched, so that all these URLs are accepted
 */
record UrlMatch(List<HostPattern> hosts, List<PathPattern> paths, boolean isExact) {
    static final List<HostPattern> ANY_HOST = List.of(new HostPattern("*"));
    static final List<PathPattern> ANY_PATH = List.of(new PathPattern("/**"));

    /** Accepts every request. */
    static final UrlMatch ALL = new UrlMatch(ANY_HOST, ANY_PATH, true);

    /** Whether it certainly accepts every request that {@code other} accepts. */
    boolean covers(UrlMatch other) {
        return isExact
                && other.hosts.stream().allMatch(this::coversHost)
                && other.paths.stream().allMatch(this::coversPath);
    }

    private boolean coversHost(HostPattern host) {
        return hosts.stream().anyMatch(wide -> wide.covers(host));
    }

    private boolean coversPath(PathPattern path) {
        return paths.stream().anyMatch(wide -> wide.text().equals("/**") || wide.covers(path));
    }
}
