package dev.quire.proxy.route;

import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import java.util.List;

/**
 * Selects the route of a request: the first that matches.
 *
 * @param <T> the target of a route
 */
public final class Router<T> {

    /** One route: its conditions and its target. */
    public record Route<T>(HostPattern host, PathPattern path, T target) {}

    /** The result of routing a request. */
    public sealed interface Match<T> {
        record Matched<T>(T target) implements Match<T> {}

        /** No route matches the host. */
        record UnknownHost<T>() implements Match<T> {}

        /** Routes match the host, but not the path. */
        record UnknownPath<T>() implements Match<T> {}
    }

    private final List<Entry<T>> routes;
    private final Match<T> unknownHost = new Match.UnknownHost<>();
    private final Match<T> unknownPath = new Match.UnknownPath<>();

    /**
     * A route, and what is the same for all requests.
     *
     * @param isOfAllPaths whether its pattern matches every path
     * @param isSimple whether its pattern is compared with simplified paths
     */
    private record Entry<T>(
            HostPattern host,
            PathPattern path,
            boolean isOfAllPaths,
            boolean isSimple,
            Match<T> found) {

        static <T> Entry<T> of(Route<T> route) {
            var path = route.path();
            return new Entry<>(
                    route.host(),
                    path,
                    path.text().equals("/**"),
                    path.isSimple(),
                    new Match.Matched<>(route.target()));
        }
    }

    public Router(List<Route<T>> routes) {
        this.routes = routes.stream().map(Entry::of).toList();
    }

    public Match<T> match(CacheKey key) {
        boolean isHostKnown = false;
        String path = null;
        String simplified = null;
        for (int i = 0; i < routes.size(); i++) {
            var route = routes.get(i);
            if (route.host().matches(key.authority())) {
                isHostKnown = true;
                if (route.isOfAllPaths()) {
                    return route.found();
                }
                if (path == null || simplified == null) {
                    // Most paths are neither copied nor changed.
                    path = UriPath.decoded(key.path());
                    simplified = UriPath.simplified(path);
                }
                if (route.path().matches((CharSequence) (route.isSimple() ? simplified : path))) {
                    return route.found();
                }
            }
        }
        return isHostKnown ? unknownPath : unknownHost;
    }
}
