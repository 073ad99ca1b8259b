package dev.quire.proxy.route;

import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
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

    private final List<Route<T>> routes;
    private final List<Match<T>> found;
    private final Match<T> unknownHost = new Match.UnknownHost<>();
    private final Match<T> unknownPath = new Match.UnknownPath<>();

    public Router(List<Route<T>> routes) {
        this.routes = List.copyOf(routes);
        this.found =
                this.routes.stream()
                        .<Match<T>>map(route -> new Match.Matched<>(route.target()))
                        .toList();
    }

    public Match<T> match(CacheKey key) {
        boolean isHostKnown = false;
        // Most paths are neither copied nor changed.
        var path = UriPath.decoded(key.path());
        var simplified = UriPath.simplified(path);
        for (int i = 0; i < routes.size(); i++) {
            var route = routes.get(i);
            if (route.host().matches(key.authority())) {
                isHostKnown = true;
                if (route.path().matches(path, simplified)) {
                    return found.get(i);
                }
            }
        }
        return isHostKnown ? unknownPath : unknownHost;
    }
}
