package dev.quire.it;

import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import dev.quire.test.wire.internal.Http2Setup;
import dev.quire.test.wire.internal.Http2Wire;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A proxy that clients reach by prior knowledge and over TLS, and the origin behind it. To try a
 * test on another server, the system property {@code quire.test.http2.server} has the port of one
 * that speaks HTTP/2 by prior knowledge on the loopback.
 */
final class Http2Edge implements AutoCloseable {
    private static final int OTHER_SERVER = Integer.getInteger("quire.test.http2.server", 0);

    private final Origin origin;
    private final RunningProxy proxy;

    /** The way to the proxy. */
    enum Transport {
        H2C,
        TLS
    }

    Http2Edge(String... sections) {
        this(Origin.start(), setup -> {}, sections);
    }

    /** With the time of {@code clock}, at the origin too. */
    Http2Edge(TestClock clock, String... sections) {
        this(Origin.start(clock), setup -> setup.clock(clock), sections);
    }

    private Http2Edge(Origin origin, Consumer<RunningProxy.Setup> more, String... sections) {
        this.origin = origin;
        var setup = listening(RunningProxy.inFrontOf(origin));
        more.accept(setup);
        for (int i = 0; i < sections.length; i += 2) {
            setup.with(sections[i], sections[i + 1]);
        }
        proxy = setup.start();
    }

    /** Adds both transports. */
    static RunningProxy.Setup listening(RunningProxy.Setup setup) {
        return setup.with("listen", "{ http: \"127.0.0.1:0\", h2c: true, https: \"127.0.0.1:0\" }")
                .with("tls", TestCertificate.shared().section());
    }

    Origin origin() {
        return origin;
    }

    RunningProxy proxy() {
        return proxy;
    }

    InetSocketAddress address(Transport transport) {
        return address(proxy, transport);
    }

    private static InetSocketAddress address(RunningProxy proxy, Transport transport) {
        return transport == Transport.TLS ? proxy.https() : proxy.http();
    }

    /** A client, not yet connected. */
    Http2Setup client(Transport transport) {
        return client(proxy, transport);
    }

    /** A client of {@code proxy}, not yet connected. */
    static Http2Setup client(RunningProxy proxy, Transport transport) {
        if (OTHER_SERVER != 0) {
            return Http2Setup.to(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), OTHER_SERVER));
        }
        return Http2Setup.to(address(proxy, transport))
                .over(transport == Transport.TLS ? TestCertificate.shared().trusting() : null);
    }

    Http2Wire connect(Transport transport) throws IOException {
        return client(transport).open();
    }

    @Override
    public void close() {
        proxy.close();
        origin.close();
    }
}
