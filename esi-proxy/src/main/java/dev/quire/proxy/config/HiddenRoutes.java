package dev.quire.proxy.config;

import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import java.util.List;
import java.util.Optional;

/** Warns of routes that no request reaches, since one earlier route matches all of theirs. */
final class HiddenRoutes {
    private final UrlIndex<Earlier> earlier = new UrlIndex<>();
    private int number;

    private record Earlier(int number, RouteConfig route, HostPattern host, PathPattern path) {
        boolean covers(Earlier narrow) {
            return host.covers(narrow.host) && path.covers(narrow.path);
        }

        UrlMatch url() {
            return new UrlMatch(List.of(host), List.of(path), true);
        }
    }

    /** Adds the next route of the list, read from {@code section}. */
    Optional<RouteConfig> add(Section section, Optional<RouteConfig> read) {
        int at = number++;
        read.ifPresent(route -> add(section, at, route));
        return read;
    }

    private void add(Section section, int at, RouteConfig route) {
        var added =
                new Earlier(
                        at, route, new HostPattern(route.host()), new PathPattern(route.path()));
        earlier.first(added.url(), before -> before.covers(added))
                .ifPresent(before ->
                        section.warn(
                                "no request reaches this route: routes[%d] (%s%s) matches all of"
                                                .formatted(
                                                        before.number(),
                                                        before.route().host(),
                                                        before.route().path())
                                        + " them first",
                                "it before routes["
                                        + before.number()
                                        + "], as the first match is used"));
        earlier.add(added.url(), added);
    }
}
