package dev.quire.proxy.route;

import dev.quire.core.policy.CacheKey;
import java.util.List;

/**
 * Picks the route of a request: the first one that matches.
 *
 * @param <T> what a route leads to
 */
public final class Router<T> {

    /** One route: where it applies and what it leads to. */
    public record Route<T>(HostPattern host, PathPattern path, T target) {}

    /** What a request's host and path lead to. */
    public sealed interface Match<T> {
        record Found<T>(T target) implements Match<T> {}

        /** No route is for that host. */
        record UnknownHost<T>() implements Match<T> {}

        /** Routes are for that host, but not for that path. */
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
                        .<Match<T>>map(route -> new Match.Found<>(route.target()))
                        .toList();
    }

    /** Where {@code key} leads. */
    public Match<T> match(CacheKey key) {
        boolean isHostKnown = false;
        for (int i = 0; i < routes.size(); i++) {
            var route = routes.get(i);
            if (route.host().matches(key.authority())) {
                isHostKnown = true;
                if (route.path().matches(key.path())) {
                    return found.get(i);
                }
            }
        }
        return isHostKnown ? unknownPath : unknownHost;
    }
}
