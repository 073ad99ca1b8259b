package dev.quire.proxy.path;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.route.OriginSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The settings that decide what the origin of a route is asked: under other ones it may answer
 * something else. The URLs of its servers may differ from proxy to proxy.
 */
final class RequestFingerprint {

    private RequestFingerprint() {}

    /** Returns the hash of the settings for {@code route}, one of {@code configuration}. */
    static RecordHash of(Configuration configuration, RouteConfig route) {
        var rules = configuration.rules().request();
        var texts = new ArrayList<>(rules.sourcesOfStored());
        texts.add(route.sendsCertificates() + "");
        texts.add(configuration.variants().key().isPresent() + "");
        var origins = new ArrayList<String>();
        origins.add(route.origin());
        // A response is stored in one place, whichever of them a rule has chosen.
        rules.origins().stream().sorted().forEach(origins::add);
        for (var name : origins) {
            texts.addAll(of(Objects.requireNonNull(configuration.origins().get(name))));
        }
        return RecordHash.of(texts);
    }

    private static List<String> of(OriginSettings origin) {
        return List.of(
                origin.name(),
                origin.host().orElse(""),
                origin.serverName().orElse(""),
                origin.sendsVia() + "");
    }
}
