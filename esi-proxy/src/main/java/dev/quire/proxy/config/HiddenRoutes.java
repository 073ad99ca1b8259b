package dev.quire.proxy.config;

import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Warns of routes that no request reaches, since one earlier route matches all of theirs. */
final class HiddenRoutes {
    private final List<Optional<RouteConfig>> earlier = new ArrayList<>();

    /** Adds the next route of the list, read from {@code section}. */
    Optional<RouteConfig> add(Section section, Optional<RouteConfig> route) {
        for (int i = 0; i < earlier.size() && route.isPresent(); i++) {
            var before = earlier.get(i);
            if (before.isPresent() && covers(before.get(), route.get())) {
                section.warn(
                        "no request reaches this route: routes[%d] (%s%s) matches all of them first"
                                .formatted(i, before.get().host(), before.get().path()),
                        "it before routes[" + i + "], as the first match is used");
                break;
            }
        }
        earlier.add(route);
        return route;
    }

    private static boolean covers(RouteConfig wide, RouteConfig narrow) {
        return new HostPattern(wide.host()).covers(new HostPattern(narrow.host()))
                && new PathPattern(wide.path()).covers(new PathPattern(narrow.path()));
    }
}
