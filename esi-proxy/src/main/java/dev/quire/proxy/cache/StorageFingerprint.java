package dev.quire.proxy.cache;

import dev.quire.core.policy.Settings;
import dev.quire.core.rule.ResponseRules;
import java.time.Duration;

/**
 * The settings of a route that decide what its origin is asked, which responses are stored, for how
 * long, how they are parsed, and up to which size. It is part of the keys of records, so a record
 * is only read under the settings under which it was written. A reload compares less, see {@link
 * ParseFingerprint}.
 */
final class StorageFingerprint {

    private StorageFingerprint() {}

    /**
     * @param route the rules of a route, not yet changed for a request or a response
     * @param responses its response rules
     * @param requests a hash of what decides the requests to its origin
     */
    static RecordHash of(RouteCacheRules route, ResponseRules responses, RecordHash requests) {
        var sum = new RecordHash.Sum();
        route.parsing().addTo(sum);
        return sum.add(storing(route.settings()).toString())
                .add(route.maxObjectBytes())
                .add(responses.source())
                .add(requests)
                .hash();
    }

    /** Without the time that requests wait, which changes no response. */
    private static Settings storing(Settings settings) {
        return new Settings(
                settings.grace(),
                settings.staleIfError(),
                settings.staleIfUnreachable(),
                Duration.ZERO,
                settings.heuristic(),
                settings.storeSetCookie(),
                settings.deviceToken(),
                settings.staleDespiteSharedMaxAge(),
                settings.operator());
    }
}
