package dev.quire.test.attacks;

import dev.quire.test.wire.RunningProxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;

/** Quire in this JVM. */
final class QuireTarget implements AttackTarget {
    private static final String ROUTES =
            "[ { host: other.example, path: \"/**\", origin: other },"
                    + " { host: \"*\", path: \"/**\", origin: tested } ]";

    @Override
    public String name() {
        return "quire";
    }

    @Override
    public Running start(
            InetSocketAddress origin, InetSocketAddress other, Map<String, String> config) {
        var setup =
                RunningProxy.inFrontOf(URI.create(url(origin)))
                        .with(
                                "origins",
                                "{ tested: { urls: [\"%s\"] }, other: { urls: [\"%s\"] } }"
                                        .formatted(url(origin), url(other)))
                        .with("routes", ROUTES);
        config.forEach(setup::with);
        var proxy = setup.start();
        return new Running() {
            @Override
            public InetSocketAddress address() {
                return proxy.http();
            }

            @Override
            public void close() {
                proxy.close();
            }
        };
    }

    private static String url(InetSocketAddress address) {
        return "http://127.0.0.1:" + address.getPort();
    }
}
